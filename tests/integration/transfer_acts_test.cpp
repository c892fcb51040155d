// Operators' entries in the journal, reversals and corrections: none moves money twice, however
// often it is repeated and whatever else happens at the same time.
#include "intents/operator/transfer_acts.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "intents/accept/accept.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

const Currency usd = Currency::parse("USD").value();

Money dollars(std::int64_t minor) {
    return {minor, usd};
}

class TransferActs : public ::testing::Test {
  protected:
    TransferActResult act(const TransferAct& what) {
        db::Session own = database.session();
        return apply_transfer_act(own, what, {"ana", "because"}, SystemClock().now());
    }
    // "done 2", "duplicate 1", or the code of the refusal.
    std::string told(const TransferAct& what) {
        const auto result = act(what);
        if (const auto* refused = std::get_if<TransferActRefused>(&result)) return refused->code;
        const auto& done = std::get<TransferActDone>(result);
        return (done.duplicate ? "duplicate " : "done ") + std::to_string(done.transfers.size());
    }
    // A movement of a payment, as an event would post it.
    void move(ledger::Kind kind, const std::string& account, std::int64_t amount,
              const std::string& key, const std::string& root) {
        ledger::Entry entry{"demo",
                            {{kind, AccountId(account), dollars(amount), EffectKey(key)}},
                            {},
                            ledger::ByEvent{ProviderName("demo"), EventId(key)}};
        entry.payment_key = EffectKey(root);
        db::Session own = database.session();
        db::in_transaction(own, [&](db::Transaction& transaction) {
            const auto applied = post_entries(transaction, {entry}, {EffectKey(root)},
                                              CorrelationId("c"), SystemClock().now());
            EXPECT_EQ(applied.at(0).outcome, ledger::Outcome::applied);
        });
    }
    void credit(const std::string& account, std::int64_t amount, const std::string& key) {
        testing::commit(session,
                        {testing::deliver({testing::event(
                            {.id = key, .effect = key, .account = account, .amount = amount})})});
    }
    std::int64_t id_of(const std::string& key) {
        return std::stoll(value("SELECT id FROM transfers WHERE effect_key IN ('" + key +
                                "', 'demo/" + key + "')"));
    }
    std::string value(const std::string& sql) { return database.value(sql); }
    std::string balance(const std::string& account) {
        return value("SELECT coalesce((SELECT amount FROM balances WHERE account = '" + account +
                     "'), 0)");
    }
    void expect_books_hold() {
        for (const Invariant& one : verify(session)) {
            // Movements of a root are posted here without their events.
            if (one.name == "transfer_has_its_cause" || one.for_attention) continue;
            EXPECT_TRUE(one.breaches.empty()) << one.name;
        }
    }
    testing::TestDatabase database;
    db::Session session = database.session();
};

TEST_F(TransferActs, AnEntryMovesMoneyBetweenTwoAccountsAndNamesItsReference) {
    EXPECT_EQ(told(PostEntry{"T-1", AccountId("promo"), AccountId("user:1"), dollars(500)}),
              "done 1");
    EXPECT_EQ(balance("promo") + " " + balance("user:1"), "-500 500");
    EXPECT_EQ(value("SELECT effect_key || ' ' || entry_id || ' ' || source || ' ' || reason || ' ' "
                    "|| num_nonnulls(event_id, payment_id, refund_id) FROM transfers"),
              "operator/T-1 T-1 operator because 0");
    EXPECT_EQ(value("SELECT principal || ' ' || action || ' ' || subject || ' ' || reason FROM "
                    "audit_log"),
              "ana transfer.post entry/T-1 because");
    EXPECT_EQ(
        value("SELECT string_agg(payload->>'type' || ' ' || (payload->>'account'), ', ' ORDER "
              "BY id) FROM staged_jobs"),
        "debit.applied promo, credit.applied user:1");
    expect_books_hold();
}

TEST_F(TransferActs, AnEntryIsPostedOnceUnderItsReference) {
    const PostEntry entry{"T/1", AccountId("demo:clearing"), AccountId("user:1"), dollars(500)};
    EXPECT_EQ(told(entry), "done 1");
    EXPECT_EQ(told(entry), "duplicate 1");
    PostEntry other = entry;
    other.amount = dollars(501);
    EXPECT_EQ(told(other), "reference_conflict");
    EXPECT_EQ(balance("user:1"), "500");
    EXPECT_EQ(value("SELECT string_agg(effect_key, ',') FROM transfers"), "operator/T%2F1");
    EXPECT_EQ(value("SELECT count(*) FROM audit_log"), "1");
}

