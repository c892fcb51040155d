// Results of mutations: which test noticed, and the table that the documentation shows. A row is
// kept from the last run of its mutation. Plain values; one thread.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "tests/mutations/mutation.hpp"

namespace pawl::mutations {

// Ends the output of a command that was ended because it hung.
inline constexpr const char* timed_out_mark = "\ntimed out\n";

// The first failed test in the output of a GoogleTest program or of ctest.
std::string failed_test_in(const std::string& log);

struct Verdict {
    enum class Kind { caught, survived, survived_named, does_not_compile };
    Kind kind = Kind::survived;
    std::string by;  // caught: the test
    long seconds = 0;
};

// "caught by X", "survived", "survived its named tests", "without effect: why", "does not compile".
std::string to_text(const Mutation& mutation, const Verdict& verdict);

// A mutation that no test can notice may survive; every other verdict but `caught` is a failure.
bool acceptable(const Mutation& mutation, const Verdict& verdict);

class ResultTable {
  public:
    explicit ResultTable(std::filesystem::path file);  // reads the rows that are there

    void set(const Mutation& mutation, const Verdict& verdict);
    void set_total(std::string line) { total_ = std::move(line); }  // of the last run of all
    // In the catalogue's order; rows of deleted mutations are dropped.
    void save(const Catalogue& catalogue) const;

  private:
    struct Row {
        std::string result;
        std::string seconds;
    };
    std::filesystem::path file_;
    std::map<std::string, Row> rows_;
    std::string total_;
};

}  // namespace pawl::mutations
