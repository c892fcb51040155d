// Each wrong provider file ends in one sentence that names file, line, fault and remedy.
#include <gtest/gtest.h>

#include "settings/tests/config_folder.hpp"

namespace pawl::app::test {
namespace {

struct WrongFile {
    const char* name;
    const char* from;
    const char* to;
    const char* says;
};

class WrongProviderFile : public testing::TestWithParam<WrongFile> {};

TEST_P(WrongProviderFile, IsOneSentence) {
    const ConfigFolder folder;
    folder.spoil(GetParam().from, GetParam().to);
    EXPECT_EQ(folder.errors(), GetParam().says);
}

const WrongFile top_level[] = {
    {"unknown_key", "retention", "retension",
     "providers/demo.toml:5:1: unknown key \"retension\"; did you mean \"retention\"?"},
    {"unknown_key_that_nothing_resembles", "retention = \"forever\"", "colour = \"blue\"",
     "providers/demo.toml:5:1: unknown key \"colour\"; known are name, books, captures, enabled, "
     "scheme, secrets, retry_window, retention, in_progress, ack, url, webhook_id, roots, "
     "public_key, "
     "read, rule, fetch"},
    {"missing_secret", "DEMO_SECRET", "OTHER_SECRET",
     "providers/demo.toml:3:1: \"secrets\" has no value: variable OTHER_SECRET is not set; set "
     "OTHER_SECRET in the environment"},
    {"no_secrets", "secrets = [\"${env:DEMO_SECRET}\"]\n", "",
     "providers/demo.toml: \"secrets\" is missing; write secrets = [\"${env:NAME}\"]: without one "
     "every delivery would be refused"},
    {"empty_secrets", "[\"${env:DEMO_SECRET}\"]", "[]",
     "providers/demo.toml:3:1: \"secrets\" is empty; list at least one, like \"${env:NAME}\""},
    {"unreadable_secret_file", "${env:DEMO_SECRET}", "${file:/nowhere/secret}",
     "providers/demo.toml:3:1: \"secrets\" has no value: file /nowhere/secret cannot be read: No "
     "such file or directory; put the value there, readable for this user only"},
    {"secret_file_is_a_directory", "${env:DEMO_SECRET}", "${file:/}",
     "providers/demo.toml:3:1: \"secrets\" has no value: file / cannot be read: Is a directory; "
     "put the value there, readable for this user only"},
    {"unknown_source", "${env:", "${vault:",
     "providers/demo.toml:3:1: \"${vault:DEMO_SECRET}\" names no source of values in \"secrets\"; "
     "write ${env:NAME} or ${file:PATH}"},
    {"unclosed_source", "${env:DEMO_SECRET}", "${env:DEMO_SECRET",
     "providers/demo.toml:3:1: \"${\" is not closed by \"}\" in \"secrets\"; write ${env:NAME} or "
     "${file:PATH}"},
    {"wrong_type", "\"demo\"", "7",
     "providers/demo.toml:1:1: \"name\" is a whole number; write a text in quotes"},
    {"bad_name", "\"demo\"", "\"De mo\"",
     "providers/demo.toml:1:1: \"name\" \"De mo\" is not a usable name; use 1 to 63 of a-z, 0-9, - "
     "and _, starting with a letter or digit"},
    {"bad_duration", "\"3d\"", "\"3 days\"",
     "providers/demo.toml:4:1: \"retry_window\" is not a duration: \"3 days\"; write it like "
     "\"250ms\", \"10s\", \"5m\", \"72h\" or \"3d\""},
    {"duration_without_unit", "\"3d\"", "3",
     "providers/demo.toml:4:1: \"retry_window\" is a whole number; write a duration in quotes, "
     "like \"250ms\", \"10s\" or \"3d\""},
    {"unknown_preset", "standard-webhooks", "standart-webhook",
     "providers/demo.toml:2:1: \"scheme\" is \"standart-webhook\", which is not a preset; did you "
     "mean \"standard-webhooks\"?"},
    {"bad_ack", "retention = \"forever\"", "ack = \"xml\"",
     "providers/demo.toml:5:1: \"ack\" is \"xml\"; write \"json\" or \"text:ANSWER\""},
    {"bad_in_progress", "retention = \"forever\"", "in_progress = \"accpt\"",
     "providers/demo.toml:5:1: \"in_progress\" is \"accpt\", which is not known; did you mean "
     "\"accept\"?"},
    {"bad_url", "retention = \"forever\"", "url = \"example.com\"",
     "providers/demo.toml:5:1: \"url\" is not a URL; write it whole, like "
     "\"https://example.com/path\""},
};

const WrongFile tables[] = {
    {"no_event_id", "event_id = \"/id\"\n", "",
     "providers/demo.toml:6:2: \"event_id\" is missing in [read]; write what makes an event one "
     "and the same, like \"/id\""},
    {"unknown_key_in_read", "object = ", "objekt = ",
     "providers/demo.toml:9:1: unknown key \"objekt\" in [read]; did you mean \"object\"?"},
    {"items_max_out_of_range", "sequence = \"/sequence\"", "items_max = 0",
     "providers/demo.toml:10:1: \"items_max\" in [read] is out of range: 0; write 1 to 100000"},
    {"unknown_effect", "\"credit\"", "\"credti\"",
     "providers/demo.toml:13:1: \"effect\" in [[rule]] 1 is \"credti\", which is not known; did "
     "you mean \"credit\"?"},
    {"effect_that_nothing_resembles", "\"credit\"", "\"pay\"",
     "providers/demo.toml:13:1: \"effect\" in [[rule]] 1 is \"pay\", which is not known; write one "
     "of credit, debit, set_balance, ignore, start:<workflow>, signal:<workflow>"},
    {"unknown_order", "amount = \"/amount\"", "amount = \"/amount\"\norder = \"late\"",
     "providers/demo.toml:16:1: \"order\" in [[rule]] 1 is \"late\", which is not known; write one "
     "of late_ok, hold, strict"},
    {"money_without_effect_key", "effect_key = [\"capture\", \"/payment_id\"]\n", "",
     "providers/demo.toml:11:1: \"effect_key\" is missing in [[rule]] 1; write what makes this "
     "effect one and the same, like [\"capture\", \"/payment_id\"]"},
    {"money_without_account", "account = \"/account\"\n", "",
     "providers/demo.toml:11:1: \"account\" is missing in [[rule]] 1; write the account whose "
     "balance it "
     "moves, like account = \"/account\""},
    {"star_in_the_middle", "payment.captured", "payment.*.done",
     "providers/demo.toml:12:1: \"when\" in [[rule]] 1 is \"payment.*.done\"; a * may stand only "
     "at the end"},
    {"misspelt_part", "[\"capture\", \"/payment_id\"]", "[\"capture\", {att = \"/x\"}]",
     "providers/demo.toml:17:1: \"at\" is missing in [rule[1].effect_key]; write {at = "
     "\"/pointer\", optional = true}\n"
     "providers/demo.toml:17:27: unknown key \"att\" in [rule[1].effect_key]; did you mean "
     "\"at\"?"},
    {"rule_is_one_table", "[[rule]]\nwhen = \"*\"\neffect = \"ignore\"\n", "[fetch]\nurl = 1\n",
     "providers/demo.toml:18:2: \"fetch\" is not in this version (nothing would act on it); remove "
     "it\n"
     "providers/demo.toml:19:1: \"url\" in [fetch] is a whole number; write a text in quotes"},
    {"roots", "[read]", "roots = [\"a.pem\"]\n[read]",
     "providers/demo.toml:6:1: \"roots\" is not in this version (nothing would act on it); remove "
     "it"},
    {"public_key", "[read]", "public_key = \"k\"\n[read]",
     "providers/demo.toml:6:1: \"public_key\" is not in this version (nothing would act on it); "
     "remove it"},
    {"workflow_that_does_not_exist", "\"credit\"", "\"start:charge_oder\"",
     "providers/demo.toml:13:1: no workflow \"charge_oder\" can be started by an event (its events "
     "could not be executed); write one of charge_order"},
    {"trust_in_the_wrong_thing", "amount = \"/amount\"", "amount = \"/amount\"\ntrust = \"body\"",
     "providers/demo.toml:16:1: \"trust\" in [[rule]] 1 is \"body\", which is not known; write one "
     "of transport"},
};

const auto case_name = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(top_level, WrongProviderFile, testing::ValuesIn(top_level), case_name);
INSTANTIATE_TEST_SUITE_P(tables, WrongProviderFile, testing::ValuesIn(tables), case_name);

TEST(ProviderFiles, AllFaultsAreReportedAtOnce) {
    const ConfigFolder folder;
    folder.write("providers/demo.toml",
                 replaced(replaced(good_provider, "\"3d\"", "3"), "\"credit\"", "\"credti\""));
    folder.write("pawl.toml", "[server]\nlisen = \"x\"\n");
    const std::string errors = folder.errors();
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 2) << errors;
}

// The parser's own words differ between its versions; place and remedy do not.
TEST(ProviderFiles, InvalidTomlIsReportedWithItsLine) {
    const ConfigFolder folder;
    for (const char* wrong : {"retention = forever", "name = \"other\"", "= 1", "\"unclosed"}) {
        folder.spoil("retention = \"forever\"", wrong);
        const std::string errors = folder.errors();
        EXPECT_TRUE(errors.starts_with("providers/demo.toml:5:")) << errors;
        EXPECT_NE(errors.find(": this is not TOML: "), std::string::npos) << errors;
        EXPECT_TRUE(
            errors.ends_with("; correct this line or the one above it (texts stand in "
                             "quotes)"))
            << errors;
        EXPECT_TRUE(folder.load().findings.at(0).unparsed);
    }
}

TEST(ProviderFiles, OneNameBelongsToOneFile) {
    const ConfigFolder folder;
    folder.write("providers/other.toml", good_provider);
    EXPECT_EQ(folder.errors(),
              "providers/other.toml:1:1: provider \"demo\" is also defined at "
              "providers/demo.toml:1:1; give one of them another name, or remove its file");
}

TEST(ProviderFiles, ARightOneBecomesPlainValues) {
    const ConfigFolder folder;
    folder.spoil("retention = \"forever\"",
                 "retention = \"60d\"\nack = \"text:[accepted]\"\nbooks = \"shop\"");
    const Loaded loaded = folder.load();
    ASSERT_TRUE(loaded.ok()) << folder.errors();
    const auto& config = loaded.settings.providers.at(0).config;
    EXPECT_EQ(config.books, "shop");
    EXPECT_EQ(config.secrets.at(0), folder.variables.at("DEMO_SECRET"));
    EXPECT_EQ(config.retention, std::chrono::days(60));
    EXPECT_EQ(config.ack_text, "[accepted]");
    EXPECT_EQ(config.read.sequence, "/sequence");
    ASSERT_EQ(config.rules.size(), 2U);
    EXPECT_EQ(config.rules[0].action, providers::Action::credit);
    EXPECT_EQ(config.rules[0].effect_key.at(1).at, "/payment_id");
}

TEST(ProviderFiles, ANeedIsWrittenBareAndSeveralAsLists) {
    const ConfigFolder folder;
    folder.spoil("[[rule]]\nwhen = \"*\"",
                 "needs = [[\"a\", \"/x\"], [\"b\", {at = \"/y\", "
                 "optional = true}]]\n[[rule]]\n"
                 "needs = [\"c\", \"/z\"]\nwhen = \"*\"");
    const Loaded loaded = folder.load();
    ASSERT_TRUE(loaded.ok()) << folder.errors();
    const auto& rules = loaded.settings.providers.at(0).config.rules;
    ASSERT_EQ(rules[0].needs.size(), 2U);
    EXPECT_TRUE(rules[0].needs[1].at(1).optional);
    ASSERT_EQ(rules[1].needs.size(), 1U);
    EXPECT_EQ(rules[1].needs[0].at(1).at, "/z");
}

TEST(ProviderFiles, ASchemeTableIsReadWhole) {
    const ConfigFolder folder;
    folder.write(
        "providers/own.toml",
        replaced(replaced(good_provider, "\"demo\"", "\"own\""), "scheme = \"standard-webhooks\"",
                 "scheme = {alg = \"hmac-sha512\", source = \"header:X-Sig\", encoding = "
                 "\"base64\", sign = \"{ts}.{body}\", list = {sep = \",\", kv = \"=\", "
                 "accept = \"v1\", ts = \"t\"}, timestamp = {from = \"list\", unit = "
                 "\"ms\", max_age = \"5m\"}, key = {decode = \"hex\", strip = \"k_\"}, "
                 "covers = \"partial\"}"));
    const Loaded loaded = folder.load();
    ASSERT_TRUE(loaded.ok()) << folder.errors();
    const auto& scheme = *loaded.settings.providers.at(1).config.scheme;
    EXPECT_EQ(scheme.alg, providers::Alg::hmac_sha512);
    EXPECT_EQ(scheme.list->ts, "t");
    EXPECT_EQ(scheme.timestamp->unit, providers::TimeUnit::milliseconds);
    EXPECT_EQ(scheme.key.decode, providers::KeyDecode::hex);
    EXPECT_EQ(scheme.covers, providers::Covers::partial);
}

}  // namespace
}  // namespace pawl::app::test