TEST_F(TransferActs, InvalidEntryIsRefusedWithoutAWrite) {
    const AccountId user("user:1"), clearing("demo:clearing"), other("a:clearing");
    const struct {
        const char* name;
        PostEntry entry;
        const char* code;
    } cases[] = {
        {"no reference", {"", clearing, user, dollars(1)}, "bad_reference"},
        {"a line break", {"a\nb", clearing, user, dollars(1)}, "bad_reference"},
        {"a reversal's", {"reversal/1", clearing, user, dollars(1)}, "bad_reference"},
        {"no account", {"r", clearing, AccountId(""), dollars(1)}, "bad_account"},
        {"one account", {"r", user, user, dollars(1)}, "bad_account"},
        {"clearing twice", {"r", clearing, other, dollars(1)}, "bad_account"},
        {"nothing", {"r", clearing, user, dollars(0)}, "bad_amount"},
        {"less than nothing", {"r", clearing, user, dollars(-1)}, "bad_amount"},
    };
    for (const auto& one : cases) EXPECT_EQ(told(one.entry), one.code) << one.name;
    EXPECT_EQ(value("SELECT (SELECT count(*) FROM transfers) + (SELECT count(*) FROM audit_log)"),
              "0");
}

TEST_F(TransferActs, AnAccountThatIsSetByItsProviderTakesNoEntry) {
    testing::commit(
        session,
        {testing::deliver({testing::event({.id = "b1",
                                           .effect = "demo/balance/1",
                                           .account = "mirror",
                                           .sequence = 1,
                                           .action = providers::Action::set_balance,
                                           .order = providers::OrderingPolicy::strict})})});
    EXPECT_EQ(told(PostEntry{"r", AccountId("user:1"), AccountId("mirror"), dollars(1)}),
              "account_is_absolute");
    EXPECT_EQ(told(PostEntry{"r", AccountId("mirror"), AccountId("user:1"), dollars(1)}),
              "account_is_absolute");
    EXPECT_EQ(balance("mirror") + " " + balance("user:1"), "100 0");
}

TEST_F(TransferActs, ATransferIsReversedOnce) {
    credit("user:1", 100, "c1");
    const std::int64_t id = id_of("c1");
    EXPECT_EQ(told(ReverseTransfer{id}), "done 1");
    EXPECT_EQ(told(ReverseTransfer{id}), "already_reversed");
    EXPECT_EQ(told(ReverseTransfer{4711}), "unknown_transfer");
    EXPECT_EQ(balance("user:1"), "0");
    EXPECT_EQ(value("SELECT effect_key || ' ' || debit_account || ' ' || reverses = '" +
                    ("reversal/" + std::to_string(id) + " user:1 " + std::to_string(id)) +
                    "' FROM transfers WHERE reverses IS NOT NULL"),
              "t");
    expect_books_hold();
}

TEST_F(TransferActs, AReversalIsReversedLikeAnyTransfer) {
    credit("user:1", 100, "c1");
    EXPECT_EQ(told(ReverseTransfer{id_of("c1")}), "done 1");
    const std::string reversal = "reversal/" + std::to_string(id_of("c1"));
    EXPECT_EQ(told(ReverseTransfer{id_of(reversal)}), "done 1");
    EXPECT_EQ(balance("user:1"), "100");
    EXPECT_EQ(told(ReverseTransfer{id_of("c1")}), "already_reversed");
    expect_books_hold();
}

TEST_F(TransferActs, TheProvidersRedeliveryOfWhatWasReversedMovesNothing) {
    credit("user:1", 100, "c1");
    EXPECT_EQ(told(ReverseTransfer{id_of("c1")}), "done 1");
    const auto twin = testing::deliver(
        {testing::event({.id = "again", .effect = "c1", .account = "user:1", .amount = 100})});
    EXPECT_EQ(testing::commit(session, {twin})[0][0].outcome, ledger::Outcome::duplicate_effect);
    EXPECT_EQ(balance("user:1"), "0");
}

