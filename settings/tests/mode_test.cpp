// The mode that an installation serves, and providers that are off until their secret is there.
#include <gtest/gtest.h>

#include "settings/tests/config_folder.hpp"

namespace pawl::app::test {
namespace {

TEST(Mode, IsLiveUnlessTheFileTheVariableOrDevelopmentSaysOtherwise) {
    const struct {
        const char* name;
        const char* file;
        const char* variable;
        bool dev;
        Mode mode;
    } cases[] = {
        {"by itself", "", "", false, Mode::live},
        {"the file", "mode = \"test\"", "", false, Mode::test},
        {"the variable over the file", "mode = \"test\"", "live", false, Mode::live},
        {"the variable alone", "", "test", false, Mode::test},
        {"development", "", "", true, Mode::test},
        {"development over the file", "mode = \"live\"", "", true, Mode::test},
        {"the variable over development", "", "live", true, Mode::live},
    };
    for (const auto& one : cases) {
        ConfigFolder folder;
        folder.write("pawl.toml", std::string("[server]\n") + one.file + "\n");
        folder.variables["PAWL_MODE"] = one.variable;
        const Loaded loaded = folder.load(one.dev);
        ASSERT_TRUE(loaded.ok()) << one.name;
        EXPECT_EQ(loaded.settings.server.mode, one.mode) << one.name;
        EXPECT_EQ(loaded.settings.providers.at(0).config.mode, one.mode) << one.name;
    }
}

TEST(Mode, AnotherWordIsRefused) {
    ConfigFolder folder;
    folder.variables["PAWL_MODE"] = "production";
    EXPECT_EQ(folder.errors(), "PAWL_MODE: \"production\" is not a mode; write live or test");
    folder.variables.clear();
    folder.variables["DEMO_SECRET"] = "whsec_c29tZSBzZWNyZXQgb2YgdGhlIHRlc3QncyBvd24=";
    folder.write("pawl.toml", "[server]\nmode = \"tests\"\n");
    EXPECT_EQ(folder.errors(),
              "pawl.toml:2:1: \"mode\" in [server] is \"tests\", which is not known; did you mean "
              "\"test\"?");
}

TEST(Mode, AGatewayKeyOfTheOtherModeIsRefused) {
    const struct {
        const char* key;
        const char* mode;
        const char* says;
    } cases[] = {
        {"sk_live_1", "live", ""},
        {"sk_test_1", "test", ""},
        {"shows nothing", "live", ""},
        {"shows nothing", "test", ""},
        {"sk_test_1", "live", "has a key of test mode, and live mode is served"},
        {"rk_test_1", "live", "has a key of test mode, and live mode is served"},
        {"sk_live_1", "test", "has a key of live mode, and test mode is served"},
        {"rk_live_1", "test", "has a key of live mode, and test mode is served"},
    };
    for (const auto& one : cases) {
        ConfigFolder folder;
        folder.variables["PAWL_MODE"] = one.mode;
        folder.variables["KEY"] = one.key;
        folder.write("gateways/stripe.toml",
                     "name = \"stripe\"\nkind = \"stripe\"\nbase_url = \"https://api.stripe.com\"\n"
                     "api_key = \"${env:KEY}\"\nkey_horizon = \"24h\"\n");
        folder.variables["STRIPE_SECRET"] = "whsec_of_a_test";
        folder.write("providers/stripe.toml", stripe_provider);
        const std::string said = folder.linted(Severity::error);
        EXPECT_EQ(said.empty(), std::string(one.says).empty()) << one.key << ": " << said;
        EXPECT_NE(said.find(one.says), std::string::npos) << one.key << ": " << said;
        EXPECT_EQ(said.find(one.key), std::string::npos) << "it prints the key";
        const bool placed = said.starts_with("gateways/stripe.toml:4:1: ");
        EXPECT_EQ(placed, !said.empty()) << said;
    }
}

TEST(Mode, AnEventSaysItsModeWhereTheFileSaysSo) {
    const ConfigFolder folder;
    folder.spoil("[read]\n", "[read]\nlive = {\"/livemode\" = [\"true\"]}\n");
    const Loaded loaded = folder.load();
    ASSERT_TRUE(loaded.ok()) << folder.errors();
    const providers::Conditions wanted = {{"/livemode", {"true"}}};
    EXPECT_EQ(loaded.settings.providers.at(0).config.read.live, wanted);
}

LoadOptions shipped(std::map<std::string, std::string> variables) {
    LoadOptions options;
    options.folder = PAWL_SOURCE_DIR "/config";
    options.variables = [variables](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    return options;
}

std::string served(const Settings& settings) {
    std::string names;
    for (const ProviderFile& file : settings.providers) {
        if (file.on) names += file.config.name + " ";
    }
    for (const GatewayFile& file : settings.gateways) {
        if (file.on) names += "gateway:" + file.name + " ";
    }
    return names;
}

TEST(Off, AShippedFileWithoutItsSecretIsOffAndNoError) {
    const Loaded none = load(shipped({}));
    EXPECT_EQ(error_lines(none.findings), "");
    EXPECT_FALSE(has_errors(lint(none.settings)));
    EXPECT_EQ(served(none.settings), "");
    for (const ProviderFile& file : none.settings.providers) {
        EXPECT_TRUE(file.missing) << file.file;
        EXPECT_NE(file.off_because, "") << file.file;
    }

    const Loaded stripe = load(shipped({{"STRIPE_WEBHOOK_SECRET", "whsec_of_this_test"}}));
    EXPECT_EQ(error_lines(stripe.findings), "");
    EXPECT_FALSE(has_errors(lint(stripe.settings)));
    EXPECT_EQ(served(stripe.settings), "stripe ");
}

TEST(Off, ComposeDemandsTheDatabasePasswordsAndNoSecretOfAProvider) {
    std::ifstream file(PAWL_SOURCE_DIR "/compose.yaml");
    for (std::string line; std::getline(file, line);) {
        if (line.find(":?") == std::string::npos) continue;
        EXPECT_TRUE(line.find("${PAWL_DB_PASSWORD:?") != std::string::npos ||
                    line.find("${PAWL_DB_MIGRATE_PASSWORD:?") != std::string::npos)
            << line;
    }
}

TEST(Off, DevelopmentServesTheDemoAndTheSandbox) {
    LoadOptions options = shipped({});
    options.dev = true;
    const Loaded loaded = load(options);
    EXPECT_EQ(error_lines(loaded.findings), "");
    EXPECT_FALSE(has_errors(lint(loaded.settings)));
    EXPECT_EQ(served(loaded.settings), "demo sandbox gateway:sandbox ");
}

// The sandbox's key is one of test mode.
TEST(Off, DevelopmentInLiveModeCallsNoSandbox) {
    LoadOptions options = shipped({{"PAWL_MODE", "live"}});
    options.dev = true;
    const Loaded loaded = load(options);
    EXPECT_EQ(error_lines(loaded.findings), "");
    EXPECT_FALSE(has_errors(lint(loaded.settings)));
    EXPECT_EQ(served(loaded.settings), "demo sandbox ");
}

}  // namespace
}  // namespace pawl::app::test
