// The table of answers to a webhook, row by row, over a real socket: first the rows for authentic
// deliveries.
#include "tests/e2e/receive_case.hpp"

namespace pawl::testing {
namespace {

using ReceiveAnswers = ReceiveCase;

bool is_json(const Response& response) {
    return response.header("Content-Type").starts_with("application/json");
}

TEST_F(ReceiveAnswers, ANewEventIsAnsweredWithItsOutcomeOnceItIsCommitted) {
    DemoSender sender(server().port());
    const auto answer = sender.send({.id = "new1", .account = "user:new"});
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(is_json(answer));
    EXPECT_EQ(answer.body, answer_body("new1", "done", "applied", false));
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:new'"), "100");
}

TEST_F(ReceiveAnswers, AnEventSeenBeforeIsAnsweredWithItsStoredOutcome) {
    DemoSender sender(server().port());
    sender.send({.id = "again1", .account = "user:again"});
    for (int i = 0; i < 3; ++i) {
        const auto again = sender.send({.id = "again1", .account = "user:again"});
        EXPECT_EQ(again.status, 200);
        EXPECT_EQ(again.body, answer_body("again1", "done", "applied", true));
    }
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:again'"), "100");
}

TEST_F(ReceiveAnswers, AnEventThatARuleIgnoresIsStoredAndSaysSo) {
    DemoSender sender(server().port());
    const auto answer = sender.send({.id = "ignored1", .type = "payment.created"});
    EXPECT_EQ(answer.body, answer_body("ignored1", "done", "ignored", false));
}

TEST_F(ReceiveAnswers, ASecondEventForOneEffectMovesNothing) {
    DemoSender sender(server().port());
    sender.send({.id = "twin1", .payment = "pay_twin", .account = "user:twin"});
    const auto twin = sender.send({.id = "twin2", .payment = "pay_twin", .account = "user:twin"});
    EXPECT_EQ(twin.status, 200);
    EXPECT_EQ(twin.body, answer_body("twin2", "done", "duplicate_effect", false));
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:twin'"), "100");
}

struct Quarantined {
    const char* name;
    std::string body;
    std::string note;
};
class ReceiveQuarantines : public ReceiveCase, public ::testing::WithParamInterface<Quarantined> {};

TEST_P(ReceiveQuarantines, AnAuthenticEventThatCannotBeApplied) {
    DemoSender sender(server().port());
    const auto answer = sender.send_bytes("q_" + std::string(GetParam().name), GetParam().body);
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find(R"("status":"quarantined","outcome":"quarantined")"),
              std::string::npos)
        << answer.body;
    EXPECT_NE(answer.body.find("\"" + GetParam().note + "\""), std::string::npos) << answer.body;
    const auto again = sender.send_bytes("q_" + std::string(GetParam().name), GetParam().body);
    EXPECT_NE(again.body.find(R"("duplicate":true)"), std::string::npos) << again.body;
    EXPECT_EQ(database().value("SELECT count(*) FROM balances WHERE account = 'user:q'"), "0");
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, ReceiveQuarantines,
    ::testing::Values(
        Quarantined{"NoJson", "this is not JSON", "unreadable"},
        Quarantined{"CutOff", R"({"id":"q_CutOff","type":"payment.captured")", "unreadable"},
        Quarantined{"Empty", "", "unreadable"},
        Quarantined{"NoId", R"({"type":"payment.captured","payment_id":"p"})", "event_id_missing"},
        Quarantined{"NoType", R"({"id":"q_NoType"})", "type_missing"},
        Quarantined{"NoAmount",
                    R"({"id":"q_NoAmount","type":"payment.captured","payment_id":"q1",)"
                    R"("account":"user:q","currency":"USD"})",
                    "bad_amount"},
        Quarantined{"NegativeAmount",
                    body_of({.id = "q_NegativeAmount", .account = "user:q", .amount = -5}),
                    "bad_amount"},
        Quarantined{"FractionOfACent",
                    R"({"id":"q_Fraction","type":"payment.captured","payment_id":"q2",)"
                    R"("account":"user:q","amount":1.005,"currency":"USD"})",
                    "bad_amount"},
        Quarantined{"NoCurrency",
                    body_of({.id = "q_NoCurrency", .account = "user:q", .currency = "DOLLARS"}),
                    "bad_currency"},
        Quarantined{"ClearingAccount", body_of({.id = "q_Clear", .account = "demo:clearing"}),
                    "clearing_account"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(ReceiveAnswers, AnEventThatNoRuleMatchesIsQuarantined) {
    DemoSender sender(server().port(), "narrow");
    const std::string body = body_of({.id = "norule1", .type = "payment.created"});
    const auto answer = sender.post(signed_headers("norule1", body, now(), other_secret), body);
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find("\"no_rule\""), std::string::npos) << answer.body;
    EXPECT_EQ(state_of("norule1"), "quarantined quarantined");
}

TEST_F(ReceiveAnswers, TheSameIdWithOtherContentIsKeptApart) {
    DemoSender sender(server().port());
    sender.send({.id = "conflict1", .account = "user:conflict"});
    const auto other = sender.send({.id = "conflict1", .account = "user:conflict", .amount = 999});
    EXPECT_EQ(other.status, 200);
    EXPECT_NE(other.body.find("\"event_id\":\"conflict1~"), std::string::npos) << other.body;
    EXPECT_NE(other.body.find("\"id_conflict\""), std::string::npos) << other.body;
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:conflict'"),
              "100");
}

TEST_F(ReceiveAnswers, TheSameEffectWithAnotherAmountIsQuarantined) {
    DemoSender sender(server().port());
    sender.send({.id = "effect1", .payment = "pay_effect", .account = "user:effect"});
    const auto other = sender.send(
        {.id = "effect2", .payment = "pay_effect", .account = "user:effect", .amount = 999});
    EXPECT_NE(other.body.find("\"effect_conflict\""), std::string::npos) << other.body;
    EXPECT_EQ(state_of("effect2"), "quarantined quarantined");
}

TEST_F(ReceiveAnswers, APausedProvidersEventIsStoredAndFinishedByALaterDelivery) {
    DemoSender sender(server().port());
    database().run("INSERT INTO provider_pauses VALUES ('demo', now(), 'ana', 'test')");
    const auto paused = sender.send({.id = "paused1", .account = "user:paused"});
    database().run("DELETE FROM provider_pauses");
    EXPECT_EQ(paused.status, 200);
    EXPECT_NE(paused.body.find(R"("status":"pending","outcome":"pending")"), std::string::npos)
        << paused.body;
    EXPECT_EQ(database().value("SELECT count(*) FROM balances WHERE account = 'user:paused'"), "0");
    const auto later = sender.send({.id = "paused1", .account = "user:paused"});
    EXPECT_NE(later.body.find(R"("status":"done","outcome":"applied")"), std::string::npos);
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:paused'"), "100");
}

class ReceiveLeased : public ReceiveCase {
  protected:
    // An event that a worker processes, with a lease this old.
    void lease(const std::string& provider, const std::string& id, const std::string& age) {
        database().run("INSERT INTO provider_pauses VALUES ('" + provider +
                       "', now(), 'ana', 'test')");
        deliver(provider, id);
        // Before the pause ends: then the server's sweeper would be first.
        database().run(
            "UPDATE webhook_intents SET lease = 7, wake_at = clock_timestamp() + interval '1 hour',"
            " locked_at = clock_timestamp() - interval '" +
            age + "' WHERE event_id = '" + id + "'");
        database().run("DELETE FROM provider_pauses");
    }
    Response deliver(const std::string& provider, const std::string& id) {
        DemoSender sender(server().port(), provider);
        const std::string body = body_of({.id = id, .account = "user:leased"});
        const bool demo = provider == "demo";
        return sender.post(signed_headers(id, body, now(), demo ? "" : other_secret), body);
    }
};

TEST_F(ReceiveLeased, AnEventUnderALiveLeaseIsPending) {
    lease("demo", "leased1", "1 second");
    const auto answer = deliver("demo", "leased1");
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find(R"("status":"pending")"), std::string::npos) << answer.body;
    EXPECT_EQ(state_of("leased1"), "pending pending");
}

TEST_F(ReceiveLeased, AProviderThatAsksForItGetsAConflictInstead) {
    lease("narrow", "leased2", "1 second");
    const auto answer = deliver("narrow", "leased2");
    EXPECT_EQ(answer.status, 409);
    EXPECT_NE(answer.header("Retry-After"), "");
}

TEST_F(ReceiveLeased, APausedProvidersEventIsNotAConflict) {
    database().run("INSERT INTO provider_pauses VALUES ('narrow', now(), 'ana', 'test')");
    for (int i = 0; i < 2; ++i) {
        const auto answer = deliver("narrow", "paused2");
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_NE(answer.body.find(R"("status":"pending")"), std::string::npos) << answer.body;
    }
    database().run("DELETE FROM provider_pauses");
}

TEST_F(ReceiveLeased, AnExpiredLeaseIsTakenOverAndTheWorkFinished) {
    lease("demo", "leased3", "1 hour");
    const auto answer = deliver("demo", "leased3");
    EXPECT_NE(answer.body.find(R"("status":"done","outcome":"applied")"), std::string::npos)
        << answer.body;
}

TEST_F(ReceiveAnswers, AProviderMayWantItsOwnWordsBack) {
    DemoSender sender(server().port(), "acked");
    const std::string body = body_of({.id = "acked1"});
    const auto answer = sender.post(signed_headers("acked1", body, now(), other_secret), body);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "[accepted]");
    EXPECT_TRUE(answer.header("Content-Type").starts_with("text/plain"));
}

}  // namespace
}  // namespace pawl::testing
