#include "tests/mutations/verdict.hpp"

#include <cstring>
#include <sstream>
#include <vector>

namespace pawl::mutations {
namespace {

constexpr const char* heading =
    "# Results of `make mutations`\n\n"
    "Written by `make mutations`; a row is from the last run of its mutation. Seconds include the\n"
    "build. How it works: [README.md](README.md).\n\n";
constexpr const char* columns =
    "| mutation | promise that it breaks | result | s |\n|---|---|---|---|\n";
constexpr const char* total_mark = "The last run of all: ";

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '|');) {
        const auto from = cell.find_first_not_of(' ');
        const auto to = cell.find_last_not_of(' ');
        cells.push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
    }
    return cells;
}

// After the mark, up to a blank, a comma or the end of the line.
std::string name_after(const std::string& log, const std::string& mark, std::size_t at) {
    const auto from = at + mark.size();
    return log.substr(from, log.find_first_of(" ,\n", from) - from);
}

}  // namespace

std::string failed_test_in(const std::string& log) {
    const std::string failed = "[  FAILED  ] ";
    for (auto at = log.find(failed); at != std::string::npos; at = log.find(failed, at + 1)) {
        const std::string name = name_after(log, failed, at);
        if (name.find('.') != std::string::npos) return name;  // else "2 tests, listed below:"
    }
    const std::string summary = "The following tests FAILED:\n";
    if (const auto at = log.find(summary); at != std::string::npos) {
        const std::string mark = " - ";
        const auto dash = log.find(mark, at);
        if (dash != std::string::npos) return name_after(log, mark, dash);
    }
    const std::string run = "[ RUN      ] ";
    if (const auto at = log.rfind(run); at != std::string::npos) {
        return name_after(log, run, at) +
               (log.ends_with(timed_out_mark) ? " (it hung)" : " (the program ended)");
    }
    return "a program that failed without a test's name";
}

std::string to_text(const Mutation& mutation, const Verdict& verdict) {
    switch (verdict.kind) {
        case Verdict::Kind::caught:
            return "caught by `" + verdict.by + "`";
        case Verdict::Kind::does_not_compile:
            return "**does not compile**";
        case Verdict::Kind::survived_named:
            return "**survived its named tests**";
        case Verdict::Kind::survived:
            break;
    }
    if (!mutation.equivalent.empty()) return "without effect: " + mutation.equivalent;
    return "**survived**";
}

bool acceptable(const Mutation& mutation, const Verdict& verdict) {
    if (verdict.kind == Verdict::Kind::caught) return true;
    return verdict.kind == Verdict::Kind::survived && !mutation.equivalent.empty();
}

ResultTable::ResultTable(std::filesystem::path file) : file_(std::move(file)) {
    std::istringstream in(read_file(file_));
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(total_mark)) total_ = line.substr(std::strlen(total_mark));
        const auto cells = cells_of(line);
        // The first is empty: the line begins with a bar.
        if (cells.size() >= 5 && cells[1].starts_with('`')) rows_[cells[1]] = {cells[3], cells[4]};
    }
}

void ResultTable::set(const Mutation& mutation, const Verdict& verdict) {
    rows_["`" + mutation.name + "`"] = {to_text(mutation, verdict),
                                        std::to_string(verdict.seconds)};
}

void ResultTable::save(const Catalogue& catalogue) const {
    std::string text = heading;
    if (!total_.empty()) text += total_mark + total_ + "\n\n";
    text += columns;
    for (const Mutation& one : catalogue.mutations) {
        const auto row = rows_.find("`" + one.name + "`");
        if (row == rows_.end()) continue;
        text += "| " + row->first + " | " + one.promise + " | " + row->second.result + " | " +
                row->second.seconds + " |\n";
    }
    write_file(file_, text);
}

}  // namespace pawl::mutations