// The operator reverses the bounce before the provider reports it: its money comes back once.
TEST_F(TransferActs, AReturnThatComesAfterTheOperatorsReversalMovesNothingByItself) {
    credit("user:1", 100, "c1");
    const auto say = [&](const std::string& id, providers::Action action, const std::string& need) {
        return testing::commit(session,
                               {testing::deliver({testing::event({.id = id,
                                                                  .effect = id,
                                                                  .account = "user:1",
                                                                  .amount = 40,
                                                                  .action = action,
                                                                  .needs = {need}})})})[0][0];
    };
    EXPECT_EQ(say("r1", providers::Action::debit, "c1").outcome, ledger::Outcome::applied);
    EXPECT_EQ(told(ReverseTransfer{id_of("r1")}), "done 1");
    EXPECT_EQ(balance("user:1"), "100");
    EXPECT_EQ(say("r1_failed", providers::Action::credit, "r1").note, "need_reversed");
    EXPECT_EQ(balance("user:1"), "100");
    // Reversed by mistake, and put back.
    EXPECT_EQ(told(ReverseTransfer{id_of("reversal/" + std::to_string(id_of("r1")))}), "done 1");
    EXPECT_EQ(say("r1_bounced", providers::Action::credit, "r1").outcome, ledger::Outcome::applied);
    EXPECT_EQ(balance("user:1"), "100");
    // A corrected movement is there, until its replacement is reversed too.
    EXPECT_EQ(told(CorrectTransfer{id_of("c1"), "K", std::nullopt, 90}), "done 2");
    EXPECT_EQ(say("r2", providers::Action::debit, "c1").outcome, ledger::Outcome::applied);
    EXPECT_EQ(told(ReverseTransfer{id_of("operator/K")}), "done 1");
    EXPECT_EQ(say("r3", providers::Action::debit, "c1").note, "need_reversed");
    EXPECT_EQ(balance("user:1"), "-40");
}

TEST_F(TransferActs, CorrectionRepostsWithTheRightAmount) {
    credit("user:1", 100, "c1");
    const CorrectTransfer act{id_of("c1"), "K-1", std::nullopt, 70};
    EXPECT_EQ(told(act), "done 2");
    EXPECT_EQ(told(act), "duplicate 2");
    EXPECT_EQ(balance("user:1"), "70");
    EXPECT_EQ(value("SELECT effect_key || ' ' || entry_id || ' ' || amount FROM transfers WHERE "
                    "corrects = " +
                    std::to_string(act.id)),
              "operator/K-1 K-1 70");
    EXPECT_EQ(value("SELECT entry_id FROM transfers WHERE reverses IS NOT NULL"), "K-1");
    EXPECT_EQ(value("SELECT count(*) FROM audit_log"), "1");
    CorrectTransfer other = act;
    other.amount = 71;
    EXPECT_EQ(told(other), "reference_conflict");
    other.reference = "K-2";
    EXPECT_EQ(told(other), "already_reversed");
    expect_books_hold();
}

TEST_F(TransferActs, ACorrectionOfTheAccountTakesThePaymentsRefundsWithIt) {
    const std::string root = "demo/capture/p1";
    move(ledger::Kind::credit, "user:1", 100, root, root);
    move(ledger::Kind::debit, "user:1", 30, "demo/refund/r1", root);
    move(ledger::Kind::debit, "fees:demo", 3, "demo/fee/f1", root);
    move(ledger::Kind::credit, "user:1", 55, "demo/capture/p2", "demo/capture/p2");
    EXPECT_EQ(told(CorrectTransfer{id_of(root), "K-1", AccountId("user:2"), 90}), "done 4");
    EXPECT_EQ(balance("user:1") + " " + balance("user:2") + " " + balance("fees:demo"), "55 60 -3");
    EXPECT_EQ(
        value("SELECT string_agg(effect_key || ' ' || amount || ' ' || payment_key, ', ' ORDER "
              "BY id) FROM transfers WHERE corrects IS NOT NULL"),
        "operator/K-1 90 demo/capture/p1, operator/K-1#2 30 demo/capture/p1");
    // And back again, with the refund.
    EXPECT_EQ(
        told(CorrectTransfer{id_of("operator/K-1"), "K-2", AccountId("user:1"), std::nullopt}),
        "done 4");
    EXPECT_EQ(balance("user:1") + " " + balance("user:2"), "115 0");
    expect_books_hold();
}

