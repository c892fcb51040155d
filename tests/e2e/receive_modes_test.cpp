// Live and test money, and providers that are off, at the real program started without --dev: what
// a sender is answered, what is stored, and where an operator reads why.
#include <gtest/gtest.h>

#include "tests/e2e/server.hpp"
#include "tests/e2e/stripe_events.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

constexpr const char* applied = R"("outcome":"applied")";

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

class ReceiveModes : public ::testing::Test {
  protected:
    static std::vector<std::string> variables(const std::string& mode, bool secret = true) {
        std::vector<std::string> all = {"PAWL_MODE=" + mode};
        if (secret) all.push_back("STRIPE_WEBHOOK_SECRET=" + std::string(stripe_secret));
        return all;
    }
    void serve(const std::string& mode, bool secret = true) {
        server.kill_now();
        server.options().variables = variables(mode, secret);
        server.start();
    }
    // The error of a start that is refused; empty if it starts.
    std::string refusal(const std::string& mode, bool secret = true) {
        server.options().variables = variables(mode, secret);
        return server.refusal();
    }
    Response post(const std::string& body) { return post_to_stripe(server.port(), body); }
    std::string state_of(const std::string& id) {
        return database.value(
            "SELECT outcome || ' ' || coalesce(note, '') FROM webhook_intents WHERE event_id = "
            "'evt_" +
            id + "'");
    }
    std::string transfers() { return database.value("SELECT count(*) FROM transfers"); }
    std::string pawl(std::vector<std::string> arguments) {
        return server.command(std::move(arguments));
    }

    Folder folder;
    TestDatabase database;
    Server server{{.data_dir = folder / "data",
                   .database_url = database.url(),
                   .config = copied_config(folder),
                   .dev = false}};
};

TEST_F(ReceiveModes, LiveModeStoresATestEventAndSaysWhyItMovedNothing) {
    serve("live");
    const auto ignored = post(stripe_event("t1"));
    EXPECT_EQ(ignored.status, 200);
    EXPECT_TRUE(says(ignored.body, R"("status":"done","outcome":"ignored","note":"test_mode")"))
        << ignored.body;
    EXPECT_EQ(state_of("t1"), "ignored test_mode");
    EXPECT_EQ(transfers(), "0");
    EXPECT_TRUE(says(post(stripe_event("t1")).body, R"("duplicate":true)"));
    for (const std::string& read : {server.said(), pawl({"intents", "show", "stripe", "evt_t1"})}) {
        for (const char* part : {"PAWL_MODE=test", "PAWL_DATA_DIR", "PAWL_DATABASE_URL"}) {
            EXPECT_TRUE(says(read, part)) << part << " is not in:\n" << read;
        }
    }

    const auto moved = post(stripe_event("l1", 5000, of_live_mode));
    EXPECT_TRUE(says(moved.body, applied)) << moved.body;
    EXPECT_EQ(database.value("SELECT effect_key || ' ' || debit_account FROM transfers"),
              "stripe/capture/pi_l1@5000 stripe:clearing");
}

TEST_F(ReceiveModes, ALiveEventWithTheIdOfATestEventMovesItsMoney) {
    serve("live");
    EXPECT_TRUE(says(post(stripe_event("same")).body, "test_mode"));
    const std::string live = stripe_event("same", 5000, of_live_mode);
    const auto moved = post(live);
    EXPECT_TRUE(says(moved.body, applied)) << moved.body;
    EXPECT_TRUE(says(moved.body, R"("duplicate":false)")) << moved.body;
    EXPECT_EQ(transfers(), "1");
    const auto again = post(live);
    EXPECT_TRUE(says(again.body, applied) && says(again.body, R"("duplicate":true)")) << again.body;
    EXPECT_TRUE(says(post(stripe_event("same")).body, R"("note":"test_mode","duplicate":true)"));
    EXPECT_EQ(transfers(), "1");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "5000");
    EXPECT_TRUE(says(pawl({"verify"}), "holds"));
    EXPECT_FALSE(says(pawl({"verify"}), "BROKEN"));
}

TEST_F(ReceiveModes, TestModeSendsALiveEventBackAndAppliesATestEventInBooksOfItsOwn) {
    serve("test");
    const auto refused = post(stripe_event("l2", 5000, of_live_mode));
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.code(), "live_mode") << refused.body;
    EXPECT_EQ(refused.header("Content-Type"), "application/problem+json");
    EXPECT_NE(refused.header("Retry-After"), "");
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), "0");
    EXPECT_TRUE(eventually([&] {
        return database.value(
                   "SELECT diagnosis FROM webhook_deliveries WHERE verdict = 'rejected'") ==
               "live_mode";
    })) << "it is not kept";
    EXPECT_TRUE(says(server.said(), "live event answered 503: the server is in test mode"));

    EXPECT_TRUE(says(post(stripe_event("t2")).body, applied));
    EXPECT_EQ(database.value("SELECT effect_key || ' ' || debit_account FROM transfers"),
              "stripe-test/capture/pi_t2@5000 stripe-test:clearing");
}

