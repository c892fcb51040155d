// Every example that a --help shows, given to a shell as it stands. An example that calls a
// database or a listener elsewhere gets an address of this machine where nothing answers.
#include <map>
#include <optional>
#include <sstream>

#include "tests/e2e/config_case.hpp"

namespace pawl::testing {
namespace {

namespace fs = std::filesystem;

constexpr int done = 0, negative = 1, unreachable = 3;
constexpr std::optional<int> not_run = std::nullopt;

// Last text of the example's output. A command without an entry has no tested example.
const std::map<std::string, std::optional<int>> wanted = {
    {"demo", not_run},             // takes a minute
    {"sandbox", not_run},          // runs until it is stopped
    {"send", not_run},             // needs a server
    {"pay", not_run},              // needs a gateway
    {"canary", not_run},           // needs a server
    {"import", not_run},           // needs the file
    {"import captures", not_run},  // needs the file
    {"recover", negative},         // --end, and none is on
    {"serve", unreachable},
    {"doctor", unreachable},
    {"migrate", unreachable},
    {"inspect", done},
    {"lint", done},
    {"verify", done},
    {"token", done},
    {"token create", done},
    {"token list", done},
    {"token revoke", negative},  // no such token
    {"intents", done},
    {"intents list", done},
    {"intents show", negative},  // no such event, here and below
    {"intents retry", negative},
    {"intents release", negative},
    {"intents post", negative},
    {"intents assign", negative},
    {"intents dismiss", negative},
    {"attention", done},
    {"attention list", done},
    {"rejections", done},
    {"rejections list", done},
    {"providers", done},
    {"providers list", done},
    {"providers pause", done},
    {"providers resume", done},
    {"accounts", done},
    {"accounts list", done},
    {"accounts show", negative},  // no such account
    {"transfers", done},          // after `transfers post`, which makes its account
    {"transfers list", negative},
    {"transfers post", done},
    {"transfers reverse", negative},  // no such transfer, here and below
    {"transfers correct", negative},
    {"workflows", done},
    {"workflows list", done},
    {"workflows show", negative},  // no such run, here and below
    {"workflows resume", negative},
    {"workflows cancel", negative},
    {"workflows new-attempt", negative},
    {"workflows resolve", negative},
    {"jobs", done},
    {"jobs list", done},
    {"jobs show", negative},  // no such job, here and below
    {"jobs retry", negative},
    {"jobs discard", negative},
    {"audit", done},
    {"audit list", done},
};

class ConfigExamples : public ConfigProgram {
  protected:
    void SetUp() override {
        ConfigProgram::SetUp();
        fs::create_directory(folder_ / "bin");
        fs::create_symlink(PAWL_PROGRAM, folder_ / "bin/pawl");
        ASSERT_EQ(run("migrate").code, done);  // what the other examples are about
    }
    std::string help_of(const std::string& command) const { return run(command + " --help").said; }
    static std::vector<std::string> commands_in(const std::string& help) {
        std::istringstream lines(help.substr(std::min(help.size(), help.find("Subcommands:"))));
        std::vector<std::string> names;
        std::string line;
        std::getline(lines, line);
        while (std::getline(lines, line) && line.starts_with("  ")) {
            if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
        }
        return names;
    }
    static std::string here(std::string example) {
        for (const auto& [there, instead] :
             {std::pair("@db/", "@127.0.0.1:1/"), std::pair("0.0.0.0:8080", "127.0.0.1:18080"),
              std::pair("/etc/pawl", "config")}) {
            const std::size_t at = example.find(there);
            if (at != std::string::npos) example.replace(at, std::string(there).size(), instead);
        }
        return example;
    }
    void check(const std::string& command) const {
        const std::string help = help_of(command);
        for (const std::string& sub : commands_in(help)) check(command + " " + sub);
        const std::size_t at = help.find("Example: ");
        ASSERT_NE(at, std::string::npos) << command << " has no example";
        ASSERT_TRUE(wanted.contains(command)) << "say what the example of " << command << " does";
        const auto code = wanted.at(command);
        if (!code) return;
        std::string setting = "export PATH=" + (folder_ / "bin").string() + ":$PATH";
        setting += " PAWL_ADMIN_LISTEN=127.0.0.1:18081";
        // The example of `inspect` is signed with the published secret, which others refuse.
        if (command != "inspect") setting += " PAWL_DEMO_SECRET=whsec_AAECAwQFBgcICQoLDA0ODxAREhMU";
        const Ended ended = shell(setting + "\n" + here(help.substr(at + 9)));
        EXPECT_EQ(ended.code, *code) << help.substr(at) << ended.said;
    }
};

TEST_F(ConfigExamples, EveryCommandHasOneThatWorks) {
    const auto commands = commands_in(help_of(""));
    EXPECT_GE(commands.size(), 12U);
    for (const std::string& command : commands) check(command);
}

}  // namespace
}  // namespace pawl::testing
