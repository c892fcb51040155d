#include "tests/integration/operating_case.hpp"

#include <algorithm>
#include <thread>
#include <tuple>

#include "access/pauses.hpp"

namespace pawl::intents {
namespace {

TEST_F(Operating, AQuarantinedEventIsRetriedByTheRulesOfToday) {
    receive(today, "c1", capture);
    EXPECT_EQ(receive(today, "r1", refund).note, "no_rule");
    const auto retried = act(tomorrow, Act::retry, "r1");
    ASSERT_TRUE(retried);
    EXPECT_EQ(retried->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "70");
    EXPECT_EQ(database.value("SELECT principal || ' ' || action || ' ' || reason FROM audit_log"),
              "ana intent.retry because");
    EXPECT_EQ(database.value("SELECT details->>'signature_today' FROM audit_log"), "ok");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Operating, AnEventOfAPausedProviderIsActedOnAfterItsResumptionOrDismissed) {
    access::pause(session, "demo", "ana", "amounts look wrong");
    EXPECT_EQ(receive(today, "c1", capture).outcome, ledger::Outcome::pending);
    receive(today, "c2", R"({"id":"c2","type":"other"})");
    for (const Act one : {Act::retry, Act::release, Act::post, Act::assign}) {
        const ActResult refused = act(today, one, "c1");
        EXPECT_EQ(told(refused), "provider_paused");
        EXPECT_NE(refused.error().message.find("pawl providers resume demo"), std::string::npos);
    }
    EXPECT_EQ(told(act(tomorrow, Act::retry, "c2")), "provider_paused");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "0");
    EXPECT_EQ(told(act(today, Act::dismiss, "c2")), "dismissed no_rule");
    access::resume(session, "demo", "ana", "they are right");
    EXPECT_EQ(act(today, Act::retry, "c1")->outcome, ledger::Outcome::applied);
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Operating, TheBytesAreJudgedAsOfTheMomentTheyCame) {
    receive(today, "r1", refund);
    database.run("UPDATE webhook_intents SET received_at = received_at - interval '20 days'");
    database.run("UPDATE open_deliveries SET received_at = received_at - interval '20 days'");
    ASSERT_TRUE(act(tomorrow, Act::retry, "r1"));
}

TEST_F(Operating, StoredVerdictCountsWithoutTheSecretAndTheAuditRowStatesIt) {
    receive(today, "r1", refund);
    auto other = config(true);
    other.secrets = {"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"};
    const auto retried = act(providers::Provider::create(other).value(), Act::retry, "r1");
    ASSERT_TRUE(retried);
    EXPECT_EQ(retried->outcome, ledger::Outcome::parked);
    EXPECT_EQ(database.value("SELECT details->>'signature_today' FROM audit_log"), "wrong_secret");
}

TEST_F(Operating, AParkedRefundCanBePostedWithoutItsCapture) {
    EXPECT_EQ(receive(tomorrow, "r1", refund).outcome, ledger::Outcome::parked);
    const auto posted = act(tomorrow, Act::post, "r1");
    ASSERT_TRUE(posted);
    EXPECT_EQ(posted->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "-30");
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "0");
}

