#include <algorithm>
#include <array>
#include <cctype>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/sql_text.hpp"

namespace pawl::tidy {
namespace {

constexpr std::string_view not_transactional = "-- pawl: not transactional";

bool migration(const File& file) {
    return file.folder() == "migrations" && file.sql();
}

bool well_named(std::string_view name) {  // NNNN_name.sql
    if (name.size() < 10 || name[4] != '_') return false;
    name.remove_suffix(4);
    const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    const auto plain = [&](unsigned char c) {
        return std::islower(c) != 0 || digit(c) || c == '_';
    };
    return std::all_of(name.begin(), name.begin() + 4, digit) &&
           std::all_of(name.begin() + 4, name.end(), plain);
}

// The words of one migration, asked by position; beyond both ends there is nothing.
class Reading {
  public:
    explicit Reading(const File& file) : words_(sql_words(file.text)) {}

    std::size_t size() const { return words_.size(); }
    std::size_t line(std::size_t at) const { return words_[at].line; }
    std::string_view word(std::size_t at) const {
        return at < words_.size() ? std::string_view(words_[at].text) : std::string_view();
    }
    // CONSTRAINT name, right before.
    bool named(std::size_t at) const { return at >= 2 && word(at - 2) == "CONSTRAINT"; }

    bool begins_constraint(std::size_t at) const {
        const std::string_view next = word(at + 1);
        if (word(at) == "PRIMARY" || word(at) == "FOREIGN") return next == "KEY";
        if (word(at) == "UNIQUE") return next != "INDEX";
        if (word(at) == "CHECK") return next == "(" && (at == 0 || word(at - 1) != "WITH");
        if (word(at) == "EXCLUDE") return next == "USING" || next == "(";
        return word(at) == "REFERENCES" && !of_foreign_key(at);
    }

  private:
    // FOREIGN KEY (a, b) REFERENCES: the name stands before FOREIGN.
    bool of_foreign_key(std::size_t at) const {
        if (at == 0 || word(at - 1) != ")") return false;
        std::size_t open = at - 1;
        while (open > 0 && word(open) != "(") --open;
        return open > 0 && word(open - 1) == "KEY";
    }

    std::vector<SqlWord> words_;
};

bool one_statement_only(const File& file) {
    const bool query = file.sql() && file.folder().ends_with("/sql");
    return query || (migration(file) && file.text.starts_with(not_transactional));
}

}  // namespace

Report migration_names(const Tree& tree) {
    Report report;
    std::size_t expected = 1;
    for (const File& file : tree.files) {
        if (!migration(file)) continue;
        if (!well_named(file.name())) {
            report.add(file.path, 1, "the name is not NNNN_name.sql",
                       "Four digits, an underscore, lower-case words");
            continue;
        }
        const std::size_t number = std::stoul(file.name());
        if (number != expected) {
            report.add(file.path, 1, "migration " + std::to_string(expected) + " should come here",
                       "Numbers begin at 1, without gaps and without twins");
        }
        expected = number + 1;
    }
    return report;
}

Report unnamed_constraints(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (!migration(file)) continue;
        const Reading reading(file);
        for (std::size_t at = 0; at < reading.size(); ++at) {
            if (!reading.begins_constraint(at) || reading.named(at)) continue;
            report.add(file.path, reading.line(at),
                       "this " + std::string(reading.word(at)) + " has no name",
                       "Write CONSTRAINT table_what_it_holds before it: errors will say it");
        }
    }
    return report;
}

Report one_statement_a_query(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (!one_statement_only(file)) continue;
        const auto words = sql_words(file.text);
        if (words.empty()) report.add(file.path, 1, "there is no statement", "Remove the file");
        for (std::size_t i = 0; i < words.size(); ++i) {
            const bool last_of_migration = migration(file) && i + 1 == words.size();
            if (words[i].text != ";" || last_of_migration) continue;
            report.add(file.path, words[i].line, "a semicolon: the file holds one statement",
                       "Give each statement a file of its own, and leave the semicolon out");
            break;
        }
    }
    return report;
}

}  // namespace pawl::tidy
