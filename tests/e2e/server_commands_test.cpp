// Commands of the program against a database that is not as they need it, and with arguments that
// nothing can be done with.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/embedded_case.hpp"
#include "tests/e2e/sandbox_program.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

struct Answered {
    std::string how;
    std::string said;
};

Answered pawl(const std::vector<std::string>& arguments, std::vector<std::string> variables) {
    process::Command command;
    command.argv = {PAWL_PROGRAM, "--config", PAWL_SOURCE_DIR "/config"};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    command.env = std::move(variables);
    const auto ended = process::run(command, patience);
    EXPECT_TRUE(ended) << ended.error().message;
    return ended ? Answered{ended->how, ended->output} : Answered{};
}

TEST(ServerCommands, SayThatADatabaseHasNotBeenMigrated) {
    const Folder folder;
    auto cluster = db::EmbeddedCluster::start(options_for(folder / "data"));
    ASSERT_TRUE(cluster) << cluster.error().message;
    const std::string sentence = "the database has not been migrated; run `pawl migrate`";
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"verify"},
                                                      {"intents", "list"},
                                                      {"token", "list"},
                                                      {"pay", "o1"}}) {
        const Answered ended = pawl(arguments, {"PAWL_DATABASE_URL=" + cluster->url()});
        EXPECT_EQ(ended.said, "pawl: " + sentence + "\n");
        EXPECT_EQ(ended.how, "exited with 2") << arguments[0];
    }
    const auto address = [] { return "127.0.0.1:" + std::to_string(free_port()); };
    const std::vector<std::string> serving = {
        "PAWL_DATABASE_URL=" + cluster->url(), "PAWL_DATA_DIR=" + folder / "data",
        "PAWL_LISTEN=" + address(), "PAWL_ADMIN_LISTEN=" + address()};
    const Answered served = pawl({"serve"}, serving);
    EXPECT_EQ(served.how, "exited with 2");
    EXPECT_NE(served.said.find(sentence), std::string::npos) << served.said;
    // Its very question, with a negative answer.
    const Answered checked = pawl({"migrate", "check"}, {"PAWL_DATABASE_URL=" + cluster->url()});
    EXPECT_EQ(checked.how, "exited with 1") << checked.said;
}

TEST(ServerCommands, OnlyThoseThatBeginAnInstallationMakeADatabase) {
    const Folder folder;
    const std::vector<std::string> here = {"PAWL_DATA_DIR=" + folder / "data", "PATH=/usr/bin:/bin",
                                           "TMPDIR=" + folder.path()};
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"verify"},
          {"intents", "list"},
          {"intents", "show", "demo", "e1"},
          {"transfers", "list", "user:1"},
          {"transfers", "reverse", "1", "--reason", "a test"},
          {"token", "list"},
          {"token", "create", "--principal", "a", "--role", "viewer"},
          {"pay", "o1"},
          {"migrate", "check"},
          {"migrate", "status"},
          {"migrate", "sql"},
          {"doctor"}}) {
        const Answered ended = pawl(arguments, here);
        EXPECT_EQ(ended.how, "exited with 2") << arguments[0];
        for (const std::string& part :
             {folder / "data", std::string("holds no installation of pawl"),
              std::string("pawl serve"), std::string("PAWL_DATA_DIR")}) {
            EXPECT_NE(ended.said.find(part), std::string::npos) << arguments[0] << ended.said;
        }
        ASSERT_FALSE(std::filesystem::exists(folder / "data")) << arguments[0];
    }
    EXPECT_EQ(pawl({"migrate"}, here).how, "exited with 0");
    EXPECT_EQ(pawl({"verify"}, here).how, "exited with 0");
    EXPECT_EQ(pawl({"migrate", "check"}, here).how, "exited with 0");
}

struct Wrong {
    std::vector<std::string> arguments;
    const char* says;
};

