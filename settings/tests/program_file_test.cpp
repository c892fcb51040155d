// pawl.toml, gateways and the environment: each fault is one sentence, and the environment wins.
#include <gtest/gtest.h>

#include "settings/tests/config_folder.hpp"

namespace pawl::app::test {
namespace {

struct WrongProgram {
    const char* name;
    const char* text;
    const char* says;
};

class WrongProgramFile : public testing::TestWithParam<WrongProgram> {};

TEST_P(WrongProgramFile, IsOneSentence) {
    const ConfigFolder folder;
    folder.write("pawl.toml", GetParam().text);
    EXPECT_EQ(folder.errors(), GetParam().says);
}

const WrongProgram wrong[] = {
    {"unknown_key", "[server]\nlisen = \"127.0.0.1:80\"\n",
     "pawl.toml:2:1: unknown key \"lisen\" in [server]; did you mean \"listen\"?"},
    {"unknown_section", "[sever]\nlisten = \"127.0.0.1:80\"\n",
     "pawl.toml:1:2: unknown key \"sever\"; did you mean \"server\"?"},
    {"wrong_type", "[server]\nio_threads = \"four\"\n",
     "pawl.toml:2:1: \"io_threads\" in [server] is a text; write a whole number without quotes"},
    {"out_of_range", "[server]\nio_threads = 0\n",
     "pawl.toml:2:1: \"io_threads\" in [server] is out of range: 0; write 1 to 64"},
    {"bad_listen_address", "[server]\nlisten = \"everywhere:80\"\n",
     "pawl.toml:2:1: \"listen\" in [server] is not an address to listen on: \"everywhere:80\"; "
     "write "
     "ADDRESS:PORT with a numeric address and a port of 1 to 65535, like \"127.0.0.1:8080\""},
    {"port_zero", "[server]\nlisten = \"127.0.0.1:0\"\n",
     "pawl.toml:2:1: \"listen\" in [server] is not an address to listen on: \"127.0.0.1:0\"; write "
     "ADDRESS:PORT with a numeric address and a port of 1 to 65535, like \"127.0.0.1:8080\""},
    {"one_address_for_both", "[server]\nadmin_listen = \"127.0.0.1:8080\"\n",
     "pawl.toml:2:1: both listeners are given 127.0.0.1:8080; give the admin listener an address "
     "of its own"},
    {"bad_size", "[server]\nbody_max = \"1 megabyte\"\n",
     "pawl.toml:2:1: \"body_max\" in [server] is not a size; write 1KiB to 64MiB, like 65536, "
     "\"64KiB\" or \"1MiB\""},
    {"section_is_a_value", "server = 1\n",
     "pawl.toml:1:1: \"server\" is a whole number; write a table: [server]"},
    {"lock_longer_than_statement", "[database]\nlock_timeout = \"2s\"\n",
     "pawl.toml:2:1: \"lock_timeout\" in [database] (2s) is longer than statement_timeout "
     "(1200ms); make it shorter: at this length a wait for a lock cannot be told apart from a slow "
     "query"},
    {"an_answer_that_comes_too_late", "[receive]\nanswer_timeout = \"1900ms\"\n",
     "pawl.toml:2:1: \"answer_timeout\" in [receive] is out of range: \"1900ms\"; write "
     "\"100ms\" to \"1800ms\""},
    {"database_url_is_not_printed", "[database]\nurl = \"mysql://root:hunter2@db\"\n",
     "pawl.toml:2:1: \"url\" in [database] is not a libpq URI; write "
     "postgresql://USER@HOST:PORT/DATABASE; several hosts are separated by commas"},
    {"subscriber_event",
     "[[subscriber]]\nname = \"shop\"\nurl = \"https://shop.example\"\n"
     "secrets = [\"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX\"]\nevents = [\"credit.aplied\"]\n",
     "pawl.toml:5:1: \"events\" in [[subscriber]] 1 has \"credit.aplied\", which is never sent; "
     "did you mean \"credit.applied\"?"},
    {"log_level", "[log]\nlevel = \"warning\"\n",
     "pawl.toml:2:1: \"level\" in [log] is \"warning\", which is not known; write one of trace, "
     "debug, info, warn, error"},
};

const auto case_name = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(wrong, WrongProgramFile, testing::ValuesIn(wrong), case_name);

struct WrongVariable {
    const char* name;
    const char* value;
    const char* says;
};

class WrongEnvironment : public testing::TestWithParam<WrongVariable> {};

TEST_P(WrongEnvironment, IsOneSentence) {
    ConfigFolder folder;
    folder.variables[GetParam().name] = GetParam().value;
    EXPECT_EQ(folder.errors(), GetParam().says);
}

const WrongVariable variables[] = {
    {"PAWL_LISTEN", "8080",
     "PAWL_LISTEN: \"8080\" is not an address to listen on; write ADDRESS:PORT with a numeric "
     "address "
     "and a port of 1 to 65535, like \"127.0.0.1:8080\""},
    {"PAWL_LOG", "loud",
     "PAWL_LOG: \"loud\" is not a log level; write trace, debug, info, warn or error"},
    {"PAWL_LOG_FORMAT", "xml", "PAWL_LOG_FORMAT: \"xml\" is not a log format; write text or json"},
    {"PAWL_DATABASE_URL", "db.example/hunter2",
     "PAWL_DATABASE_URL: not a libpq URI; write postgresql://USER@HOST:PORT/DATABASE; "
     "several hosts are separated by commas"},
};
INSTANTIATE_TEST_SUITE_P(variables, WrongEnvironment, testing::ValuesIn(variables), case_name);

TEST(DatabaseUrl, ThatLibpqCannotParseIsInvalidAndNeverPrinted) {
    const char* const urls[] = {
        "mysql://u:s3cret@h/d",
        "postgresql://u:s3cret%@h/d",
        "postgresql://u:s3cret%4@h/d",
        "postgresql://u:s3cret%zz@h/d",
        "postgresql://u:s3cret%00@h/d",
        "postgresql://u:a@s3cret@127.0.0.1/d",
        "postgresql://u:a@s3cret/d@127.0.0.1/d",
        "postgresql://u:s3cret/a@h/d",
        "postgresql://u:12/s3cret?a@h/d",
        "postgresql://u:s3cret/d",
        "postgresql://u:s3cret",
        "postgresql://u@h:s3cret/d",
        "postgresql://u@h:99999/d",
        "postgresql://u@[::1/d",
        "postgresql://u@[::1]s3cret/d",
        "postgresql://u@h/d?s3cret",
        "postgresql://u@h/d?password=a&s3cret",
        "postgresql://u@h/d?password=a=s3cret",
        "postgresql://u@h/d?=s3cret",
        "postgresql://u@h/d?s3cret=1",
        "postgresql://u@h/d?sslmode=require&s3cret=a",
        "postgresql://h/d?user=u&password=a&s3cret=b",
    };
    for (const char* url : urls) {
        ConfigFolder folder;
        folder.variables["PAWL_DATABASE_URL"] = url;
        const std::string said = folder.errors();
        EXPECT_TRUE(said.starts_with("PAWL_DATABASE_URL: ")) << url << ": " << said;
        EXPECT_EQ(said.find("s3cret"), std::string::npos) << url << ": " << said;
        folder.variables.erase("PAWL_DATABASE_URL");
        folder.write("pawl.toml", std::string("[database]\nurl = \"") + url + "\"\n");
        const std::string file = folder.errors();
        EXPECT_TRUE(file.starts_with("pawl.toml:2:1: \"url\" in [database] is ")) << file;
        EXPECT_EQ(file.find("s3cret"), std::string::npos) << url << ": " << file;
    }
}

TEST(DatabaseUrl, ThatIsInvalidStatesHowToEncodeThePassword) {
    ConfigFolder folder;
    folder.variables["PAWL_DATABASE_URL"] = "postgresql://u:s3cr%zzet@127.0.0.1:5432/x";
    EXPECT_EQ(folder.errors(),
              "PAWL_DATABASE_URL: invalid (a % without two hexadecimal digits after it); "
              "percent-encode user and password: % as %25, @ as %40, / as %2F");
}

TEST(DatabaseUrl, InEachFormOfLibpqIsAccepted) {
    const char* const urls[] = {
        "postgresql://",
        "postgresql:///d",
        "postgres://h",
        "postgresql://u@h:5432/d",
        "postgresql://u:p%25%40%2f@h/d",
        "postgresql://u:p?q&r=s#t@h/d",
        "postgresql://u:p:q@h/d",
        "postgresql://a:1,b:2,c/d",
        "postgresql://u:p@[::1]:5432,[2001:db8::7]/d",
        "postgresql://%2Fvar%2Frun%2Fpostgresql/d",
        "postgresql://h?dbname=d",
        "postgresql://u@h:/d?sslmode=verify-full&options=-c%20search_path%3Dx",
        "postgresql:///d?host=/run/postgresql&port=5433&user=u",
        "postgresql://u@a,b/d?target_session_attrs=read-write&load_balance_hosts=random&ssl=true",
    };
    for (const char* url : urls) {
        ConfigFolder folder;
        folder.variables["PAWL_DATABASE_URL"] = url;
        EXPECT_EQ(folder.errors(), "") << url;
    }
}

TEST(ChainKey, ThatIsTooShortIsBlamedOnTheVariableOrTheFileThatItComesFrom) {
    const std::string fault =
        "chain key: shorter than 32 characters; use for example `openssl rand -hex 32`";
    ConfigFolder folder;
    folder.write("pawl.toml", "[server]\nchain_keys = [\"short\"]\n");
    EXPECT_EQ(folder.errors(), "pawl.toml:2:1: " + fault);
    folder.write("pawl.toml",
                 "[server]\nmode = \"live\"\nchain_keys = [\"" + std::string(32, 'k') + "\"]\n");
    EXPECT_EQ(folder.errors(), "");
    folder.variables["PAWL_CHAIN_KEY"] = "short";
    EXPECT_EQ(folder.errors(), "PAWL_CHAIN_KEY: " + fault);
}

TEST(Settings, TheEnvironmentWinsOverTheFile) {
    ConfigFolder folder;
    folder.write("pawl.toml", "[server]\nlisten = \"127.0.0.1:1000\"\nbody_max = \"2MiB\"\n");
    folder.variables["PAWL_LISTEN"] = "[::1]:2000";
    folder.variables["PAWL_DATABASE_URL"] = "postgresql://a:1,b:2/pawl";
    const Loaded loaded = folder.load();
    ASSERT_TRUE(loaded.ok()) << folder.errors();
    EXPECT_EQ(loaded.settings.server.listen, (Listen{"::1", 2000}));
    EXPECT_EQ(loaded.settings.server.body_max, 2U * 1024 * 1024);
    EXPECT_FALSE(loaded.settings.embedded());
}

TEST(Settings, AFolderThatIsNotThereIsNamed) {
    LoadOptions options;
    options.folder = "/nowhere/at/all";
    const Loaded loaded = load(options);
    EXPECT_EQ(error_lines(loaded.findings),
              "--config: \"/nowhere/at/all\" is not a readable directory; name the directory "
              "that holds pawl.toml and providers/\n");
}

// Providers get an answer within 2 s, of which a busy machine needs a part: every timeout ends well
// before.
TEST(Settings, TheDefaultTimeoutsLeaveHalfASecondOfASendersTwo) {
    using std::chrono::milliseconds;
    const Settings settings;
    EXPECT_LE(settings.receive.answer_timeout, milliseconds(1500));
    EXPECT_LE(settings.database.statement_timeout, settings.receive.answer_timeout * 4 / 5);
    EXPECT_LE(settings.database.lock_timeout, settings.database.statement_timeout * 3 / 4);
}

TEST(Settings, AGatewayFileIsChecked) {
    const ConfigFolder folder;
    folder.write("gateways/stripe.toml",
                 "name = \"stripe\"\nkind = \"stipe\"\n"
                 "base_url = \"https://api.stripe.com\"\n"
                 "api_key = \"${env:NOPE}\"\nkey_horizon = \"24h\"\n");
    EXPECT_EQ(folder.errors(),
              "gateways/stripe.toml:2:1: \"kind\" is \"stipe\", which is not known; did you mean "
              "\"stripe\"?\n"
              "gateways/stripe.toml:4:1: \"api_key\" has no value: variable NOPE is not set; set "
              "NOPE in the environment");
}

TEST(Settings, AGatewayThatThisVersionCannotCallIsRefused) {
    for (const char* kind : {"adyen", "generic"}) {
        const ConfigFolder folder;
        folder.write("gateways/other.toml", std::string("name = \"other\"\nkind = \"") + kind +
                                                "\"\nbase_url = \"https://api.example.com\"\n"
                                                "api_key = \"k\"\nkey_horizon = \"24h\"\n");
        EXPECT_EQ(folder.errors(),
                  "gateways/other.toml:2:1: this kind of gateway is not in this version (it could "
                  "not be called); write kind = \"stripe\", or remove the file")
            << kind;
    }
}

}  // namespace
}  // namespace pawl::app::test
