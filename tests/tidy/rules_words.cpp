#include <array>
#include <cctype>

#include "tests/tidy/cpp_text.hpp"
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

}  // namespace

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