TEST(ServerCommands, WrongArgumentsEndIn2AndNameWhatIsAllowed) {
    const TestDatabase database;
    database.run(
        "INSERT INTO orders (order_id, amount, currency, account, gateway, created_at, updated_at) "
        "VALUES ('there', 500, 'USD', 'user:1', 'sandbox', now(), now())");
    const auto paying = [](const std::string& order, const std::string& amount,
                           const std::string& account) {
        return std::vector<std::string>{"pay",       order,   "--gateway",  "sandbox",
                                        "--amount",  amount,  "--currency", "USD",
                                        "--account", account, "--wait",     "0"};
    };
    const Wrong cases[] = {
        {{"intents", "list", "--account", "\xff"}, "(\"\\u00ff\") is not UTF-8 text"},
        {{"intents", "list", "--status", "nonsense"}, "pending, done, parked, quarantined"},
        {{"intents", "list", "--outcome", "nonsense"}, "duplicate_effect"},
        {{"intents", "list", "--status", "\033]0;x\a"}, "\"\\u001b]0;x\\u0007\""},
        {paying("", "5.00", "user:1"), "order: invalid name"},
        {paying("a b", "5.00", "user:1"), "order: invalid name"},
        {paying("new", "-5.00", "user:1"), "amount: not above zero"},
        {paying("new", "0", "user:1"), "amount: not above zero"},
        {paying("new", "5.00", "sandbox:clearing"), "system account"},
        {paying("new", "5.00", "fees:oops"), "system account"},
        {paying("new", "5.00", "bank:main"), "system account"},
        {paying("new", "5.00", " user:1"), "without a blank at either end"},
        {paying("new", "5.00", "a\tb"), "without control characters"},
        {{"transfers", "reverse", "0162", "--reason", "x"},
         "(\"0162\"); write the number of a transfer"},
        {paying("there", "6.00", "user:1"), "stored with other content: 5.00 USD to user:1"},
        {paying("there", "5.00", "user:2"), "stored with other content"},
        {{"pay", "there", "--currency", "EUR"}, "stored with other content"},
        {{"pay", "there", "--gateway", "other"}, "stored with other content"},
        {{"pay", "none"}, "order none: not found"},
        {{"token", "revoke", "abc"}, "id: invalid (\"abc\"); write a number"},
        {paying("new", "5.00", "user:1"),
         "gateway sandbox is off: \"api_key\" has no value: variable PAWL_SANDBOX_API_KEY is not "
         "set; set PAWL_SANDBOX_API_KEY for the server"},
        {{"pay", "there"}, "gateway sandbox is off"},
        {{"pay", "new", "--gateway", "none", "--amount", "5.00", "--currency", "USD", "--account",
          "user:1"},
         "no gateway none is configured: add config/gateways/none.toml"},
    };
    for (const Wrong& one : cases) {
        const Answered ended =
            pawl(one.arguments, {"PAWL_DATABASE_URL=" + database.url(), "PAWL_MODE=test"});
        EXPECT_EQ(ended.how, "exited with 2") << one.says << "\n" << ended.said;
        EXPECT_NE(ended.said.find(one.says), std::string::npos) << one.says << "\n" << ended.said;
        EXPECT_EQ(ended.said.find('\033'), std::string::npos) << ended.said;
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM orders"), "1");
    EXPECT_EQ(database.value("SELECT count(*) FROM payments"), "0");
}

TEST(ServerCommands, ShowWhatSendersWroteWithoutItsControlCharacters) {
    const TestDatabase database;
    const std::string id =
        "evt\033]0;title\a\xC2\x9B"
        "31m";
    database.run(
        "INSERT INTO webhook_intents (segment, provider, event_id, event_type, status, outcome, "
        "note, fingerprint, body_sha256, correlation_id, received_at, wake_at) VALUES (1, 'demo', "
        "'" +
        id +
        "', 'type\033[2J', 'quarantined', 'quarantined', 'no_rule', 'f', '\\x00', 'c', "
        "now(), NULL)");
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"intents", "list"}, {"intents", "show", "demo", id}}) {
        const Answered ended = pawl(arguments, {"PAWL_DATABASE_URL=" + database.url()});
        EXPECT_EQ(ended.how, "exited with 0") << ended.said;
        // In a list it can be pasted; the whole answer is JSON.
        const bool list = arguments[1] == "list";
        EXPECT_NE(ended.said.find(list ? R"($'evt\x1b\x5d0\x3btitle\x07\xc2\x9b31m')"
                                       : "evt\\u001b]0;title\\u0007\\u009b31m"),
                  std::string::npos)
            << ended.said;
        for (const char* raw : {"\033", "\a", "\xC2\x9B"}) {
            EXPECT_EQ(ended.said.find(raw), std::string::npos) << ended.said;
        }
    }
    const Answered none =
        pawl({"intents", "show", "demo", "no\033[31m"}, {"PAWL_DATABASE_URL=" + database.url()});
    EXPECT_NE(none.said.find("no\\u001b[31m"), std::string::npos) << none.said;
}

}  // namespace
}  // namespace pawl::testing