// Its reversals stand with what it posted in their place, or the money would be there twice.
TEST_F(TransferActs, AReversalThatIsPartOfACorrectionIsNotReversed) {
    const std::string root = "demo/capture/p1";
    move(ledger::Kind::credit, "user:1", 100, root, root);
    move(ledger::Kind::debit, "user:1", 30, "demo/refund/r1", root);
    EXPECT_EQ(told(CorrectTransfer{id_of(root), "K-1", AccountId("user:2"), std::nullopt}),
              "done 4");
    for (const std::string& part : {root, std::string("demo/refund/r1")}) {
        const std::int64_t id = id_of("reversal/" + std::to_string(id_of(part)));
        EXPECT_EQ(told(ReverseTransfer{id}), "part_of_correction");
        EXPECT_EQ(told(CorrectTransfer{id, "K-2", AccountId("user:3"), std::nullopt}),
                  "is_reversal");
    }
    EXPECT_EQ(balance("user:1") + " " + balance("user:2"), "0 70");
    EXPECT_EQ(value("SELECT count(*) FROM audit_log"), "1");
    // The replacement is taken back like any transfer, and that is undone, too.
    EXPECT_EQ(told(ReverseTransfer{id_of("operator/K-1#2")}), "done 1");
    const std::int64_t back = id_of("reversal/" + std::to_string(id_of("operator/K-1#2")));
    EXPECT_EQ(balance("user:1") + " " + balance("user:2"), "0 100");
    EXPECT_EQ(told(ReverseTransfer{back}), "done 1");
    EXPECT_EQ(balance("user:1") + " " + balance("user:2"), "0 70");
    expect_books_hold();
}

TEST_F(TransferActs, ACorrectionBelowWhatWasReturnedIsRefused) {
    const std::string root = "demo/capture/p1";
    move(ledger::Kind::credit, "user:1", 100, root, root);
    move(ledger::Kind::debit, "user:1", 30, "demo/refund/r1", root);
    EXPECT_EQ(told(CorrectTransfer{id_of(root), "K", std::nullopt, 29}), "below_returned");
    EXPECT_EQ(told(ReverseTransfer{id_of("demo/refund/r1")}), "done 1");
    EXPECT_EQ(told(CorrectTransfer{id_of(root), "K", std::nullopt, 29}), "done 2");
    EXPECT_EQ(balance("user:1"), "29");
}

// A return needs its capture, and a bounce its refund: `verify` would name the payment.
TEST_F(TransferActs, AReversalOfWhatWasReturnedIsRefusedUntilTheReturnIsReversed) {
    const std::string root = "demo/capture/p1";
    move(ledger::Kind::credit, "user:1", 60, root + ":a", root);
    move(ledger::Kind::credit, "user:1", 40, root + ":b", root);
    move(ledger::Kind::debit, "user:1", 30, "demo/refund/r1", root);
    move(ledger::Kind::debit, "fees:demo", 3, "demo/fee/f1", root);
    EXPECT_EQ(told(ReverseTransfer{id_of(root + ":b")}), "done 1") << "60 are left for 30";
    EXPECT_EQ(told(ReverseTransfer{id_of(root + ":a")}), "below_returned");
    move(ledger::Kind::credit, "user:1", 30, "demo/refund_failed/r1", root);
    EXPECT_EQ(told(ReverseTransfer{id_of("demo/refund/r1")}), "below_returned") << "it came back";
    EXPECT_EQ(told(ReverseTransfer{id_of("demo/refund_failed/r1")}), "done 1");
    EXPECT_EQ(told(ReverseTransfer{id_of("demo/refund/r1")}), "done 1");
    EXPECT_EQ(told(ReverseTransfer{id_of("demo/fee/f1")}), "done 1");
    EXPECT_EQ(told(ReverseTransfer{id_of(root + ":a")}), "done 1");
    EXPECT_EQ(balance("user:1"), "0");
    // The reversal of the refund cannot be taken back before that of its capture.
    const auto reversal_of = [&](const std::string& key) {
        return ReverseTransfer{id_of("reversal/" + std::to_string(id_of(key)))};
    };
    EXPECT_EQ(told(reversal_of("demo/refund/r1")), "below_returned");
    EXPECT_EQ(told(reversal_of(root + ":a")), "done 1");
    EXPECT_EQ(told(reversal_of("demo/refund/r1")), "done 1");
    for (const Invariant& one : verify(session)) {
        if (one.name == "transfer_has_its_cause") continue;
        EXPECT_TRUE(one.breaches.empty()) << one.name;
    }
}

