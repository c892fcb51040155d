// Commands pasted into a second terminal, where nothing is set and no configuration is near: they
// find the server that runs, its configuration, its database and its secrets by themselves.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/e2e/sandbox_program.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/stripe_events.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

namespace fs = std::filesystem;

struct Ended {
    bool succeeded = false;
    std::string how;
    std::string said;
};

class ServerTerminals : public ::testing::Test {
  protected:
    ServerTerminals() { fs::create_directory(folder / "tmp"); }

    // The minimal environment of a terminal; servers of other tests are out of sight.
    std::vector<std::string> terminal() const {
        return {"PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + folder / "tmp"};
    }
    ServerOptions options(const std::string& name) const {
        ServerOptions options{.data_dir = folder / name};
        options.config = folder / "config";
        options.variables = {"TMPDIR=" + folder / "tmp"};
        return options;
    }
    Ended pawl(std::vector<std::string> arguments, std::vector<std::string> more = {}) {
        process::Command command;
        command.argv = {PAWL_PROGRAM};
        for (std::string& one : arguments) command.argv.push_back(std::move(one));
        command.env = terminal();
        for (std::string& one : more) command.env.push_back(std::move(one));
        command.cwd = folder.path() + "/elsewhere";
        fs::create_directories(command.cwd);
        const auto finished = process::run(std::move(command), patience);
        EXPECT_TRUE(finished.ok());
        return {finished->succeeded, finished->how, finished->output};
    }
    void expect_done(std::vector<std::string> arguments, const std::string& says = "") {
        const std::string name = arguments[0];
        const Ended ended = pawl(std::move(arguments));
        EXPECT_TRUE(ended.succeeded) << name << " " << ended.how << "\n" << ended.said;
        EXPECT_NE(ended.said.find(says), std::string::npos) << name << "\n" << ended.said;
    }

    // An event that no rule matches is retried once its rule is written, in the folder of the
    // server, which is nowhere near this command.
    void expect_retry_by_the_servers_rules(Server& server) {
        const std::string rules = config + "/providers/demo.toml";
        const std::string body =
            body_of({.id = "retried", .account = "user:retried", .type = "new"});
        std::string text = read_text(rules);
        const auto last_rule = text.rfind("[[rule]]");
        write_text(rules, text.substr(0, last_rule));
        server.signal(SIGTERM);
        ASSERT_TRUE(server.ended_within(patience));
        EXPECT_FALSE(fs::exists(folder / "data/server.state")) << "it is left behind";
        server.start();
        EXPECT_NE(DemoSender(server.port()).send_bytes("retried", body).body.find("no_rule"),
                  std::string::npos);
        text.replace(text.find("payment.captured"), 16, "new");
        write_text(rules, text);
        expect_done({"intents", "retry", "demo", "retried", "--reason", "rule added"}, "applied");
        EXPECT_EQ(ask(server.embedded_url(),
                      "SELECT effect_key FROM transfers WHERE credit_account = 'user:retried'"),
                  "demo-test/capture/pay_retried");
    }

    Folder folder;
    const std::string config = copied_config(folder);
};

TEST_F(ServerTerminals, FindADevelopmentServerWithPortsAConfigurationAndADirectoryOfItsOwn) {
    ServerOptions own = options("data");
    own.port = free_port();
    const SandboxProgram sandbox(own.port, {});
    point_gateway_at(config, sandbox, "2s");
    Server server(own);
    server.start();
    const std::string state = folder / "data/server.state";
    ASSERT_TRUE(eventually([&] { return fs::exists(state); }));
    struct stat file {};
    ASSERT_EQ(stat(state.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 07777, 0600U);

    const Ended doctor = pawl({"doctor", "--json"});
    for (const std::string& part :
         {"is served by pawl (pid " + std::to_string(server.pid()) + ")",
          std::string(R"("name":"providers","verdict":"good")"), folder / "config"}) {
        EXPECT_NE(doctor.said.find(part), std::string::npos) << part << "\n" << doctor.said;
    }

    expect_done({"send", "demo", "--count", "20", "--duplicates", "20"});
    expect_done({"intents", "list"}, "payment.captured");

    expect_retry_by_the_servers_rules(server);
    expect_done({"pay", "order-1", "--gateway", "sandbox", "--amount", "50.00", "--currency", "USD",
                 "--account", "user:payer"},
                "succeeded");
    expect_done({"verify"}, "holds");
    // The payment's webhook and its own answer are one credit, in the books of test mode.
    EXPECT_TRUE(eventually([&] {
        return ask(server.embedded_url(),
                   "SELECT count(*) FROM webhook_intents WHERE provider = 'sandbox' AND "
                   "status = 'done'") != "0";
    }));
    EXPECT_EQ(ask(server.embedded_url(),
                  "SELECT count(*) || ' ' || min(debit_account) || ' ' || sum(amount) FROM "
                  "transfers WHERE credit_account = 'user:payer'"),
              "1 sandbox-test:clearing 5000");
}

TEST_F(ServerTerminals, TakeTheSecretsOfAServerWithoutDevAndItsNamedDatabase) {
    const TestDatabase database;
    ServerOptions own = options("data");
    own.dev = false;
    own.database_url = database.url();
    own.variables.push_back("PAWL_MODE=test");
    own.variables.push_back("STRIPE_WEBHOOK_SECRET=" + std::string(stripe_secret));
    Server server(own);
    server.start();
    ASSERT_TRUE(eventually([&] { return fs::exists(folder / "data/server.state"); }));
    expect_done({"send", "stripe", "--count", "5"});
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "5");
    expect_done({"verify"}, "holds");
    const std::string state = read_text(folder / "data/server.state");
    EXPECT_EQ(state.find(stripe_secret), std::string::npos);
    EXPECT_EQ(state.find("postgresql"), std::string::npos) << "it may hold a password";
}

TEST_F(ServerTerminals, SendNothingToAServerOfLiveModeWithoutLive) {
    const TestDatabase database;
    ServerOptions own = options("data");
    own.dev = false;
    own.database_url = database.url();
    own.variables.push_back("PAWL_DEMO_SECRET=whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX");
    Server server(own);
    server.start();
    ASSERT_TRUE(eventually([&] { return fs::exists(folder / "data/server.state"); }));
    const Ended refused = pawl({"send", "demo", "--count", "5"});
    EXPECT_EQ(refused.how, "exited with 2") << refused.said;
    for (const char* part : {"serves live mode", "or add --live"}) {
        EXPECT_NE(refused.said.find(part), std::string::npos) << refused.said;
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), "0");
    expect_done({"send", "demo", "--count", "5", "--live"});
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "5");
}

