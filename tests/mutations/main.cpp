// make mutations: breaks one promise at a time in a scratch copy of the tree, and reports the test
// that noticed. First it runs the tests that the mutation names; if none fails, it runs the whole
// `make test` of the programs that were rebuilt. A thread for each processor, each with its own
// scratch copy.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "tests/mutations/mutation.hpp"
#include "tests/mutations/suite.hpp"
#include "tests/mutations/verdict.hpp"

namespace pawl::mutations {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Stamps = std::map<std::string, fs::file_time_type>;

struct Options {
    fs::path tree = fs::current_path();
    fs::path scratch;                // a folder: one copy of the tree for each thread
    int jobs = 2;                    // threads, each of which compiles one file at a time
    std::vector<std::string> cmake;  // -D...
    std::set<std::string> only;      // empty: all
    bool named_only = false;         // a first look: what survives the named tests is left there
    bool resume = false;  // the copies are built, and their tests have passed without mutations

    bool whole() const { return only.empty() && !named_only && !resume; }
};

long seconds_since(Clock::time_point began) {
    return std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began).count();
}

int complain(const std::string& what) {
    std::cerr << "make mutations: " << what << "\n";
    return 2;
}

Stamps stamps_of(const Suite& suite, const std::vector<CtestEntry>& entries) {
    Stamps stamps;
    std::error_code absent;
    stamps["pawl"] = fs::last_write_time(suite.program("pawl"), absent);
    for (const CtestEntry& one : entries) {
        stamps[one.target] = fs::last_write_time(suite.program(one.target), absent);
    }
    return stamps;
}

// Returns the mutations that the command line selects, or the error.
std::vector<Mutation> selected(const Catalogue& catalogue, const Options& options,
                               std::vector<std::string>& problems) {
    std::vector<Mutation> chosen;
    std::set<std::string> missing = options.only;
    for (const Mutation& one : catalogue.mutations) {
        missing.erase(one.name);
        if (!options.only.empty() && !options.only.contains(one.name)) continue;
        const auto flaws = problems_in_tree(one, options.tree);
        problems.insert(problems.end(), flaws.begin(), flaws.end());
        chosen.push_back(one);
    }
    for (const std::string& name : missing) problems.push_back("there is no mutation " + name);
    return chosen;
}

Verdict caught(const std::string& log, Clock::time_point began) {
    return {Verdict::Kind::caught, failed_test_in(log), seconds_since(began)};
}

// The tests that `make test` runs of the programs that the mutation changes.
Verdict judge_by_everything(const Suite& suite, const Mutation& mutation, Clock::time_point began) {
    suite.build({});  // without the mutation, so that the next build changes what it affects
    const auto entries = suite.entries();
    const Stamps before = stamps_of(suite, entries);
    const AppliedMutation applied(mutation, suite.root());
    if (!suite.build({})) return {Verdict::Kind::does_not_compile, "", seconds_since(began)};
    const Stamps after = stamps_of(suite, entries);
    const bool sql = std::any_of(mutation.edits.begin(), mutation.edits.end(),
                                 [](const Edit& one) { return one.file.ends_with(".sql"); });
    std::vector<CtestEntry> affected;
    for (const CtestEntry& one : entries) {
        const bool rebuilt = before.at(one.target) != after.at(one.target);
        const bool reads_sql = one.e2e || one.target == "pawl_integration";
        const bool starts_rebuilt = one.e2e && before.at("pawl") != after.at("pawl");
        if (rebuilt || starts_rebuilt || (sql && reads_sql)) affected.push_back(one);
    }
    if (!affected.empty()) {
        const auto log = suite.failure_of(suite.command_for(affected));
        if (log) return caught(*log, began);
    }
    return {Verdict::Kind::survived, "", seconds_since(began)};
}

Verdict judge(const Suite& suite, const Mutation& mutation, bool named_only) {
    const auto began = Clock::now();
    {
        std::vector<TestCommand> named;
        for (const std::string& spec : mutation.tests) named.push_back(*suite.command_for(spec));
        const AppliedMutation applied(mutation, suite.root());
        for (const TestCommand& command : named) {
            if (!suite.build(command.targets)) {
                return {Verdict::Kind::does_not_compile, "", seconds_since(began)};
            }
            if (const auto log = suite.failure_of(command)) return caught(*log, began);
        }
    }
    if (named_only) return {Verdict::Kind::survived_named, "", seconds_since(began)};
    return judge_by_everything(suite, mutation, began);
}

// 2026-01-31T12:00:00
std::string clock_text(long seconds_from_now) {
    return to_rfc3339(SystemClock().now() + std::chrono::seconds(seconds_from_now)).substr(0, 19);
}

// State that the threads share: the next mutation, the results so far, and the table.
class Progress {
  public:
    Progress(const Catalogue& catalogue, const std::vector<Mutation>& mutations, fs::path table)
        : catalogue_(catalogue), mutations_(mutations), table_(std::move(table)) {}

    const Mutation* next() {
        const std::size_t mine = next_++;
        return mine < mutations_.size() ? &mutations_[mine] : nullptr;
    }

