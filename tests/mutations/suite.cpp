#include "tests/mutations/suite.hpp"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/mutations/mutation.hpp"
#include "tests/mutations/verdict.hpp"

namespace pawl::mutations {
namespace {

namespace fs = std::filesystem;

// Longer than the named tests of any mutation take on a busy machine: what still runs then hangs.
constexpr int named_seconds_max = 300;
constexpr int timeout_exit_code = 124;  // of timeout(1)

std::string quoted(const std::string& text) {
    std::string safe = "'";
    for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return safe + "'";
}

std::string output_of(const std::string& shell) {
    std::string output;
    FILE* pipe = popen(shell.c_str(), "r");
    if (pipe == nullptr) return output;
    char buffer[4096];
    for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
        output.append(buffer, got);
    }
    pclose(pipe);
    return output;
}

bool same_text(const fs::path& a, const fs::path& b) {
    std::error_code absent;
    return fs::is_regular_file(b, absent) && fs::file_size(a) == fs::file_size(b) &&
           read_file(a) == read_file(b);
}

void remove_strangers(const fs::path& scratch, const std::set<std::string>& known) {
    std::vector<fs::path> strangers;
    for (auto at = fs::recursive_directory_iterator(scratch);
         at != fs::recursive_directory_iterator(); ++at) {
        const std::string path = at->path().lexically_relative(scratch).generic_string();
        if (path == "build" || path == "node_modules") {
            at.disable_recursion_pending();
        } else if (!at->is_directory() && !known.contains(path)) {
            strangers.push_back(at->path());
        }
    }
    for (const fs::path& one : strangers) fs::remove(one);
}

bool is_of_ctest(const std::string& kind) {
    return kind == "unit" || kind == "e2e";
}

// `ctest -N -V` prints "7: Test command: PROGRAM ARGUMENTS", "Labels: e2e", "  Test  #7: NAME".
std::vector<CtestEntry> entries_in(const std::string& listing) {
    std::vector<CtestEntry> entries;
    CtestEntry next;
    std::istringstream in(listing);
    for (std::string line; std::getline(in, line);) {
        const std::string command = ": Test command: ";
        if (const auto at = line.find(command); at != std::string::npos) {
            const std::string program = line.substr(at + command.size());
            next.target = fs::path(program.substr(0, program.find(' '))).filename().string();
        } else if (line.starts_with("Labels: ")) {
            next.e2e = line.find("e2e") != std::string::npos;
        } else if (const auto hash = line.find(" #"); line.starts_with("  Test ")) {
            next.number = std::atoi(line.c_str() + hash + 2);
            next.name = line.substr(line.find(": ") + 2);
            entries.push_back(std::exchange(next, {}));
        }
    }
    return entries;
}

}  // namespace

bool copy_tree(const fs::path& tree, const fs::path& scratch) {
    fs::create_directories(scratch);
    const std::string listing =
        output_of("git -C " + quoted(tree) + " ls-files -z --cached --others --exclude-standard");
    std::set<std::string> known;
    std::istringstream in(listing);
    for (std::string path; std::getline(in, path, '\0');) {
        if (!fs::is_regular_file(tree / path)) continue;
        known.insert(path);
        if (same_text(tree / path, scratch / path)) continue;
        fs::create_directories((scratch / path).parent_path());
        fs::copy_file(tree / path, scratch / path, fs::copy_options::overwrite_existing);
        // The copy is newer than what was compiled from the text before, whatever that was.
        fs::last_write_time(scratch / path, fs::file_time_type::clock::now());
    }
    if (known.empty()) return false;
    remove_strangers(scratch, known);
    if (fs::exists(tree / "node_modules") && !fs::exists(scratch / "node_modules")) {
        fs::create_directory_symlink(tree / "node_modules", scratch / "node_modules");
    }
    return true;
}

Suite::Suite(fs::path scratch, int jobs)
    : scratch_(std::move(scratch)), build_(scratch_ / "build" / "dev"), jobs_(jobs) {
    fs::create_directories(build_);
}