TEST_F(Operating, ForcedRefundIsPostedOnceAndNotReleasedByItsCapture) {
    receive(tomorrow, "r1", refund);
    const auto later = SystemClock().now() + std::chrono::hours(73);
    const auto act_later = [&](Act what) {
        return apply_operator_action(session, tomorrow, {what, "r1", "ana", "because"}, later);
    };
    EXPECT_EQ(act_later(Act::release)->note, "needs_timeout");
    EXPECT_EQ(act_later(Act::retry)->outcome, ledger::Outcome::parked) << "from then on";
    database.run("UPDATE effect_waits SET since = since - interval '73 hours'");
    EXPECT_EQ(act_later(Act::release)->note, "needs_timeout");
    EXPECT_EQ(act_later(Act::post)->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "0");
    receive(tomorrow, "c1", capture);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "70");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Operating, ReleasedGapUnblocksTheStream) {
    const auto held = [](std::int64_t number) {
        const std::string id = "h" + std::to_string(number);
        return testing::deliver({testing::event({.id = id,
                                                 .effect = id,
                                                 .sequence = number,
                                                 .order = providers::OrderingPolicy::hold})});
    };
    testing::commit(session, {held(5), held(6), held(3)});
    const auto released = act(today, Act::release, "h5");
    ASSERT_TRUE(released);
    EXPECT_EQ(released->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT last FROM sequences"), "6");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "300");
    EXPECT_EQ(database.value("SELECT outcome FROM webhook_intents WHERE event_id = 'h3'"),
              "applied_late");
    EXPECT_EQ(database.value("SELECT count(*) FROM sequence_waits"), "0");
}

TEST_F(Operating, AFinishedOrUnknownEventIsLeftAlone) {
    receive(today, "c1", capture);
    EXPECT_FALSE(act(today, Act::retry, "c1"));
    EXPECT_FALSE(act(today, Act::post, "nothing"));
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log"), "0");
}

// The mark of a second content is a tilde and a hash; a sender's own tilde means nothing.
TEST_F(Operating, AnIdWithATildeIsRetriedLikeAnyOther) {
    const std::string body =
        R"({"id":"r~1","type":"refunded","account":"u","amount":30,"currency":"USD","of":"c1"})";
    EXPECT_EQ(receive(today, "r~1", body).note, "no_rule");
    EXPECT_TRUE(holds(verify(session)));
    const auto retried = act(tomorrow, Act::retry, "r~1");
    ASSERT_TRUE(retried) << retried.error().message;
    EXPECT_EQ(retried->outcome, ledger::Outcome::parked);
}

// A sender that may choose ids knows the key that a second content of another id will have.
TEST_F(Operating, AnIdInTheFormOfAConflictsKeyTakesNoConflictsPlace) {
    const auto captured = [](const std::string& id, int amount) {
        return R"({"id":")" + id + R"(","type":"captured","account":"u","amount":)" +
               std::to_string(amount) + R"(,"currency":"USD"})";
    };
    receive(today, "q", captured("q", 1));
    const auto first = receive(today, "q", captured("q", 2));
    ASSERT_EQ(first.note, "id_conflict");
    database.run("DELETE FROM webhook_intents; DELETE FROM transfers; DELETE FROM balances");
    const auto genuine = receive(today, "x", captured(first.event_id.str(), 9));
    EXPECT_EQ(genuine.outcome, ledger::Outcome::applied);
    receive(today, "q", captured("q", 1));
    const auto kept = receive(today, "q", captured("q", 2));
    EXPECT_EQ(kept.note, "id_conflict");
    EXPECT_FALSE(kept.duplicate);
    EXPECT_EQ(kept.event_id, first.event_id);
    EXPECT_TRUE(receive(today, "x", captured(first.event_id.str(), 9)).duplicate);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "10");
}

// An event that hides its mode moves no money; the same with its mode does.
TEST_F(Operating, EventWithoutItsModeDiffersFromTheSameWithIt) {
    auto with_mode = config(false);
    with_mode.read.live = {{"/livemode", {"true"}}};
    const auto provider = providers::Provider::create(with_mode).value();
    EXPECT_EQ(receive(provider, "c1", capture).note, "shape_changed");
    std::string live = capture;
    live.insert(live.size() - 1, R"(,"livemode":true)");
    const auto kept = receive(provider, "c1", live);
    EXPECT_EQ(kept.note, "id_conflict");
    EXPECT_FALSE(kept.duplicate);
    const auto posted = act(provider, Act::post, kept.event_id.str());
    ASSERT_TRUE(posted) << posted.error().message;
    EXPECT_EQ(posted->outcome, ledger::Outcome::applied);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
}

TEST_F(Operating, ASecondContentUnderOneIdIsPostedOnlyByPost) {
    receive(today, "c1", capture);
    const std::string other =
        R"({"id":"c1","type":"captured","account":"u","amount":7,"currency":"USD"})";
    const auto kept = receive(today, "c1", other);
    EXPECT_EQ(kept.note, "id_conflict");
    EXPECT_TRUE(holds(verify(session)));
    EXPECT_EQ(act(today, Act::retry, kept.event_id.str())->note, "id_conflict");
    EXPECT_EQ(act(today, Act::post, kept.event_id.str())->note, "effect_conflict");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
}

// The operator has seen both, and says that the second is another movement.
TEST_F(Operating, AConflictIsPostedUnderANewKeyAndOnlyTheCheckThatFoundItIsSetAside) {
    receive(today, "c1", capture);
    const std::string other =
        R"({"id":"c1","type":"captured","account":"u","amount":7,"currency":"USD"})";
    const std::string kept = receive(today, "c1", other).event_id.str();
    EXPECT_EQ(told(act(today, Act::post, kept)), "quarantined effect_conflict");
    EXPECT_EQ(told(act(today, Act::retry, kept)), "quarantined id_conflict");
    EXPECT_EQ(told(act(today, Act::post, kept)), "quarantined effect_conflict");
    const auto posted = post(today, kept, "effect_conflict");
    EXPECT_EQ(told(posted), "applied ");
    ASSERT_EQ(posted.transfers.size(), 1U);
    EXPECT_EQ(posted.transfers[0].effect_key.str() + " " + posted.transfers[0].credit.str() + " " +
                  to_decimal_text(posted.transfers[0].amount),
              "demo/capture/c1#2 u 0.07");
    EXPECT_EQ(told(act(today, Act::post, kept)), "finished");
    EXPECT_EQ(database.value("SELECT effect_key || ' ' || payment_key FROM transfers "
                             "ORDER BY id DESC LIMIT 1"),
              "demo/capture/c1#2 demo/capture/c1");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "107");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