TEST_F(ServerTerminals, SendNothingToAServerOfUnknownModeWithoutLive) {
    const TestDatabase database;
    ServerOptions own = options("data");
    own.database_url = database.url();
    Server server(own);
    server.start();
    const std::string address = "127.0.0.1:" + std::to_string(server.port());
    const std::vector<std::string> by_url{"send", "demo",  "--count",
                                          "1",    "--url", "http://" + address};
    const std::vector<std::string> plain{"send", "demo", "--count", "1"};
    const std::string at = "PAWL_CONFIG=" + config;
    const std::pair<std::vector<std::string>, std::vector<std::string>> cases[] = {
        {by_url, {at}},
        {by_url, {at, "PAWL_MODE=live"}},
        {plain, {at, "PAWL_LISTEN=" + address}},
        {plain, {at, "PAWL_LISTEN=" + address, "PAWL_DATA_DIR=" + folder / "data"}},
    };
    for (const auto& [arguments, variables] : cases) {
        const Ended refused = pawl(arguments, variables);
        EXPECT_EQ(refused.how, "exited with 2") << refused.said;
        EXPECT_NE(refused.said.find("is unknown"), std::string::npos) << refused.said;
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), "0");
    const Ended stated = pawl(by_url, {at, "PAWL_MODE=test"});
    EXPECT_TRUE(stated.succeeded) << stated.said;
    std::vector<std::string> forced = by_url;
    forced.emplace_back("--live");
    const Ended live = pawl(forced, {at});
    EXPECT_TRUE(live.succeeded) << live.said;
}

TEST_F(ServerTerminals, RequireAChoiceBetweenSeveralServersAndIgnoreAKilledOne) {
    Server one(options("one"));
    Server two(options("two"));
    one.start();
    two.start();
    for (const char* name : {"one", "two"}) {
        const std::string state = folder / name + "/server.state";
        ASSERT_TRUE(eventually([&] { return fs::exists(state); }));
    }
    const Ended unclear = pawl({"verify"});
    EXPECT_EQ(unclear.how, "exited with 2");
    for (const std::string& part : {folder / "one", folder / "two", std::string("PAWL_DATA_DIR")}) {
        EXPECT_NE(unclear.said.find(part), std::string::npos) << unclear.said;
    }
    const Ended told = pawl({"send", "demo", "--count", "3"}, {"PAWL_DATA_DIR=" + folder / "two"});
    EXPECT_TRUE(told.succeeded) << told.said;
    EXPECT_EQ(ask(two.embedded_url(), "SELECT count(*) FROM transfers"), "3");

    one.kill_now();
    EXPECT_TRUE(fs::exists(folder / "one/server.state"));
    expect_done({"send", "demo", "--count", "4"});
    EXPECT_EQ(ask(two.embedded_url(), "SELECT count(*) FROM transfers"), "7");
}