    void note(const Suite& suite, const Mutation& mutation, const Verdict& verdict) {
        const std::lock_guard lock(mutex_);
        if (!acceptable(mutation, verdict)) ++failures_;
        table_.set(mutation, verdict);
        table_.save(catalogue_);
        ++done_;
        const long spent = seconds_since(began_);
        const auto left =
            spent * static_cast<long>(mutations_.size() - done_) / static_cast<long>(done_);
        std::cout << done_ << " of " << mutations_.size() << ", " << spent << " s, end about "
                  << clock_text(left) << " UTC: " << mutation.name << ": "
                  << to_text(mutation, verdict) << ", " << verdict.seconds << " s" << std::endl;
        if (verdict.kind == Verdict::Kind::caught) return;
        fs::copy_file(suite.log(), suite.log().replace_filename(mutation.name + ".log"),
                      fs::copy_options::overwrite_existing);
    }

    // The exit code: 0 if every mutation was noticed, or is explained.
    int sum_up(bool whole, Clock::time_point run_began) {
        const std::string total = std::to_string(mutations_.size()) + " mutations, " +
                                  std::to_string(failures_) + " not noticed, " +
                                  std::to_string(seconds_since(began_)) + " s";
        std::cout << total << std::endl;
        if (whole) {
            table_.set_total(total + "; " + std::to_string(seconds_since(run_began)) +
                             " s with the build and the tests without a mutation; ended " +
                             clock_text(0) + " UTC.");
            table_.save(catalogue_);
        }
        return failures_ == 0 ? 0 : 1;
    }

  private:
    const Catalogue& catalogue_;
    const std::vector<Mutation>& mutations_;
    const Clock::time_point began_ = Clock::now();
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    ResultTable table_;
    std::size_t done_ = 0;
    std::size_t failures_ = 0;
};

// Calls `work` for each number below `count`, each on a thread of its own.
template <class Work>
void at_once(std::size_t count, const Work& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
    for (std::thread& thread : threads) thread.join();
}

fs::path copy_number(const Options& options, std::size_t number) {
    return options.scratch / std::to_string(number);
}

// One after the other, with all processors: what the first compiles, ccache has for the next.
bool build_copies(const Options& options, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const Suite suite(copy_number(options, i), options.jobs);
        std::cout << "building the scratch copy in " << suite.root().string() << std::endl;
        if (suite.configure(options.cmake) && suite.build({})) continue;
        complain("the tree does not build without any mutation; see " + suite.log().string());
        return false;
    }
    return true;
}

// Without a mutation the named tests must exist and pass: else a failure would prove nothing.
bool baseline_holds(const std::vector<Suite>& suites, const std::vector<Mutation>& mutations) {
    std::set<std::string> specs;
    for (const Mutation& one : mutations) specs.insert(one.tests.begin(), one.tests.end());
    std::cout << "running the named tests without a mutation" << std::endl;
    std::mutex mutex;
    bool holds = true;
    at_once(suites.size(), [&](std::size_t i) {
        const auto failed = suites[i].failures_of(specs, i, suites.size());
        const std::lock_guard lock(mutex);
        for (const std::string& one : failed) complain(one);
        if (!failed.empty()) holds = false;
    });
    return holds;
}

int run(const Options& options) {
    const auto began = Clock::now();
    const Catalogue catalogue = load_catalogue(options.tree / "tests" / "mutations");
    std::vector<std::string> problems = catalogue.problems;
    const auto mutations = selected(catalogue, options, problems);
    for (const std::string& problem : problems) complain(problem);
    if (!problems.empty()) return 2;
    const std::size_t count = std::min(static_cast<std::size_t>(options.jobs),
                                       std::max<std::size_t>(1, mutations.size()));
    for (std::size_t i = 0; i < count; ++i) {
        if (copy_tree(options.tree, copy_number(options, i))) continue;
        return complain("git lists no files here; run it in a clone");
    }
    if (!options.resume && !build_copies(options, count)) return 2;
    std::vector<Suite> suites;
    for (std::size_t i = 0; i < count; ++i) {
        suites.emplace_back(copy_number(options, i), options.jobs / static_cast<int>(count));
    }
    if (!options.resume && !baseline_holds(suites, mutations)) return 2;
    Progress progress(catalogue, mutations, options.tree / "tests" / "mutations" / "RESULTS.md");
    at_once(count, [&](std::size_t i) {
        while (const Mutation* one = progress.next()) {
            progress.note(suites[i], *one, judge(suites[i], *one, options.named_only));
        }
    });
    return progress.sum_up(options.whole(), began);
}

}  // namespace
}  // namespace pawl::mutations

// pawl_mutations SCRATCH JOBS [-D...] [--named] [--resume] [NAME...], in the root of the tree.
int main(int argc, char** argv) {
    if (argc < 3) {
        return pawl::mutations::complain(
            "usage: pawl_mutations SCRATCH JOBS [-DCMAKE_OPTION...] [--named] [--resume] "
            "[MUTATION...]");
    }
    pawl::mutations::Options options;
    options.scratch = std::filesystem::absolute(argv[1]);
    options.jobs = std::max(1, std::atoi(argv[2]));
    for (int i = 3; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.starts_with("-D")) {
            options.cmake.push_back(argument);
        } else if (argument == "--named") {
            options.named_only = true;
        } else if (argument == "--resume") {
            options.resume = true;
        } else {
            options.only.insert(argument);
        }
    }
    return pawl::mutations::run(options);
}