// As a client sends it that has lost the answer: it has not seen the second conflict.
TEST_F(Operating, APostThatIsSentTwiceSetsOneCheckAside) {
    receive(today, "c1", capture);
    const std::string other =
        R"({"id":"c1","type":"captured","account":"u","amount":7,"currency":"USD"})";
    const std::string kept = receive(today, "c1", other).event_id.str();
    EXPECT_EQ(told(act(today, Act::post, kept)), "quarantined effect_conflict");
    const auto again = act(today, Act::post, kept);
    ASSERT_EQ(told(again), "stopped_again");
    for (const char* part : {"ana", "id_conflict aside", "--check effect_conflict"}) {
        EXPECT_NE(again.error().message.find(part), std::string::npos) << again.error().message;
    }
    EXPECT_EQ(told(post(today, kept, "id_conflict")), "stopped_again");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log"), "1");
    EXPECT_EQ(told(post(today, kept, "effect_conflict")), "applied ");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "107");
}

// A conflict of a payment's captures is posted to the account that holds the payment.
TEST_F(Operating, AnAnswerNamesTheAccountAmountAndCurrencyThatItPosted) {
    receive(today, "c1", capture);
    database.run("UPDATE webhook_intents SET event_id = 'x' WHERE event_id = 'c1'");
    const std::string other =
        R"({"id":"c1","type":"captured","account":"v","amount":7,"currency":"USD"})";
    EXPECT_EQ(receive(today, "c1", other).note, "effect_conflict");
    const auto posted = post(today, "c1", "effect_conflict");
    ASSERT_EQ(told(posted), "applied ");
    ASSERT_EQ(posted.transfers.size(), 1U);
    const auto& one = posted.transfers[0];
    EXPECT_EQ(one.debit.str() + " " + one.credit.str() + " " + std::to_string(one.amount.minor) +
                  " " + std::string(one.amount.currency.code()),
              "demo:clearing u 7 USD");
}

TEST_F(Operating, PostRequiresTheAccountOfAnUnmetNeed) {
    auto of_need = config(true);
    of_need.rules[1].account = "needs";
    const auto provider = providers::Provider::create(of_need).value();
    EXPECT_EQ(receive(provider, "r1", refund).outcome, ledger::Outcome::parked);
    EXPECT_EQ(told(act(provider, Act::post, "r1")), "account_unknown");
    receive(provider, "c1", capture);
    EXPECT_EQ(database.value("SELECT amount FROM balances WHERE account = 'u'"), "70");
}

// No rule has read the amount, so both are one event. Its bytes are those of the first delivery.
TEST_F(Operating, ARetryNeverReadsTheBytesOfAnotherContent) {
    receive(today, "r1", refund);
    const std::string other =
        R"({"id":"r1","type":"refunded","account":"u","amount":99,"currency":"USD","of":"c1"})";
    EXPECT_TRUE(receive(today, "r1", other).duplicate);
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_deliveries"), "2");
    const auto retried = act(tomorrow, Act::retry, "r1");
    ASSERT_TRUE(retried) << retried.error().message;
    EXPECT_EQ(database.value("SELECT amount FROM webhook_intents WHERE event_id = 'r1'"), "30");
}

TEST_F(Operating, WithoutItsBytesARetryIsRefused) {
    receive(today, "r1", refund);
    database.run("DELETE FROM open_deliveries");
    EXPECT_FALSE(act(tomorrow, Act::retry, "r1"));
    EXPECT_EQ(database.value("SELECT outcome FROM webhook_intents WHERE event_id = 'r1'"),
              "quarantined");
}

TEST_F(Operating, ADismissedEventMovesNothingAndIsFinished) {
    receive(today, "c1", capture);
    EXPECT_EQ(receive(today, "r1", refund).note, "no_rule");
    EXPECT_EQ(told(act(today, Act::dismiss, "r1")), "dismissed no_rule");
    EXPECT_EQ(told(act(tomorrow, Act::retry, "r1")), "finished");
    EXPECT_EQ(told(act(tomorrow, Act::dismiss, "r1")), "finished");
    EXPECT_TRUE(receive(tomorrow, "r1", refund).duplicate);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
    EXPECT_EQ(
        database.value("SELECT status || ' ' || outcome FROM webhook_intents WHERE event_id = "
                       "'r1'"),
        "done dismissed");
    EXPECT_EQ(database.value("SELECT action || ' ' || (details->>'stopped_by') FROM audit_log"),
              "intent.dismiss no_rule");
    EXPECT_TRUE(holds(verify(session, Depth::deep)));
}

