// A scratch copy of the tree, its build folder, and the tests of that build as ctest lists them.
// Runs programs through the shell, one at a time. One thread; several copies may work at once.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pawl::mutations {

// Makes `scratch` a copy of what git tracks or would track in `tree`. Files that did not change
// keep their time stamps, so that nothing is compiled without need.
bool copy_tree(const std::filesystem::path& tree, const std::filesystem::path& scratch);

struct CtestEntry {
    int number = 0;
    std::string name;
    std::string target;  // of the program that it runs
    bool e2e = false;    // starts other programs, too
};

// A command whose failure means that a mutation was noticed.
struct TestCommand {
    std::set<std::string> targets;
    std::string shell;
    int seconds_max = 0;  // one that still runs then hangs, and has failed; 0: no limit of its own
};

class Suite {
  public:
    Suite(std::filesystem::path scratch, int jobs);

    bool configure(const std::vector<std::string>& options) const;
    // Builds the targets; all if empty. Returns false if the build failed; the log has the errors.
    bool build(const std::set<std::string>& targets) const;

    std::vector<CtestEntry> entries(const std::string& regex = "") const;
    // Returns the command for "integration:FILTER", "unit:REGEX", "e2e:REGEX", "tidy:FILTER" or
    // "TARGET:FILTER"; nullopt if no test matches.
    std::optional<TestCommand> command_for(const std::string& spec) const;
    TestCommand command_for(const std::vector<CtestEntry>& entries) const;

    // Returns the command's output if it failed.
    std::optional<std::string> failure_of(const TestCommand& command) const;

    // Returns the faults of the named tests: the name is unknown, or the test fails. Runs the part
    // `share` of `shares`; each part has its own Suite.
    std::vector<std::string> failures_of(const std::set<std::string>& specs, std::size_t share,
                                         std::size_t shares) const;

    const std::filesystem::path& root() const { return scratch_; }
    std::filesystem::path program(const std::string& target) const { return build_ / target; }
    std::filesystem::path log() const { return scratch_ / "build" / "mutation.log"; }

  private:
    int run(const std::string& shell, int seconds_max = 0) const;  // into the log; its exit code

    std::filesystem::path scratch_;
    std::filesystem::path build_;
    int jobs_;
};

}  // namespace pawl::mutations
