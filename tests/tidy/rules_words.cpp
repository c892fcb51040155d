#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "tests/tidy/cpp_text.hpp"
#include "tests/tidy/prose.hpp"
#include "tests/tidy/rules.hpp"

namespace pawl::tidy {
namespace {

struct Banned {
    std::string_view word;
    std::string_view allowed;  // where a path may begin so that it is allowed
    std::string_view remedy;
};

constexpr std::string_view ask_clock = "Take a Clock and ask it: tests must be able to set it";
constexpr std::string_view ask_rng = "Take an Rng and ask it: a seed must repeat any failure";

constexpr std::array<Banned, 8> clock_and_chance_words{
    {{"system_clock::now", "base/clock", ask_clock},
     {"gettimeofday", "base/clock", ask_clock},
     {"clock_gettime", "base/clock", ask_clock},
     {"time(nullptr)", "base/clock", ask_clock},
     {"time(NULL)", "base/clock", ask_clock},
     {"random_device", "base/rng", ask_rng},
     {"rand()", "base/rng", ask_rng},
     {"srand(", "base/rng", ask_rng}}};

template <class Lines>
void find_in(const File& file, const Lines& lines, const Banned& banned, Report& report) {
    if (!banned.allowed.empty() && file.path.starts_with(banned.allowed)) return;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (find_word(lines[i], banned.word) == std::string_view::npos) continue;
        report.add(file.path, i + 1, "`" + std::string(banned.word) + "`",
                   std::string(banned.remedy));
    }
}

bool near_money(const File& file) {
    return file.stage() == "ledger" || file.stage() == "providers" ||
           file.path.starts_with("base/money");
}

// Upper case, as all SQL of the tree is written; "SELECT" alone may be a word of a sentence.
bool looks_like_sql(std::string_view text) {
    constexpr std::array<std::string_view, 4> starts = {"SELECT ", "INSERT INTO ", "DELETE FROM ",
                                                        "TRUNCATE "};
    for (const std::string_view start : starts) {
        if (find_word(text, start) != std::string_view::npos) return true;
    }
    const auto update = find_word(text, "UPDATE ");
    return update != std::string_view::npos &&
           (update == 0 || find_word(text, "SET", update) != std::string_view::npos);
}

bool comments_are_code(const File& file) {
    return file.sql() || file.ends(".sh") || file.ends(".cmake") || file.ends(".toml") ||
           file.name() == "CMakeLists.txt" || file.name() == "Makefile" ||
           file.name() == "Dockerfile";
}

// Words for a human in the place of a component: a worker, a client, an operator.
constexpr std::array<std::string_view, 11> pronouns{"who",      "whoever",   "whom",    "whomever",
                                                    "somebody", "someone",   "nobody",  "anybody",
                                                    "anyone",   "everybody", "everyone"};

// First words behind which a sentence has no component as its subject.
constexpr std::array<std::string_view, 19> subjectless{
    "what",      "of",   "those",   "which",      "how",      "why",    "also",
    "who",       "whom", "whose",   "whoever",    "somebody", "nobody", "anybody",
    "everybody", "none", "nothing", "everything", "anything"};

// Labels in the place of "Returns ... if".
constexpr std::array<std::string_view, 4> labels{"False:", "True:", "Empty:", "Null:"};

bool is_subjectless(std::string_view sentence) {
    if (sentence.ends_with('?')) return false;
    for (const std::string_view label : labels) {
        if (sentence.starts_with(label)) return true;
    }
    const auto words = words_of(sentence);
    if (words.empty() || std::islower(static_cast<unsigned char>(sentence.front())) != 0) {
        return false;
    }
    if (words.size() > 1 && words[0] == "one" && words[1] == "that") return true;
    return std::find(subjectless.begin(), subjectless.end(), words[0]) != subjectless.end();
}

// Behind these words a retired one is part of another term ("cannot tell apart", "is no longer").
bool another_term(const std::vector<std::string>& words, std::size_t at, std::size_t size) {
    const std::string before = at == 0 ? "" : words[at - 1];
    const std::string after = at + size < words.size() ? words[at + size] : "";
    if (after == "apart") return true;
    return words[at + size - 1] == "no" &&
           (before == "there" || after == "longer" || after == "more" || after == "such");
}

bool stands_at(const std::vector<std::string>& words, std::size_t at,
               const std::vector<std::string>& phrase) {
    return at + phrase.size() <= words.size() &&
           std::equal(phrase.begin(), phrase.end(), words.begin() + static_cast<long>(at));
}

std::string folder_of_counts(const File& file) {
    const std::string folder = file.folder();
    if (file.stage() != "tests") return folder.empty() ? "." : file.stage();
    return folder.substr(0, folder.find('/', 6));
}

void count_in(const File& file, const Passage& passage, const std::vector<Retired>& retired,
              WordCount& count) {
    const auto words = words_of(passage.text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (std::find(pronouns.begin(), pronouns.end(), words[i]) != pronouns.end()) {
            count.pronouns.add(file.path, passage.line, words[i], "Name the component");
        }
        for (const Retired& one : retired) {
            if (!stands_at(words, i, one.phrase)) continue;
            if (another_term(words, i, one.phrase.size())) continue;
            count.retired.add(file.path, passage.line, one.text, "Use: " + one.instead);
        }
    }
    if (passage.kind != ProseKind::sentences) return;
    for (const std::string_view sentence : sentences_of(passage.text)) {
        ++count.sentences;
        if (!is_subjectless(sentence)) continue;
        count.subjectless.add(file.path, passage.line, std::string(sentence.substr(0, 40)),
                              "Begin with the subject");
    }
}

}  // namespace

