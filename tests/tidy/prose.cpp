#include "tests/tidy/prose.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "tests/tidy/cpp_text.hpp"

namespace pawl::tidy {
namespace {

bool letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool upper(char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0;
}
char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// `code` becomes x, and [text](target) becomes its text.
std::string without_code(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '`') {
            const auto end = text.find('`', i + 1);
            if (end != std::string_view::npos) {
                plain += 'x';
                i = end;
                continue;
            }
        }
        if (text.substr(i, 2) == "](") {
            const auto end = text.find(')', i);
            if (end != std::string_view::npos) {
                i = end;
                continue;
            }
        }
        plain += text[i];
    }
    return plain;
}

// Joins the lines of a comment or paragraph to one passage.
class Passages {
  public:
    void open(ProseKind kind, std::size_t line) {
        close();
        open_ = Passage{kind, line, ""};
    }
    void line(std::size_t number, std::string_view text) {
        if (open_.line == 0) open_.line = number;
        if (!open_.text.empty()) open_.text += ' ';
        open_.text += trimmed(text);
    }
    void close() {
        if (!open_.text.empty()) add(open_.kind, open_.line, open_.text);
        open_ = {};
    }
    void add(ProseKind kind, std::size_t line, std::string_view text) {
        all_.push_back({kind, line, without_code(text)});
    }
    std::vector<Passage> take() {
        close();
        return std::move(all_);
    }

  private:
    Passage open_;
    std::vector<Passage> all_;
};

bool message(std::string_view text) {
    return trimmed(text).find(' ') != std::string_view::npos;
}

// "TEST_F(Suite, NameOfATest)" as "suite name of a test"; empty: another line.
std::string test_name(std::string_view line) {
    const auto open = line.find('(');
    const auto macro = line.substr(0, open);
    constexpr std::array<std::string_view, 4> macros = {"TEST", "TEST_F", "TEST_P", "TYPED_TEST"};
    bool test = false;
    for (const std::string_view one : macros) test = test || macro == one;
    if (!test || open == std::string_view::npos) return {};
    std::string name;
    for (const char c : line.substr(open + 1)) {
        if (c == ')') break;
        if (upper(c) && !name.empty() && name.back() != ' ') name += ' ';
        name += letter(c) ? lower(c) : ' ';
    }
    return name;
}

void cpp_prose(const File& file, Passages& passages) {
    const CppText parts = take_apart(file.text);
    for (std::size_t i = 0; i < parts.comments.size(); ++i) {
        const auto comment = trimmed(parts.comments[i]);
        const bool alone = trimmed(parts.code[i]).empty();
        if (comment.empty() || !alone) passages.close();
        if (!comment.empty()) {
            const auto words = comment.find_first_not_of("/* ");
            if (words == std::string_view::npos) {
                passages.close();
            } else {
                passages.line(i + 1, comment.substr(words));
            }
        }
        if (const std::string name = test_name(parts.code[i]); !name.empty()) {
            passages.add(ProseKind::test_name, i + 1, name);
        }
    }
    passages.close();
    for (const Literal& literal : parts.literals) {
        if (message(literal.text)) {
            passages.add(ProseKind::fragment, literal.line, literal.text);
        }
    }
}

bool begins_item(std::string_view line) {
    if (line.starts_with("* ") || line.starts_with("- ")) return true;
    const auto digits = line.find_first_not_of("0123456789");
    return digits != 0 && digits != std::string_view::npos && line.substr(digits, 2) == ". ";
}

void markdown_prose(const File& file, Passages& passages) {
    bool fenced = false;
    bool paragraph = false;
    std::size_t number = 0;
    for (const std::string_view whole : lines_of(file.text)) {
        ++number;
        const std::string_view line = trimmed(whole);
        const bool fence = line.starts_with("```");
        if (fence) fenced = !fenced;
        const bool code = fence || fenced || (whole.starts_with("    ") && !paragraph);
        if (code || line.empty()) {
            passages.close();
            paragraph = false;
        } else if (line.starts_with("#") || line.starts_with("|")) {
            passages.close();
            paragraph = false;
            passages.add(ProseKind::fragment, number, line);
        } else {
            if (begins_item(line)) passages.open(ProseKind::sentences, number);
            passages.line(number, begins_item(line) ? line.substr(line.find(' ')) : line);
            paragraph = true;
        }
    }
}