TEST_F(TransferActs, InvalidCorrectionIsRefused) {
    credit("user:1", 100, "c1");
    const std::int64_t id = id_of("c1");
    EXPECT_EQ(told(CorrectTransfer{id, "K", std::nullopt, std::nullopt}), "nothing_to_correct");
    EXPECT_EQ(told(CorrectTransfer{id, "K", AccountId("user:1"), 100}), "nothing_to_correct");
    EXPECT_EQ(told(CorrectTransfer{id, "K", AccountId("demo:clearing"), std::nullopt}),
              "bad_account");
    EXPECT_EQ(told(CorrectTransfer{id, "K", std::nullopt, 0}), "bad_amount");
    EXPECT_EQ(told(CorrectTransfer{id, "", std::nullopt, 1}), "bad_reference");
    EXPECT_EQ(told(CorrectTransfer{4711, "K", std::nullopt, 1}), "unknown_transfer");
    EXPECT_EQ(told(PostEntry{"two", AccountId("a"), AccountId("b"), dollars(1)}), "done 1");
    EXPECT_EQ(told(CorrectTransfer{id_of("operator/two"), "K", AccountId("c"), std::nullopt}),
              "two_accounts");
    EXPECT_EQ(told(ReverseTransfer{id}), "done 1");
    EXPECT_EQ(told(CorrectTransfer{id_of("reversal/" + std::to_string(id)), "K", std::nullopt, 1}),
              "is_reversal");
    EXPECT_EQ(value("SELECT count(*) FROM transfers WHERE corrects IS NOT NULL"), "0");
}

TEST_F(TransferActs, AnEntryThatNoActPostedIsFoundByVerify) {
    EXPECT_EQ(told(PostEntry{"T-1", AccountId("a"), AccountId("b"), dollars(5)}), "done 1");
    credit("user:1", 100, "c1");
    EXPECT_EQ(told(ReverseTransfer{id_of("c1")}), "done 1");
    expect_books_hold();
    database.run(
        "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount, "
        "posted_at, entry_id, reason) VALUES ('operator/T-2', 'demo:clearing', 'other:clearing', "
        "'USD', 1, now(), 'T-2', 'none')");
    std::string broken;
    for (const Invariant& one : verify(session)) {
        if (!one.breaches.empty()) broken += one.name + " " + one.breaches[0].what;
    }
    EXPECT_EQ(broken, "entry_has_its_act no act of the audit log has the reference T-2");
}

// Each round has one transfer, on which all operators perform the same act at once.
TEST_F(TransferActs, ConcurrentActionsMoveTheMoneyOnce) {
    for (int round = 0; round < 12; ++round) {
        const std::string n = std::to_string(round);
        const std::string root = "demo/capture/p" + n;
        move(ledger::Kind::credit, "user:" + n, 100, root, root);
        const bool refunded = round % 2 == 1;  // then the capture cannot be reversed
        if (refunded) move(ledger::Kind::debit, "user:" + n, 40, "demo/refund/r" + n, root);
        const std::int64_t id = id_of(root);
        const TransferAct acts[] = {
            ReverseTransfer{id}, CorrectTransfer{id, "A" + n, AccountId("b:" + n), std::nullopt},
            CorrectTransfer{id, "A" + n, AccountId("b:" + n), std::nullopt},
            CorrectTransfer{id, "B" + n, AccountId("c:" + n), std::nullopt}};
        std::string told_by[4];
        {
            std::vector<std::jthread> operators;
            for (int i = 0; i < 4; ++i) {
                operators.emplace_back([&, i] { told_by[i] = told(acts[i]); });
            }
        }
        int done = 0;
        for (const std::string& one : told_by) done += one.starts_with("done") ? 1 : 0;
        EXPECT_EQ(done, 1) << told_by[0] << ", " << told_by[1] << ", " << told_by[2] << ", "
                           << told_by[3];
        EXPECT_EQ(value("SELECT count(*) FROM transfers WHERE reverses = " + std::to_string(id)),
                  "1");
        const std::string left =
            std::to_string(std::stoll(balance("user:" + n)) + std::stoll(balance("b:" + n)) +
                           std::stoll(balance("c:" + n)));
        if (refunded) {
            EXPECT_FALSE(told_by[0].starts_with("done")) << told_by[0];
        }
        EXPECT_EQ(left, refunded ? "60" : told_by[0].starts_with("done") ? "0" : "100");
    }
    expect_books_hold();
}

}  // namespace
}  // namespace pawl::intents