std::vector<Retired> retired_words(const Tree& tree) {
    std::vector<Retired> retired;
    const File* file = tree.find("tests/tidy/retired_words.txt");
    if (file == nullptr) return retired;
    for (const std::string_view line : lines_of(file->text)) {
        const auto bar = line.find(" | ");
        if (bar == std::string_view::npos || line.starts_with('#')) continue;
        const std::string text(line.substr(0, bar));
        retired.push_back({text, words_of(text), std::string(line.substr(bar + 3))});
    }
    return retired;
}

std::map<std::string, WordCount> word_counts(const Tree& tree) {
    const auto retired = retired_words(tree);
    std::map<std::string, WordCount> counts;
    for (const File& file : tree.files) {
        if (file.path.starts_with("tests/fuzz/corpus")) continue;
        for (const Passage& passage : prose_of(file)) {
            count_in(file, passage, retired, counts[folder_of_counts(file)]);
        }
    }
    return counts;
}

Report word_counts_off_the_record(const Tree& tree) {
    Report report;
    std::map<std::string, std::array<std::size_t, 3>> allowed;
    if (const File* file = tree.find("tests/tidy/word_counts.txt"); file != nullptr) {
        for (const std::string_view line : lines_of(file->text)) {
            if (line.starts_with('#')) continue;
            std::istringstream fields{std::string(line)};
            std::string folder;
            std::array<std::size_t, 3> most{};
            fields >> folder >> most[0] >> most[1] >> most[2];
            allowed[folder] = most;
        }
    }
    const auto counts = word_counts(tree);
    for (const auto& [folder, count] : counts) {
        const std::array<const Report*, 3> found{&count.pronouns, &count.subjectless,
                                                 &count.retired};
        constexpr std::array<const char*, 3> counter{"pronouns", "sentences without a subject",
                                                     "retired words"};
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::size_t is = found[i]->findings().size();
            const std::size_t may_be = allowed[folder][i];
            if (is == may_be) continue;
            report.add("tests/tidy/word_counts.txt", 1,
                       folder + ": " + counter[i] + " are " + std::to_string(is) + ", not " +
                           std::to_string(may_be),
                       is < may_be ? "Lower the number" : "Reword these:" + found[i]->text());
        }
    }
    return report;
}

Report floating_point_near_money(const Tree& tree) {
    constexpr std::string_view remedy = "Money is Money: whole minor units, read from text";
    Report report;
    for (const File& file : tree.files) {
        if (!file.cpp() || !near_money(file)) continue;
        const auto code = take_apart(file.text).code;
        for (const std::string_view word : {"double", "float"}) {
            find_in(file, code, {word, "", remedy}, report);
        }
    }
    return report;
}

Report clock_and_chance(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (!file.cpp()) continue;
        const auto code = take_apart(file.text).code;
        for (const Banned& banned : clock_and_chance_words) find_in(file, code, banned, report);
    }
    return report;
}

Report sql_in_cpp(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (!file.cpp() || file.test()) continue;
        for (const Literal& literal : take_apart(file.text).literals) {
            if (!looks_like_sql(literal.text)) continue;
            report.add(file.path, literal.line, "SQL in C++",
                       "Put it into " + file.stage() +
                           "/sql/NAME.sql and run sql::NAME: there a test PREPAREs it");
        }
    }
    return report;
}

// Code that names one of these can ask for a column, or send a parameter, by its position: nothing
// notices when two of one type are exchanged. Tests write queries of their own.
Report sql_by_position(const Tree& tree) {
    constexpr std::string_view remedy =
        "Run the statement's struct (sql::FindToken{...}) and read its rows by name";
    Report report;
    for (const File& file : tree.files) {
        if (!file.cpp() || file.stage() == "db") continue;
        const auto code = take_apart(file.text).code;
        find_in(file, code, {"db::Row", "", remedy}, report);
        if (file.test()) continue;
        for (const std::string_view word : {"db::Rows", "db::Query", "db::ParamList"}) {
            find_in(file, code, {word, "", remedy}, report);
        }
        for (std::size_t i = 0; i < code.size(); ++i) {
            const std::size_t at = find_word(code[i], "sql::");
            if (at == std::string_view::npos || at + 5 >= code[i].size()) continue;
            if (std::islower(static_cast<unsigned char>(code[i][at + 5])) == 0) continue;
            report.add(file.path, i + 1, "a statement without its struct", std::string(remedy));
        }
    }
    return report;
}

Report work_markers(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        for (const std::string_view marker : {"TODO", "FIXME", "XXX"}) {
            const Banned banned{marker, "", "Do it, or write it down where work is planned"};
            if (file.cpp()) find_in(file, take_apart(file.text).comments, banned, report);
            if (comments_are_code(file)) find_in(file, lines_of(file.text), banned, report);
        }
    }
    return report;
}

}  // namespace pawl::tidy
