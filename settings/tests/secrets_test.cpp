// Where secrets come from, which ones are refused, and that none is ever printed.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "settings/tests/config_folder.hpp"
#include "settings/well_known.hpp"

namespace pawl::app::test {
namespace {

TEST(Secrets, AFileLosesItsLastNewlineAndNothingElse) {
    const ConfigFolder folder;
    folder.write("demo.key", "  two words \n\n");
    ::chmod((folder.path() / "demo.key").c_str(), 0600);
    folder.spoil("${env:DEMO_SECRET}", "${file:demo.key}");
    const Loaded loaded = folder.load();
    ASSERT_TRUE(loaded.ok()) << folder.errors();
    EXPECT_EQ(loaded.settings.providers.at(0).config.secrets.at(0), "  two words \n");
    EXPECT_TRUE(loaded.findings.empty());
}

TEST(Secrets, AWorldReadableFileIsAWarning) {
    const ConfigFolder folder;
    folder.write("demo.key", "some secret\n");
    ::chmod((folder.path() / "demo.key").c_str(), 0644);
    folder.spoil("${env:DEMO_SECRET}", "${file:demo.key}");
    EXPECT_EQ(
        folder.sentences(folder.load().findings, Severity::warning),
        "providers/demo.toml:3:1: demo.key is readable by every user of this machine; chmod 600 "
        "demo.key");
}

TEST(Secrets, AnEmptyVariableIsAsGoodAsNone) {
    ConfigFolder folder;
    folder.variables["DEMO_SECRET"] = "";
    EXPECT_EQ(folder.errors(),
              "providers/demo.toml:3:1: \"secrets\" has no value: variable DEMO_SECRET is empty; "
              "set DEMO_SECRET in the environment");
}

TEST(Secrets, PartOfATextMayComeFromOutside) {
    ConfigFolder folder;
    folder.variables["KEY"] = "sk_live";
    folder.spoil("[read]", "url = \"https://x.example/${env:KEY}\"\n[read]");
    const Loaded loaded = folder.load();
    ASSERT_TRUE(loaded.ok()) << folder.errors();
    EXPECT_EQ(loaded.settings.providers.at(0).config.url, "https://x.example/sk_live");
}

TEST(Secrets, PublishedOnesAreRefusedWhereverTheyComeFrom) {
    ConfigFolder folder;
    folder.variables["DEMO_SECRET"] = std::string(demo_secret);
    const std::string says =
        "providers/demo.toml:3:1: provider \"demo\" uses a secret published in Pawl's own demo "
        "(every sender could sign with it); use the secret that the provider made for you, or "
        "start "
        "with --dev";
    EXPECT_EQ(folder.errors(), says);
    EXPECT_EQ(folder.errors(true), "");
    folder.spoil("${env:DEMO_SECRET}", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    EXPECT_NE(folder.errors().find("published in the Standard Webhooks documentation"),
              std::string::npos);
}

TEST(Secrets, DevelopmentSuppliesTheDemoSecretAndNoOther) {
    const ConfigFolder folder;
    folder.spoil("DEMO_SECRET", "PAWL_DEMO_SECRET");
    EXPECT_EQ(folder.errors(),
              "providers/demo.toml:3:1: \"secrets\" has no value: variable PAWL_DEMO_SECRET is not "
              "set; set PAWL_DEMO_SECRET, or try things out with --dev");
    const Loaded loaded = folder.load(true);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(loaded.settings.providers.at(0).config.secrets.at(0), demo_secret);
}

TEST(Secrets, AProviderMayBeOffUntilItsSecretsAreThere) {
    ConfigFolder folder;
    folder.spoil("retention", "enabled = \"if_secrets\"\nretention");
    EXPECT_TRUE(folder.load().settings.providers.at(0).on);
    folder.variables.clear();
    const Loaded loaded = folder.load();
    EXPECT_TRUE(loaded.ok());
    EXPECT_FALSE(loaded.settings.providers.at(0).on);
}

TEST(Secrets, NoFindingPrintsOne) {
    ConfigFolder folder;
    folder.variables["DEMO_SECRET"] = "hunter2hunter2";
    folder.write("pawl.toml",
                 "[server]\nlisten = \"${env:DEMO_SECRET}\"\n[log]\nlevel = "
                 "\"${env:DEMO_SECRET}\"\n");
    folder.spoil("\"/amount\"", "\"${env:DEMO_SECRET}\"");
    const Loaded loaded = folder.load();
    Findings all = loaded.findings;
    for (const Finding& finding : lint(loaded.settings)) all.push_back(finding);
    for (const Finding& finding : all) {
        EXPECT_EQ(sentence(finding).find("hunter2"), std::string::npos) << sentence(finding);
    }
}

}  // namespace
}  // namespace pawl::app::test
