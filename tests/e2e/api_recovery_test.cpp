// A database that is restored from an older copy, at the real program with its own PostgreSQL: the
// server refuses it, an operator recovers it, and the payer of a lost charge is charged once.
#include <filesystem>

#include "tests/e2e/api_case.hpp"
#include "tests/e2e/demo_sender.hpp"

namespace pawl::testing {
namespace {

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

class ApiRecovery : public ::testing::Test {
  protected:
    ApiRecovery() {
        point_gateway_at(server.options().config, sandbox, "5s");
        server.start();
    }
    Response ask(const std::string& method, const std::string& path, const std::string& body,
                 providers::Headers headers = {}) {
        headers.emplace_back("Authorization", std::string("Bearer ") + api_token);
        headers.emplace_back("Content-Type", "application/json");
        return HttpClient(server.port()).request(method, path, headers, body);
    }
    Response pay(const std::string& order, const std::string& key, const std::string& wait = "20") {
        ask("PUT", "/v1/orders/" + order,
            R"({"amount":5000,"currency":"USD","account":"user:42","gateway":"sandbox"})");
        return ask("POST", "/v1/orders/" + order + "/payments", "{}",
                   {{"Idempotency-Key", key}, {"Prefer", "wait=" + wait}});
    }
    std::string balance(const std::string& account) {
        const providers::Headers token = {{"Authorization", std::string("Bearer ") + api_token}};
        const auto reply =
            HttpClient(server.port()).request("GET", "/v1/accounts/" + account, token, "");
        return member(reply.body, "/balances/0/amount");
    }
    std::string outcome(const Payment& payment) {
        return member(DemoSender(server.port()).send(payment).body, "/outcome");
    }
    void stop() {
        server.signal(SIGTERM);
        ASSERT_TRUE(server.ended_within(patience));
    }
    static void run(std::vector<std::string> argv) {
        process::Command command;
        command.argv = std::move(argv);
        const auto finished = process::run(command, patience);
        ASSERT_TRUE(finished && finished->succeeded);
    }
    void back_up() { run({"/bin/cp", "-a", cluster, copy}); }
    void restore() {
        std::filesystem::remove_all(cluster);
        run({"/bin/cp", "-a", copy, cluster});
    }
    void lose_a_charge_and_an_event() {
        ASSERT_EQ(outcome({"kept", "P1", "user:7", 100}), "applied");
        stop();
        back_up();
        server.start();
        ASSERT_EQ(member(pay("o1", "k1").body, "/state"), "succeeded");
        ASSERT_EQ(outcome({"lost", "P2", "user:7", 100}), "applied");
        stop();
        restore();
    }
    // `pawl ARGUMENTS`: its output, and how it ended where that is not 0.
    std::string pawl(std::vector<std::string> arguments) {
        process::Command command;
        command.argv = {PAWL_PROGRAM};
        for (std::string& one : arguments) command.argv.push_back(std::move(one));
        command.env = {"PATH=/usr/bin:/bin", "PAWL_CONFIG=" + server.options().config,
                       "PAWL_DATA_DIR=" + server.options().data_dir, "PAWL_MODE=test"};
        const auto finished = process::run(std::move(command), patience);
        if (!finished) return finished.error().message;
        return (finished->succeeded ? "" : finished->how + ": ") + finished->output;
    }

    Folder folder;
    Server server{{.data_dir = folder / "data",
                   .config = copied_config(folder),
                   .variables = {std::string("PAWL_API_TOKEN=") + api_token,
                                 std::string("PAWL_ADMIN_TOKEN=") + admin_token}}};
    SandboxProgram sandbox{server.port(), {}};
    const std::string cluster = folder / "data" + "/postgres";
    const std::string copy = folder / "copy";
};

TEST_F(ApiRecovery, PayerOfAChargeThatARestoreHasLostIsChargedOnce) {
    lose_a_charge_and_an_event();
    const std::string refused = server.refusal();
    EXPECT_TRUE(says(refused, "commits are missing")) << refused;
    EXPECT_TRUE(says(refused, "`pawl recover`")) << refused;
    const std::string begun = pawl({"recover", "--reason", "restored the copy"});
    EXPECT_TRUE(says(begun, "recovery is on\nmissing     link")) << begun;
    server.start();
    EXPECT_TRUE(says(server.said(), "recovery is on"));

    const auto paid = pay("o1", "k1");
    EXPECT_EQ(paid.status, 201) << paid.body;
    EXPECT_EQ(member(paid.body, "/state"), "succeeded");
    EXPECT_EQ(sandbox.counts().by_order["o1"], 1);
    EXPECT_EQ(sandbox.sends_of("pay:o1:1"), 1);
    EXPECT_EQ(balance("user:42"), "5000");
    EXPECT_EQ(outcome({"during", "P3", "user:7", 100}), "applied");
    EXPECT_EQ(balance("user:7"), "200") << "the lost event was not delivered again";
    EXPECT_EQ(outcome({"lost", "P2", "user:7", 100}), "applied");
    // The sandbox's file says "after:1h".
    EXPECT_EQ(pay("o2", "k2", "1").status, 202);
    EXPECT_EQ(sandbox.sends_of("pay:o2:1"), 0);
}

TEST_F(ApiRecovery, RecoveryIsShownUntilAnOperatorEndsItWithAReason) {
    lose_a_charge_and_an_event();
    pawl({"recover", "--reason", "restored the copy"});
    server.start();
    const providers::Headers token = {{"Authorization", std::string("Bearer ") + admin_token}};
    const auto attention =
        HttpClient(server.admin_port()).request("GET", "/admin/v1/attention", token, "");
    EXPECT_TRUE(says(attention.body, R"("kind":"recovery")")) << attention.body;
    EXPECT_TRUE(says(pawl({"doctor"}), "restored the copy"));
    EXPECT_TRUE(says(pawl({"recover", "--end"}), "exited with 2"));
    const std::string ended = pawl({"recover", "--end", "--reason", "delivered again"});
    EXPECT_TRUE(says(ended, "recovery has ended\nnot fetched")) << ended;
    EXPECT_TRUE(says(pawl({"recover", "--end", "--reason", "twice"}), "exited with 1"));
    EXPECT_TRUE(says(pawl({"audit"}), "recovery.end"));
    stop();
    server.start();
    EXPECT_EQ(balance("user:7"), "100");
}

TEST_F(ApiRecovery, ServerThatIsKilledAndStartedAgainIsNotRefused) {
    for (int round = 0; round < 3; ++round) {
        const std::string id = std::to_string(round);
        ASSERT_EQ(outcome({"e" + id, "P" + id, "user:7", 100}), "applied");
        ASSERT_EQ(member(pay("o" + id, "k" + id).body, "/state"), "succeeded");
        server.kill_now();
        server.start();
    }
    EXPECT_EQ(balance("user:7"), "300");
}

}  // namespace
}  // namespace pawl::testing
