// Deliveries that arrive, or wait, while the server drains. Each is processed, or answered 503 with
// Retry-After in time; never another answer, never silence.
#include <gtest/gtest.h>
#include <signal.h>

#include "settings/well_known.hpp"
#include "tests/e2e/foreign_clients.hpp"
#include "tests/e2e/receive_case.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

// The first commit takes so long that everything else happens meanwhile, and is answered in time.
constexpr const char* patient = "answer_timeout = \"1800ms\"\n";
constexpr const char* busy_at_first = "before_commit=sleep:1500@1";

class ReceiveStopping : public ::testing::Test {
  protected:
    // SIGTERM, with one delivery on its way that keeps the server busy for a while.
    void stop_while_busy(ReceiveServer& shared) {
        busy = std::make_unique<DemoSender>(shared.server.port());
        stop_while_busy(shared, [&] { ASSERT_TRUE(busy->begin({.id = "busy"})); });
    }
    void stop_while_busy(ReceiveServer& shared, const std::function<void()>& deliver) {
        deliver();
        ASSERT_TRUE(eventually([&] {
            return HttpClient(shared.server.admin_port())
                       .get("/metrics")
                       .body.find("verdict=\"authentic\"} 1") != std::string::npos;
        }));
        terminate(shared);
    }
    // Enough connections to meet each of its threads; over when all of them drain.
    static void terminate(ReceiveServer& shared) {
        std::vector<HttpClient> probes;
        for (int i = 0; i < 10; ++i) {
            ASSERT_EQ(probes.emplace_back(shared.server.port()).get("/healthz").status, 200);
        }
        shared.server.signal(SIGTERM);
        for (HttpClient& probe : probes) {
            ASSERT_TRUE(eventually([&] { return probe.get("/healthz").status != 200; }));
        }
    }
    void expect_clean_end(ReceiveServer& shared) {
        busy.reset();  // it would be waited for
        EXPECT_TRUE(shared.server.ended_within(patience));
        EXPECT_EQ(shared.server.how_it_ended(), "exited with 0");
    }
    static std::string bytes_of(const Payment& payment) {
        const std::string body = body_of(payment);
        std::string bytes = "POST /webhooks/demo HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n";
        for (const auto& [name, value] : signed_headers(payment.id, body, now())) {
            bytes += name + ": " + value + "\r\n";
        }
        return bytes + "\r\n" + body;
    }
    static std::string intents(const ReceiveServer& shared, const std::string& id) {
        return shared.database.value("SELECT count(*) FROM webhook_intents WHERE event_id = '" +
                                     id + "'");
    }

    std::unique_ptr<DemoSender> busy;
};

TEST_F(ReceiveStopping, ADeliveryOnAnOpenConnectionIsA503AndTakesNoSlot) {
    ReceiveServer shared(patient, busy_at_first);
    DemoSender open(shared.server.port());
    ASSERT_EQ(open.client().get("/healthz").status, 200);
    stop_while_busy(shared);
    const auto late = open.send({.id = "late"});
    expect_unavailable(late);
    EXPECT_EQ(late.code(), "shutting_down");
    EXPECT_EQ(late.header("Connection"), "close");
    EXPECT_EQ(busy->answer().status, 200) << "what had begun is served";
    expect_clean_end(shared);
    EXPECT_EQ(intents(shared, "late"), "0");
}

// A client that sends the next one without waiting for its answer.
TEST_F(ReceiveStopping, ADeliveryBehindOneThatIsBeingServedIsA503InItsTurn) {
    ReceiveServer shared(patient, busy_at_first);
    auto raw = std::make_unique<RawConnection>(shared.server.port());
    stop_while_busy(shared, [&] { raw->send(bytes_of({.id = "busy"})); });
    raw->send(bytes_of({.id = "behind"}));
    const std::string said = raw->read_to_its_end();
    raw.reset();
    const auto second = said.find("HTTP/1.1", 1);
    EXPECT_TRUE(said.starts_with("HTTP/1.1 200")) << said;
    ASSERT_NE(second, std::string::npos) << said;
    EXPECT_EQ(said.substr(second, 12), "HTTP/1.1 503") << said;
    EXPECT_NE(said.find("urn:pawl:problem:shutting_down"), std::string::npos) << said;
    EXPECT_NE(said.find("etry-", second), std::string::npos) << said;
    expect_clean_end(shared);
    EXPECT_EQ(intents(shared, "busy"), "1");
    EXPECT_EQ(intents(shared, "behind"), "0");
}

TEST_F(ReceiveStopping, ADeliveryOfWhichAPartHadComeIsServed) {
    ReceiveServer shared(patient, busy_at_first);
    const std::string bytes = bytes_of({.id = "half", .account = "user:2"});
    const auto middle = bytes.size() - 10;
    HttpClient half(shared.server.port());
    ASSERT_TRUE(half.send(bytes.substr(0, middle)));
    stop_while_busy(shared);
    const auto answer = half.exchange(bytes.substr(middle));
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.header("Connection"), "close");
    expect_clean_end(shared);
    EXPECT_EQ(intents(shared, "half"), "1");
}

// A delivery that waits for a hung database is answered 503 at its deadline, drain or no drain.
TEST_F(ReceiveStopping, ADeliveryThatIsNotCommittedInTimeIsA503) {
    ReceiveServer shared("", "before_commit=sleep:2200");
    stop_while_busy(shared);
    const auto answer = busy->answer();
    expect_unavailable(answer);
    EXPECT_EQ(answer.code(), "not_durable");
    expect_clean_end(shared);
    EXPECT_EQ(intents(shared, "busy"), "1") << "what was begun is committed all the same";
}

TEST_F(ReceiveStopping, NodesOpenConnectionsGet503) {
    if (on_path("node").empty()) GTEST_SKIP() << "there is no node on PATH";
    ReceiveServer shared(patient, busy_at_first);
    const Folder folder;
    const std::string sign = folder / "stopping";
    Background node({on_path("node"), PAWL_SOURCE_DIR "/tests/e2e/receive_stopping.mjs",
                     url_of(shared.server.port()), std::string(app::demo_secret), sign});
    ASSERT_TRUE(eventually([&] { return node.said().find("connected") != std::string::npos; }));
    stop_while_busy(shared);
    write_text(sign, "");
    EXPECT_EQ(node.finish(), "exited with 0") << node.said();
    EXPECT_NE(node.said().find("503 shutting_down"), std::string::npos) << node.said();
    EXPECT_EQ(busy->answer().status, 200);
    expect_clean_end(shared);
}

}  // namespace
}  // namespace pawl::testing