TEST_F(ReceiveModes, AMoneyEventThatHidesItsModeIsQuarantinedInEither) {
    for (const char* mode : {"live", "test"}) {
        serve(mode);
        const auto answer = post(stripe_event(mode, 5000, ""));
        EXPECT_TRUE(says(answer.body, R"("status":"quarantined")")) << answer.body;
        EXPECT_EQ(state_of(mode), "quarantined shape_changed");
        const std::string logged = server.said();
        for (const std::string& part : {std::string("event quarantined"),
                                        "evt_" + std::string(mode), std::string("shape_changed")}) {
            EXPECT_TRUE(says(logged, part)) << part << " is not in:\n" << logged;
        }
    }
    EXPECT_EQ(transfers(), "0");
}

TEST_F(ReceiveModes, OnceMoneyIsPostedADatabaseRefusesTheOtherMode) {
    serve("live");
    EXPECT_TRUE(says(post(stripe_event("first")).body, "test_mode"));
    // No money is posted yet, and the mode may change. The same event sent again is not a conflict.
    serve("test");
    std::string resent = stripe_event("first");
    resent.insert(resent.size() - 1, R"(,"pending_webhooks":1)");
    EXPECT_TRUE(
        says(post(resent).body, R"("outcome":"ignored","note":"test_mode","duplicate":true)"));
    EXPECT_TRUE(says(post(stripe_event("second")).body, applied));

    const std::string refused = refusal("live");
    for (const char* part :
         {"test money", "PAWL_MODE=test", "PAWL_DATA_DIR", "PAWL_DATABASE_URL"}) {
        EXPECT_TRUE(says(refused, part)) << part << " is not in:\n" << refused;
    }
    serve("test");
}

TEST_F(ReceiveModes, AnEventUnderWayKeepsTheModeAsMoneyDoes) {
    serve("live");
    database.run(
        "INSERT INTO provider_pauses (provider, paused_by, reason, paused_at) "
        "VALUES ('stripe', 'test', 'test', now())");
    EXPECT_TRUE(says(post(stripe_event("paused", 5000, of_live_mode)).body, "pending"));
    EXPECT_TRUE(says(refusal("test"), "live money (events are unfinished)"));
}

TEST_F(ReceiveModes, ALostSecretStopsTheStartOnceAnEventIsStored) {
    serve("test", false);
    serve("test");
    EXPECT_EQ(post(stripe_event("s1")).status, 200);
    const auto file = server.options().config + "/providers/stripe.toml";
    const std::string shipped = read_text(file);
    for (const char* enabled : {"enabled      = \"if_secrets\"", "enabled = false", ""}) {
        std::string text = shipped;
        const auto at = text.find("\nenabled ") + 1;
        write_text(file, text.replace(at, text.find('\n', at) - at, enabled));
        const std::string said = refusal("test", false);
        EXPECT_TRUE(says(said, "STRIPE_WEBHOOK_SECRET is not set")) << enabled << said;
        // Without "enabled" the file itself is wrong, whatever the database holds.
        if (*enabled == '\0') continue;
        EXPECT_TRUE(says(said, "or name another database in PAWL_DATABASE_URL")) << said;
    }
    write_text(file, shipped);
    serve("test");
}

class ReceiveOff : public ReceiveModes {};

TEST_F(ReceiveOff, WithoutAnySecretItStartsAndSaysHowToTurnAProviderOn) {
    serve("live", false);
    EXPECT_TRUE(says(server.said(), "no provider switched on")) << server.said();
    EXPECT_TRUE(says(server.said(), "STRIPE_WEBHOOK_SECRET (stripe)")) << server.said();
    for (const char* provider : {"stripe", "demo", "sandbox"}) {
        const auto answer = DemoSender(server.port(), provider).post({}, "{}");
        EXPECT_EQ(answer.status, 503) << provider;
        EXPECT_EQ(answer.code(), "provider_off") << provider;
        EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
        EXPECT_NE(answer.header("Retry-After"), "");
    }
    EXPECT_EQ(DemoSender(server.port(), "nobody").post({}, "{}").status, 404);
    EXPECT_EQ(HttpClient(server.port()).get("/webhooks/stripe").status, 405);
}

TEST_F(ReceiveOff, ASecretTurnsItsProviderOnWithoutDev) {
    serve("test");
    EXPECT_FALSE(says(server.said(), "no provider switched on"));
    EXPECT_TRUE(says(post(stripe_event("on")).body, applied));
    EXPECT_EQ(DemoSender(server.port(), "demo").post({}, "{}").status, 503);
}

}  // namespace
}  // namespace pawl::testing