TEST_F(Operating, DismissedRefundIsNotReleasedByItsCapture) {
    EXPECT_EQ(receive(tomorrow, "r1", refund).outcome, ledger::Outcome::parked);
    EXPECT_EQ(told(act(tomorrow, Act::dismiss, "r1")), "dismissed waiting for demo/capture/c1");
    EXPECT_EQ(database.value("SELECT count(*) FROM effect_waits"), "0");
    receive(tomorrow, "c1", capture);
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
    EXPECT_TRUE(holds(verify(session)));
}

TEST_F(Operating, UnreadableEventCanBeDismissed) {
    receive(today, "r1", refund);
    database.run("DELETE FROM open_deliveries");
    EXPECT_EQ(told(act(today, Act::dismiss, "r1")), "dismissed no_rule");
}

// A quarantined event keeps its place in a sequence until it is dealt with.
TEST_F(Operating, DismissedNumberUnblocksTheOnesBehindIt) {
    auto dense = config(false);
    dense.read.sequence = "/n";
    dense.rules[0].order = providers::OrderingPolicy::hold;
    dense.rules[0].effect_key = {{"capture"}, {"/k"}};
    const auto of_key = providers::Provider::create(dense).value();
    const auto numbered = [](int n, const char* key, int amount) {
        const std::string id = std::to_string(n);
        return R"({"id":"h)" + id + R"(","type":"captured","account":"u","currency":"USD","n":)" +
               id + R"(,"k":")" + key + R"(","amount":)" + std::to_string(amount) + "}";
    };
    EXPECT_EQ(receive(of_key, "h1", numbered(1, "a", 10)).outcome, ledger::Outcome::applied);
    EXPECT_EQ(receive(of_key, "h2", numbered(2, "a", 20)).note, "effect_conflict");
    EXPECT_EQ(receive(of_key, "h3", numbered(3, "b", 30)).outcome, ledger::Outcome::parked);
    EXPECT_EQ(told(act(of_key, Act::dismiss, "h2")), "dismissed effect_conflict");
    EXPECT_EQ(database.value("SELECT amount FROM balances"), "40");
    EXPECT_EQ(database.value("SELECT last FROM sequences"), "3");
    EXPECT_EQ(database.value("SELECT count(*) FROM sequence_waits"), "0");
}

TEST_F(Operating, PostSetsAsideNothingThatItDoesNotName) {
    receive(today, "r1", refund);
    EXPECT_EQ(told(act(today, Act::post, "r1")), "not_possible") << "no rule reads it";
    EXPECT_EQ(told(act(today, Act::post, "none")), "unknown_intent");
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log"), "0");
    // A second content under one id, whose need has not come: the need is not what stopped it.
    auto other = refund;
    other.replace(other.find("30"), 2, "31");
    receive(tomorrow, "r2",
            R"({"id":"r2","type":"refunded","account":"u","amount":1,)"
            R"("currency":"USD","of":"c1"})");
    const auto kept = receive(tomorrow, "r2",
                              R"({"id":"r2","type":"refunded","account":"u",)"
                              R"("amount":2,"currency":"USD","of":"c1"})");
    EXPECT_EQ(kept.note, "id_conflict");
    EXPECT_EQ(told(act(tomorrow, Act::post, kept.event_id.str())),
              "parked waiting for demo/capture/c1");
}

TEST_F(Operating, ConcurrentActionsOnOneEventMoveItsMoneyOnce) {
    receive(today, "c1", capture);
    const Currency usd = Currency::parse("USD").value();
    for (int round = 0; round < 10; ++round) {
        const std::string id = "x" + std::to_string(round);
        EXPECT_EQ(receive(today, id,
                          R"({"id":")" + id +
                              R"(","type":"refunded","account":"u","amount":30,"currency":"USD",)"
                              R"("of":"c1"})")
                      .note,
                  "no_rule");
        const Assignment first{providers::Action::debit, AccountId("u"), 1, usd,
                               EffectKey("demo/refund/" + id)};
        const Assignment second{providers::Action::debit, AccountId("u"), 2, usd,
                                EffectKey("demo/refund/" + id)};
        std::string answers[3];
        {
            std::jthread a([&] { answers[0] = told(act(tomorrow, Act::assign, id, first)); });
            std::jthread b([&] { answers[1] = told(act(tomorrow, Act::assign, id, second)); });
            std::jthread c([&] { answers[2] = told(act(tomorrow, Act::dismiss, id)); });
        }
        std::sort(std::begin(answers), std::end(answers));
        EXPECT_EQ(answers[1] + " " + answers[2], "finished finished");
        EXPECT_EQ(database.value("SELECT count(*) FROM transfers WHERE event_id = '" + id + "'"),
                  answers[0] == "applied " ? "1" : "0");
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log"), "10");
    EXPECT_TRUE(holds(verify(session)));
}

}  // namespace
}  // namespace pawl::intents
