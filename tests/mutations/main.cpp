// make mutations: breaks one promise at a time in a scratch copy of the tree, and reports which
// test noticed. First the tests that the mutation names; if none fails, everything that `make test`
// runs of the programs that were built anew. One thread; the scratch copy belongs to it.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>

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
    fs::path scratch;
    int jobs = 2;
    std::vector<std::string> cmake;  // -D...
    std::set<std::string> only;      // empty: all
    bool named_only = false;         // a first look: what survives the named tests is left there
    bool resume = false;  // the scratch copy is built, and its tests have passed without mutations
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

// Everything in the catalogue that the command line asks for; or what is wrong.
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

// Without a mutation the named tests must exist and pass: else a failure would prove nothing. All
// of one kind are run together, which costs one start of their program.
bool baseline_holds(const Suite& suite, const std::vector<Mutation>& mutations) {
    std::set<std::string> specs;
    for (const Mutation& one : mutations) specs.insert(one.tests.begin(), one.tests.end());
    bool holds = true;
    std::map<std::string, std::string> filters;  // by kind
    for (const std::string& spec : specs) {
        if (!suite.command_for(spec)) {
            complain(spec + " names no test of this build; correct the filter");
            holds = false;
            continue;
        }
        const std::string kind = spec.substr(0, spec.find(':'));
        const bool regex = kind == "unit" || kind == "e2e";
        std::string& all = filters[kind];
        all += (all.empty() ? "" : regex ? "|" : ":") + spec.substr(kind.size() + 1);
    }
    for (const auto& [kind, filter] : filters) {
        const auto log = suite.failure_of(*suite.command_for(kind + ":" + filter));
        if (!log) continue;
        complain(failed_test_in(*log) + " fails without any mutation; mend it first");
        holds = false;
    }
    return holds;
}

Verdict caught(const std::string& log, Clock::time_point began) {
    return {Verdict::Kind::caught, failed_test_in(log), seconds_since(began)};
}

// The tests that `make test` runs of the programs that the mutation changes.
Verdict judge_by_everything(const Suite& suite, const Mutation& mutation, const Options& options,
                            Clock::time_point began) {
    suite.build({});  // without the mutation, so that the next build changes what it affects
    const auto entries = suite.entries();
    const Stamps before = stamps_of(suite, entries);
    const AppliedMutation applied(mutation, options.scratch);
    if (!suite.build({})) return {Verdict::Kind::does_not_compile, "", seconds_since(began)};
    const Stamps after = stamps_of(suite, entries);
    std::vector<CtestEntry> affected;
    for (const CtestEntry& one : entries) {
        const bool rebuilt = before.at(one.target) != after.at(one.target);
        if (rebuilt || (one.e2e && before.at("pawl") != after.at("pawl"))) affected.push_back(one);
    }
    if (!affected.empty()) {
        const auto log = suite.failure_of(suite.command_for(affected));
        if (log) return caught(*log, began);
    }
    return {Verdict::Kind::survived, "", seconds_since(began)};
}

Verdict judge(const Suite& suite, const Mutation& mutation, const Options& options) {
    const auto began = Clock::now();
    {
        std::vector<TestCommand> named;
        for (const std::string& spec : mutation.tests) named.push_back(*suite.command_for(spec));
        const AppliedMutation applied(mutation, options.scratch);
        for (const TestCommand& command : named) {
            if (!suite.build(command.targets)) {
                return {Verdict::Kind::does_not_compile, "", seconds_since(began)};
            }
            if (const auto log = suite.failure_of(command)) return caught(*log, began);
        }
    }
    if (options.named_only) return {Verdict::Kind::survived_named, "", seconds_since(began)};
    return judge_by_everything(suite, mutation, options, began);
}

// The exit code: 0 if every mutation was noticed, or is explained.
int judge_all(const Suite& suite, const Catalogue& catalogue,
              const std::vector<Mutation>& mutations, const Options& options) {
    const auto began = Clock::now();
    ResultTable table(options.tree / "tests" / "mutations" / "RESULTS.md");
    std::size_t failures = 0;
    for (const Mutation& one : mutations) {
        const Verdict verdict = judge(suite, one, options);
        if (!acceptable(one, verdict)) ++failures;
        table.set(one, verdict);
        table.save(catalogue);
        std::cout << one.name << ": " << to_text(one, verdict) << ", " << verdict.seconds << " s"
                  << std::endl;
        if (verdict.kind == Verdict::Kind::caught) continue;
        const auto kept = options.scratch / "build" / (one.name + ".log");
        fs::copy_file(suite.log(), kept, fs::copy_options::overwrite_existing);
    }
    std::cout << mutations.size() << " mutations, " << failures << " not noticed, "
              << seconds_since(began) << " s\n";
    return failures == 0 ? 0 : 1;
}

int run(const Options& options) {
    const Catalogue catalogue = load_catalogue(options.tree / "tests" / "mutations");
    std::vector<std::string> problems = catalogue.problems;
    const auto mutations = selected(catalogue, options, problems);
    for (const std::string& problem : problems) complain(problem);
    if (!problems.empty()) return 2;
    const Suite suite(options.scratch, options.jobs);
    if (options.resume) return judge_all(suite, catalogue, mutations, options);
    if (!copy_tree(options.tree, options.scratch)) {
        return complain("git lists no files here; run it in a clone");
    }
    std::cout << "building the scratch copy in " << options.scratch.string() << std::endl;
    if (!suite.configure(options.cmake) || !suite.build({})) {
        return complain("the tree does not build without any mutation; see " +
                        suite.log().string());
    }
    if (!baseline_holds(suite, mutations)) return 2;
    return judge_all(suite, catalogue, mutations, options);
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