int Suite::run(const std::string& shell, int seconds_max) const {
    const std::string whole = "cd " + quoted(scratch_) + " && timeout --kill-after=10 " +
                              std::to_string(seconds_max) + " sh -c " + quoted(shell) + " >" +
                              quoted(log()) + " 2>&1";
    const int status = std::system(whole.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

bool Suite::configure(const std::vector<std::string>& options) const {
    std::string shell = "cmake --preset dev --log-level=WARNING -DPAWL_SQL_AT_RUN_TIME=ON";
    // Most of the time of a build is that of linking one large program.
    if (std::system("command -v mold >/dev/null") == 0) {
        shell += " -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold";
    }
    for (const std::string& option : options) shell += " " + quoted(option);
    return run(shell) == 0;
}

bool Suite::build(const std::set<std::string>& targets) const {
    std::string shell = "cmake --build --preset dev --parallel " + std::to_string(jobs_);
    if (!targets.empty()) shell += " --target";
    for (const std::string& target : targets) shell += " " + quoted(target);
    return run(shell) == 0;
}

std::vector<CtestEntry> Suite::entries(const std::string& regex) const {
    std::string shell = "ctest --test-dir " + quoted(build_) + " -N -V";
    if (!regex.empty()) shell += " -R " + quoted(regex);
    return entries_in(output_of(shell + " 2>&1"));
}

std::optional<TestCommand> Suite::command_for(const std::string& spec) const {
    const std::string kind = spec.substr(0, spec.find(':'));
    const std::string filter = spec.substr(spec.find(':') + 1);
    if (is_of_ctest(kind)) {
        const auto found = entries(filter);
        return found.empty() ? std::nullopt : std::optional(command_for(found));
    }
    const bool alias = kind == "integration" || kind == "tidy";
    const std::string target = alias ? "pawl_" + kind : kind;
    const std::string run = quoted(program(target)) + " --gtest_filter=" + quoted(filter);
    const std::string listed = output_of(run + " --gtest_list_tests 2>&1");
    if (listed.find("\n  ") == std::string::npos) return std::nullopt;
    return TestCommand{{target}, run + " --gtest_fail_fast", named_seconds_max};
}

TestCommand Suite::command_for(const std::vector<CtestEntry>& entries) const {
    TestCommand command;
    std::string numbers = "0,0,0";
    for (const CtestEntry& one : entries) {
        command.targets.insert(one.target);
        numbers += "," + std::to_string(one.number);
    }
    command.shell = "ctest --test-dir " + quoted(build_) + " -I " + numbers +
                    " --output-on-failure --stop-on-failure --no-tests=error -j " +
                    std::to_string(jobs_);
    return command;
}

std::optional<std::string> Suite::failure_of(const TestCommand& command) const {
    const int code = run(command.shell, command.seconds_max);
    if (code == 0) return std::nullopt;
    return read_file(log()) + (code == timeout_exit_code ? timed_out_mark : "");
}

// All tests of one kind are run together, which costs one start of their program.
std::vector<std::string> Suite::failures_of(const std::set<std::string>& specs, std::size_t share,
                                            std::size_t shares) const {
    std::vector<std::string> failed;
    std::map<std::string, std::string> filters;  // by kind
    for (const std::string& spec : specs) {
        if (!command_for(spec)) {
            failed.push_back(spec + " names no test of this build; correct the filter");
            continue;
        }
        const std::string kind = spec.substr(0, spec.find(':'));
        std::string& all = filters[kind];
        all += (all.empty() ? "" : is_of_ctest(kind) ? "|" : ":") + spec.substr(kind.size() + 1);
    }
    for (const auto& [kind, filter] : filters) {
        TestCommand command = *command_for(kind + ":" + filter);
        command.seconds_max = 0;
        if (!is_of_ctest(kind)) {
            command.shell = "GTEST_TOTAL_SHARDS=" + std::to_string(shares) +
                            " GTEST_SHARD_INDEX=" + std::to_string(share) + " " + command.shell;
        } else if (share != 0) {
            continue;
        }
        const auto log = failure_of(command);
        if (log) failed.push_back(failed_test_in(*log) + " fails without any mutation; mend it");
    }
    return failed;
}

}  // namespace pawl::mutations
