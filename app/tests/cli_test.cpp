// Wrong usage ends in 2 with one sentence; help ends in 0.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "app/cli.hpp"
#include "app/roles.hpp"

namespace pawl::app {
namespace {

struct Said {
    int code;
    std::string error;
};

Said run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "pawl");
    std::FILE* const out = std::tmpfile();
    std::FILE* const err = std::tmpfile();
    Context context;
    context.out = Terminal(out, false, false);
    context.err = Terminal(err, false, false);
    Said said{run_cli(static_cast<int>(arguments.size()), arguments.data(), context), {}};
    std::rewind(err);
    std::array<char, 4096> text{};
    said.error.assign(text.data(), std::fread(text.data(), 1, text.size(), err));
    std::fclose(out);
    std::fclose(err);
    return said;
}

TEST(Cli, WrongUsageIsOneSentenceAnd2) {
    const std::array<std::pair<std::vector<const char*>, std::string>, 16> cases{{
        {{"lnit"}, "pawl: `pawl`: unknown argument \"lnit\"; did you mean \"lint\"?\n"},
        {{"lint", "--jsno"},
         "pawl: `pawl lint`: unknown option \"--jsno\"; did you mean \"--json\"?\n"},
        {{"lint", "more"},
         "pawl: `pawl lint`: unknown argument \"more\"; see `pawl lint --help`\n"},
        {{"intents", "retry", "demo", "evt_1", "--reason", " "},
         "pawl: reason: invalid (\" \"); write text that is not only blanks; it goes into the "
         "audit log\n"},
        {{"intents", "retry", "demo", "evt_1"},
         "pawl: --reason is required; see `pawl intents retry --help`\n"},
        {{"intents", "list", "--status", "nonsense"},
         "pawl: status: invalid (\"nonsense\"); write one of pending, done, parked, "
         "quarantined\n"},
        {{"jobs", "--limit", "501"},
         "pawl: limit: invalid (\"501\"); write a whole number from 1 to 500\n"},
        {{"jobs", "list", "--limit", "501"},
         "pawl: limit: invalid (\"501\"); write a whole number from 1 to 500\n"},
        {{"jobs", "show", "1", "--limit", "5"},
         "pawl: The following argument was not expected: --limit; see `pawl jobs show --help`\n"},
        {{"transfers", "post", "T-1", "--debit-account", "a", "--credit-account", "b", "--amount",
          "5.00", "--currency", "USD", "--reason", "x"},
         "pawl: amount: invalid (\"5.00\"); write a whole number of minor units, at least 1: 5000 "
         "is 50.00 USD\n"},
        {{"transfers", "post", "T-1", "--debit-account", "a", "--credit-account", "b", "--amount",
          "-5", "--currency", "USD", "--reason", "x"},
         "pawl: amount: invalid (\"-5\"); write a whole number of minor units, at least 1: 5000 is "
         "50.00 USD\n"},
        {{"send", "demo", "--rate", "-1"},
         "pawl: --rate: invalid (\"-1\"); write a number above 0; see `pawl send --help`\n"},
        {{"send", "demo", "--count", "0"},
         "pawl: --count: invalid (\"0\"); write a number from 1 to 50000000; see `pawl send "
         "--help`\n"},
        {{"migrate", "down"},
         "pawl: action: unknown (\"down\"); write one of up, status, check, sql; see `pawl migrate "
         "--help`\n"},
        {{"intents", "show", "demo", "\xff"},
         "pawl: argument 4 (\"\\u00ff\") is not UTF-8 text; write it in UTF-8\n"},
        {{"--frobnicate"}, "pawl: `pawl`: unknown option \"--frobnicate\"; see `pawl --help`\n"},
    }};
    for (const auto& [arguments, sentence] : cases) {
        const Said said = run(arguments);
        EXPECT_EQ(said.code, 2);
        EXPECT_EQ(said.error, sentence);
    }
}

TEST(Cli, NoCommandShowsTheMenu) {
    const Said said = run({});
    EXPECT_EQ(said.code, 2);
    EXPECT_NE(said.error.find("lint"), std::string::npos);
}

TEST(Cli, EveryCommandHasHelpWithAnExample) {
    for (const char* command : {"lint", "doctor"}) {
        testing::internal::CaptureStdout();
        EXPECT_EQ(run({command, "--help"}).code, 0);
        EXPECT_NE(testing::internal::GetCapturedStdout().find("Example: "), std::string::npos);
    }
}

TEST(Cli, AFolderThatIsNotThereEndsLintWith2) {
    EXPECT_EQ(run({"lint", "--config", "/nowhere"}).code, 2);
    EXPECT_EQ(run({"--config", "/nowhere", "lint", "--json"}).code, 2);
}

TEST(Cli, TheVersionNamesTheLibraries) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(run({"--version"}).code, 0);
    const std::string said = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(said.starts_with("pawl ")) << said;
    for (const char* library : {"trantor ", "drogon ", "libpqxx ", "cpr "}) {
        EXPECT_NE(said.find(library), std::string::npos) << said;
    }
}

TEST(Cli, ServeHelpNamesEveryRole) {
    testing::internal::CaptureStdout();
    run({"serve", "--help"});
    const std::string help = testing::internal::GetCapturedStdout();
    for (const char* role : {"receive", "work", "enqueue", "admin"}) {
        EXPECT_NE(help.find(role), std::string::npos) << role;
        EXPECT_TRUE(parse_roles(role)) << role;
    }
}

TEST(Cli, EachKindOfErrorHasItsExitCode) {
    EXPECT_EQ(exit_code(ErrorKind::refused), 1);
    EXPECT_EQ(exit_code(ErrorKind::invalid), 2);
    EXPECT_EQ(exit_code(ErrorKind::unreachable), 3);
    EXPECT_EQ(exit_code(ErrorKind::internal), 3);
}

}  // namespace
}  // namespace pawl::app