// Languages whose comments begin with one mark and end with the line.
void marked_prose(const File& file, std::string_view mark, Passages& passages) {
    std::size_t number = 0;
    for (const std::string_view whole : lines_of(file.text)) {
        ++number;
        const std::string_view line = trimmed(whole);
        const auto words =
            line.starts_with(mark) ? line.find_first_not_of("#- !") : std::string_view::npos;
        if (words != std::string_view::npos) {
            const std::string_view text = line.substr(words);
            if (text.starts_with("takes") || text.starts_with("gives")) passages.close();
            passages.line(number, text);
            continue;
        }
        passages.close();
        auto at = whole.find(" " + std::string(mark) + " ");
        if (at == std::string_view::npos) at = whole.find(" ## ");  // make's own help
        if (at != std::string_view::npos) {
            const std::string_view comment = whole.substr(at);
            passages.add(
                ProseKind::sentences, number,
                comment.substr(std::min(comment.find_first_not_of("#- "), comment.size())));
        }
        const char quote = mark == "--" ? '\'' : '"';
        for (auto from = whole.find(quote); from != std::string_view::npos;) {
            const auto end = whole.find(quote, from + 1);
            if (end == std::string_view::npos) break;
            const auto text = whole.substr(from + 1, end - from - 1);
            if (message(text)) passages.add(ProseKind::fragment, number, text);
            from = whole.find(quote, end + 1);
        }
    }
}

void json_prose(const File& file, Passages& passages) {
    std::size_t number = 0;
    for (const std::string_view whole : lines_of(file.text)) {
        ++number;
        const std::string_view line = trimmed(whole);
        if (line.starts_with("\"description\"") || line.starts_with("\"summary\"")) {
            passages.add(ProseKind::fragment, number, line);
        }
    }
}

bool hash_comments(const File& file) {
    const std::string name = file.name();
    for (const std::string_view end : {".sh", ".toml", ".cmake", ".yaml", ".yml", ".py"}) {
        if (file.ends(end)) return true;
    }
    return name == "CMakeLists.txt" || name == "Makefile" || name == "Dockerfile" ||
           (file.path.starts_with(".ci/") && !file.ends(".md"));
}

}  // namespace

std::vector<Passage> prose_of(const File& file) {
    Passages passages;
    if (file.cpp()) cpp_prose(file, passages);
    if (file.ends(".md")) markdown_prose(file, passages);
    if (file.sql() || file.ends(".row")) marked_prose(file, "--", passages);
    if (hash_comments(file)) marked_prose(file, "#", passages);
    if (file.ends("openapi.json")) json_prose(file, passages);
    return passages.take();
}

std::vector<std::string_view> sentences_of(std::string_view text) {
    std::vector<std::string_view> sentences;
    std::size_t from = 0;
    for (std::size_t i = 0; i + 2 < text.size(); ++i) {
        const bool end = text[i] == '.' || text[i] == '?' || text[i] == '!';
        if (!end || text[i + 1] != ' ' || !(upper(text[i + 2]) || text[i + 2] == '"')) continue;
        sentences.push_back(text.substr(from, i + 1 - from));
        from = i + 2;
    }
    if (from < text.size()) sentences.push_back(text.substr(from));
    return sentences;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool plain = true;
    const auto end = [&] {
        if (!word.empty() && plain) words.push_back(word);
        word.clear();
        plain = true;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool inside = (c == '.' || c == ':') && i + 1 < text.size() && letter(text[i + 1]);
        if (letter(c) || digit(c) || c == '\'') {
            plain = plain && (word.empty() || digit(word.front()) == digit(c));
            word += lower(c);
        } else if (c == '_' || c == '/' || inside) {
            plain = false;
            word += c;
        } else {
            end();
        }
    }
    end();
    return words;
}

}  // namespace pawl::tidy