TEST_F(ServerTerminals, OfTwoServersInOneDirectoryEachRemovesItsOwnState) {
    const TestDatabase first, second;
    ServerOptions of_first = options("data"), of_second = options("data");
    of_first.database_url = first.url();
    of_second.database_url = second.url();
    const std::string state = folder / "data/server.state";
    const auto states = [&] {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(folder / "data")) {
            count += entry.path().extension() == ".state" ? 1 : 0;
        }
        return count;
    };
    Server one(of_first);
    one.start();
    ASSERT_TRUE(eventually([&] { return fs::exists(state); }));
    const std::string of_one = read_text(state);
    {
        Server two(of_second);
        two.start();
        ASSERT_TRUE(eventually([&] { return states() == 2; }));
        EXPECT_EQ(read_text(state), of_one);
        const std::string there = "PAWL_DATA_DIR=" + folder / "data";
        const Ended unclear = pawl({"verify"}, {there});
        EXPECT_EQ(unclear.how, "exited with 2") << unclear.said;
        EXPECT_NE(unclear.said.find("set PAWL_DATABASE_URL"), std::string::npos) << unclear.said;
        const Ended sent =
            pawl({"send", "demo", "--count", "2"}, {there, "PAWL_DATABASE_URL=" + second.url()});
        EXPECT_TRUE(sent.succeeded) << sent.said;
        EXPECT_EQ(second.value("SELECT count(*) FROM transfers"), "2");
        two.signal(SIGTERM);
        ASSERT_TRUE(two.ended_within(patience));
    }
    EXPECT_EQ(states(), 1U);
    EXPECT_EQ(read_text(state), of_one);
    expect_done({"send", "demo", "--count", "3"});
    EXPECT_EQ(first.value("SELECT count(*) FROM transfers"), "3");
}

TEST_F(ServerTerminals, AttentionJudgesGatewaysAsTheServerWasStartedOrNotAtAll) {
    const TestDatabase database;
    ServerOptions own = options("data");
    own.database_url = database.url();
    Server server(own);
    server.start();
    ASSERT_TRUE(eventually([&] { return fs::exists(folder / "data/server.state"); }));
    for (const char* gateway : {"sandbox", "gone"}) {
        const std::string name = gateway;
        database.run(
            "INSERT INTO orders (order_id, amount, currency, account, gateway, created_at, "
            "updated_at) VALUES ('o-" +
            name + "', 5, 'USD', 'user:1', '" + name +
            "', now(), now()); INSERT INTO payments (payment_id, order_id, attempt, key, gateway, "
            "books, state, amount, currency, account, correlation_id, created_at, updated_at) "
            "VALUES ('pay_" +
            name + "', 'o-" + name + "', 1, 'pay:o-" + name + ":1', '" + name +
            "', 'b', 'processing', 5, 'USD', 'user:1', 'c', now(), now())");
    }
    // In a terminal that has a configuration of its own, without this gateway.
    const std::string other = folder / "other";
    fs::copy(config, other, fs::copy_options::recursive);
    fs::remove(other + "/gateways/sandbox.toml");
    const Ended beside = pawl({"attention"}, {"PAWL_CONFIG=" + other});
    EXPECT_TRUE(beside.succeeded) << beside.said;
    EXPECT_NE(beside.said.find("pay_gone"), std::string::npos) << beside.said;
    EXPECT_EQ(beside.said.find("pay_sandbox"), std::string::npos) << beside.said;
    EXPECT_EQ(beside.said.find("not judged"), std::string::npos) << beside.said;
    server.signal(SIGTERM);
    ASSERT_TRUE(server.ended_within(patience));
    const Ended alone = pawl({"attention"}, {"PAWL_DATABASE_URL=" + database.url(),
                                             "PAWL_MODE=test", "PAWL_CONFIG=" + config});
    EXPECT_TRUE(alone.succeeded) << alone.said;
    EXPECT_NE(alone.said.find("not judged here"), std::string::npos) << alone.said;
    EXPECT_EQ(alone.said.find("gateway_gone"), std::string::npos) << alone.said;
}

}  // namespace
}  // namespace pawl::testing
