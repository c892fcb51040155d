// Effects of a subscriber's answer on later messages.
#include <signal.h>

#include "tests/e2e/notify_case.hpp"
#include "tests/e2e/pay_case.hpp"
#include "tests/e2e/sandbox_program.hpp"

namespace pawl::testing {
namespace {

using std::chrono::seconds;

using NotifyAnswers = NotifyCase;

// Two hundred messages of a kind that it cannot read do not count against the subscriber.
TEST_F(NotifyAnswers, AMessageThatIsRefusedForWhatItIsKeepsNoOtherWaiting) {
    subscribe("shop", "picky", "events = [\"credit.applied\", \"intent.*\"]");
    start();
    deliver(0, 200);
    ASSERT_TRUE(eventually([&] { return count("attempts > 0") == "200"; })) << count("attempts>0");
    const auto began = std::chrono::steady_clock::now();
    DemoSender(server->port()).send_bytes("odd", "no JSON");
    ASSERT_TRUE(eventually([&] { return told("picky").size() == 1; }));
    EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(5));
    EXPECT_EQ(count("state = 'ready' AND last_error LIKE '%400%'"), "200");
}

TEST_F(NotifyAnswers, ABodyThatIsTooLargeToReadChangesNothingAboutA200) {
    subscribe("wordy", "large");
    start();
    deliver(0, 3);
    ASSERT_TRUE(eventually([&] { return count("state = 'done'") == "3"; }));
    EXPECT_EQ(told("large").size(), 3U);
    EXPECT_EQ(count("attempts = 1"), "3");
}

// Polls are a minute apart: only a wake-up makes a job start sooner.
TEST_F(NotifyAnswers, JobsStagedByAWorkflowAndTheSweeperAreSentAtOnce) {
    subscribe("shop", "ok", "events = [\"payment.*\", \"credit.applied\"]");
    SandboxProgram sandbox(free_port(), {});
    point_gateway_at(config, sandbox, "5s");
    start("[work]\npoll = \"60s\"\n");
    const auto told_of = [&](const std::string& type) {
        for (const Told& one : told("ok")) {
            if (one.type == type) return true;
        }
        return false;
    };
    db::Session session = database.session();
    begin_payment(session, "o1");
    ASSERT_TRUE(
        eventually([&] { return database.value("SELECT state FROM payments") == "succeeded"; }));
    auto began = std::chrono::steady_clock::now();
    ASSERT_TRUE(eventually([&] { return told_of("payment.succeeded"); }));
    EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(2));
    EXPECT_EQ(told("ok")[0].correlation_id, "o1");
    EXPECT_EQ(database.value("SELECT correlation_id FROM external_calls"), "o1");
    const std::string said = server->said();
    const auto called = said.find("calling a payment API");
    ASSERT_NE(called, std::string::npos);
    EXPECT_NE(said.substr(called, said.find('\n', called) - called).find("correlation_id=o1"),
              std::string::npos);

    database.run("INSERT INTO provider_pauses VALUES ('demo', now(), 'ana', 'test')");
    deliver(0, 1);
    database.run("DELETE FROM provider_pauses");
    ASSERT_TRUE(eventually([&] {
        return database.value("SELECT status FROM webhook_intents WHERE event_id = 'n0'") == "done";
    }));
    began = std::chrono::steady_clock::now();
    ASSERT_TRUE(eventually([&] { return told_of("credit.applied"); }));
    EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(2));
}

// The server has no rule for what comes; an operator has, and tries it again from a terminal.
TEST_F(NotifyAnswers, JobsStagedByACommandAreSentAtOnceByAServer) {
    subscribe("shop", "ok", "events = [\"credit.applied\"]");
    const std::string rules = config + "/providers/demo.toml";
    std::string other_rules = read_text(rules);
    for (const char* type : {"\"payment.captured\"", "\"*\""}) {
        const auto at = other_rules.find(type);
        ASSERT_NE(at, std::string::npos) << type;
        other_rules.replace(at, std::string(type).size(), "\"other\"");
    }
    write_text(rules, other_rules);
    start("[work]\npoll = \"60s\"\n");
    deliver(0, 1);
    process::Command retry;
    retry.argv = {PAWL_PROGRAM, "intents", "retry", "demo", "n0", "--reason", "a rule is there"};
    retry.env = {"PAWL_MODE=test", "PATH=/usr/bin:/bin", "PAWL_DATABASE_URL=" + database.url(),
                 "PAWL_CONFIG=" PAWL_SOURCE_DIR "/config",
                 // It is not the one that the server has: the verdict of then counts.
                 "PAWL_DEMO_SECRET=whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="};
    const auto retried = process::run(retry, patience);
    ASSERT_TRUE(retried && retried->succeeded) << (retried ? retried->output : "");
    const auto began = std::chrono::steady_clock::now();
    ASSERT_TRUE(eventually([&] { return told("ok").size() == 1; }));
    EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(2));
}

// The subscriber never answers, and may be waited for longer than a stop may take.
TEST_F(NotifyAnswers, AStopReleasesUnbegunJobsAtOnceAndWaitsForNoSubscriber) {
    subscribe("slow", "never", "events = [\"*\"]\nconcurrency = 1");
    start();
    deliver(0, 10);
    // All are enqueued: a job that is staged at the signal stays staged.
    ASSERT_TRUE(eventually(
        [&] { return count("locked_until IS NOT NULL") == "2" && count("true") == "10"; }));
    server->signal(SIGTERM);
    const auto began = std::chrono::steady_clock::now();
    ASSERT_TRUE(eventually([&] { return count("locked_until IS NOT NULL") == "1"; }));
    EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(2));
    ASSERT_TRUE(server->ended_within(seconds(8)));
    EXPECT_NE(server->said().find("stopped"), std::string::npos);
    EXPECT_EQ(server->said().find("draining took too long"), std::string::npos);
    EXPECT_EQ(count("locked_until IS NOT NULL"), "0");
    EXPECT_EQ(count("attempts = 0 AND state = 'ready'"), "9");
    EXPECT_EQ(count("attempts = 1 AND state = 'ready' AND last_error IS NOT NULL"), "1");
}

}  // namespace
}  // namespace pawl::testing
