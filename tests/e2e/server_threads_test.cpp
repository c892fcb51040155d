// The table of threads and sessions in ARCHITECTURE.md, held to a server at rest: readers of a
// stack trace or pg_stat_activity look names up there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "db/session.hpp"
#include "tests/e2e/server.hpp"

namespace pawl::testing {
namespace {

struct Row {
    std::string count;  // as it is written
    bool at_rest() const { return !count.starts_with("0"); }
};

struct Described {
    std::map<std::string, Row> threads;
    std::set<std::string> sessions;
};

std::vector<std::string> quoted_in(const std::string& cell) {
    std::vector<std::string> names;
    const std::regex quoted("`([^`]+)`");
    for (std::sregex_iterator it(cell.begin(), cell.end(), quoted), end; it != end; ++it) {
        names.push_back((*it)[1]);
    }
    return names;
}

// The rows of the table, which begin with a name: | `name` | how many | does | session |
Described described() {
    std::ifstream file(std::string(PAWL_SOURCE_DIR) + "/ARCHITECTURE.md");
    Described all;
    bool here = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("## ")) here = line == "## Threads";
        if (!here || !line.starts_with("| `")) continue;
        std::vector<std::string> cells;
        std::stringstream row(line);
        for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
        if (cells.size() < 4) continue;
        std::string count = cells[2].substr(1);
        for (const std::string& name : quoted_in(cells[1])) all.threads[name] = {count};
        if (cells.size() < 5) continue;
        for (const std::string& name : quoted_in(cells[4])) all.sessions.insert(name);
    }
    return all;
}

std::map<std::string, int> threads_of(pid_t pid) {
    std::map<std::string, int> threads;
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
        std::ifstream comm(task.path() / "comm");
        std::string name;
        std::getline(comm, name);
        ++threads[name];
    }
    return threads;
}

int number_in(const std::string& count) {
    const std::regex digits("[0-9]+");
    std::smatch found;
    return std::regex_search(count, found, digits) ? std::stoi(found[0]) : 0;
}

// Sorted by name, as "committer 2, drogon 1, ..."
std::string text_of(const std::map<std::string, int>& threads) {
    std::string text;
    for (const auto& [name, count] : threads) {
        text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
    }
    return text;
}

TEST(ServerThreads, AtRestAreThoseOfTheTableAndSoAreTheSessions) {
    const Described table = described();
    ASSERT_GT(table.threads.size(), 15U);
    std::map<std::string, int> expected;
    for (const auto& [name, row] : table.threads) {
        if (row.at_rest()) expected[name] = number_in(row.count);
    }
    const Folder folder;
    Server server{{.data_dir = folder / "data"}};
    server.start();
    std::map<std::string, int> there;
    const auto is_at_rest = [&] {
        there = threads_of(server.pid());
        std::erase_if(there, [&](const auto& one) {
            const auto row = table.threads.find(one.first);
            return row != table.threads.end() && !row->second.at_rest();
        });
        return there == expected;
    };
    EXPECT_TRUE(eventually(is_at_rest))
        << "there: " << text_of(there) << "\nin the table: " << text_of(expected);
    db::SessionOptions options;
    options.url = server.embedded_url();
    db::Session session(options);
    db::Transaction transaction(session);
    const db::Query named{"test_sessions",
                          "SELECT string_agg(DISTINCT substring(application_name FROM 6), ' ') "
                          "FROM pg_stat_activity WHERE application_name LIKE 'pawl/_%'"};
    std::stringstream names(transaction.run(named).value());
    std::size_t seen = 0;
    for (std::string name; names >> name; ++seen) {
        EXPECT_TRUE(table.sessions.contains(name)) << "a session pawl/" << name;
    }
    EXPECT_GE(seen, 5U);
}

}  // namespace
}  // namespace pawl::testing
