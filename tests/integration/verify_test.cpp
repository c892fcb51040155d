// Every invariant is attacked: a verifier that cannot fail proves nothing.
#include "intents/verify/verify.hpp"

#include <gtest/gtest.h>

#include "intents/retention/retention.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

struct Attack {
    const char* invariant;
    const char* sql;
};

class Verify : public ::testing::Test {
  protected:
    Verify() {
        testing::commit(session,
                        {testing::deliver({testing::event({"e1", "capture/1"})}),
                         testing::deliver({testing::event({"e2", "capture/2"})}),
                         testing::deliver({testing::event({"e3", "capture/2"})}),
                         testing::deliver({testing::event(total("t1", 60))}),
                         testing::deliver({testing::event(total("t2", 100))}),
                         testing::deliver({testing::unreadable("no_rule", "x")}),
                         testing::deliver({testing::event(
                             {.id = "r1", .effect = "refund/9", .needs = {"capture/9"}})})});
    }
    static testing::Said total(const std::string& id, std::int64_t so_far) {
        return {.id = id, .effect = "capture/t", .amount = so_far, .total = true};
    }
    std::vector<std::string> broken() {
        std::vector<std::string> names;
        for (const Invariant& one : verify(session)) {
            if (!one.breaches.empty()) names.push_back(one.name);
        }
        return names;
    }
    testing::TestDatabase database;
    db::Session session = database.session();
};

TEST_F(Verify, HoldsForBooksThatOnlyPawlWrote) {
    EXPECT_TRUE(broken().empty());
    EXPECT_TRUE(holds(verify(session)));
}

// Retention takes nothing away that a transfer needs.
TEST_F(Verify, ATransferWithoutItsEventIsFoundHoweverOldItIs) {
    database.run(
        "UPDATE webhook_intents SET received_at = now() - interval '50 days', done_at = "
        "now() - interval '50 days' WHERE status = 'done'; "
        "UPDATE transfers SET posted_at = now() - interval '50 days'");
    const auto chores = expiry_chores({{"demo", std::chrono::days(30), std::chrono::days(3)}});
    while (chores[0].step(session, {})) {
    }
    EXPECT_NE(database.value("SELECT sum(purged) FROM purged_intents"), "");
    EXPECT_TRUE(broken().empty());
    database.run("DELETE FROM webhook_intents WHERE event_id = 'e1'");
    EXPECT_EQ(broken(), std::vector<std::string>{"transfer_has_its_cause"});
}

// A property that a constraint proves is read only by a deep verification, and by no index.
TEST_F(Verify, ConstrainedPropertiesAreReadByADeepVerification) {
    database.run(
        "DROP INDEX transfers_effect_key; INSERT INTO transfers "
        "(effect_key, debit_account, credit_account, currency, amount, provider, event_id, "
        "posted_at) SELECT effect_key, debit_account, credit_account, currency, amount, "
        "provider, event_id, posted_at FROM transfers LIMIT 1");
    const auto found = [&](Depth depth) {
        for (const Invariant& one : verify(session, depth)) {
            if (one.name == "effect_posted_once") return one.breaches.size();
        }
        return std::size_t{0};
    };
    EXPECT_EQ(found(Depth::since_last_proof), 1U);
    EXPECT_EQ(found(Depth::deep), 2U);
}

class VerifyFinds : public Verify, public ::testing::WithParamInterface<Attack> {};

TEST_P(VerifyFinds, TheAttack) {
    database.run(GetParam().sql);
    const auto names = broken();
    EXPECT_NE(std::find(names.begin(), names.end(), GetParam().invariant), names.end());
    EXPECT_FALSE(holds(verify(session)));
}

INSTANTIATE_TEST_SUITE_P(
    Each, VerifyFinds,
    ::testing::Values(
        Attack{"balance_is_sum_of_transfers", "UPDATE balances SET amount = amount + 1"},
        Attack{"balance_is_sum_of_transfers", "DELETE FROM balances"},
        Attack{"balance_is_sum_of_transfers", "INSERT INTO balances VALUES ('ghost', 'USD', 5)"},
        Attack{"applied_has_its_transfer", "DELETE FROM transfers WHERE event_id = 'e1'"},
        Attack{"applied_has_its_transfer",
               "UPDATE transfers SET amount = amount - 1 WHERE event_id = 'e1'"},
        Attack{"applied_has_its_transfer",
               "UPDATE webhook_intents SET result = '{\"effect_keys\": [\"demo/capture/1\", "
               "\"demo/fee/1\"]}' WHERE event_id = 'e1'"},
        Attack{"transfer_has_its_cause", "DELETE FROM webhook_intents WHERE event_id = 'e1'"},
        Attack{
            "transfer_has_its_cause",
            "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount, "
            "posted_at, payment_id) VALUES ('x/y', 'demo:clearing', 'user:1', 'USD', 1, now(), "
            "'p')"},
        Attack{"effect_posted_once",
               "DROP INDEX transfers_effect_key; INSERT INTO transfers "
               "(effect_key, debit_account, credit_account, currency, amount, provider, event_id, "
               "posted_at) SELECT effect_key, debit_account, credit_account, currency, amount, "
               "provider, event_id, posted_at FROM transfers LIMIT 1"},
        Attack{"effect_posted_once",
               "DROP INDEX transfers_effect_key; "
               "CREATE INDEX transfers_effect_key ON transfers (key_hash(effect_key))"},
        Attack{"effect_posted_once",
               "DROP INDEX transfers_effect_key; CREATE UNIQUE INDEX transfers_effect_key "
               "ON transfers (key_hash(effect_key || currency))"},
        Attack{"effect_posted_once",
               "DROP INDEX transfers_effect_key; CREATE UNIQUE INDEX transfers_effect_key "
               "ON transfers (key_hash(effect_key)) WHERE amount > 1"},
        Attack{"effect_posted_once",
               "DROP INDEX transfers_effect_key; CREATE UNIQUE INDEX transfers_effect_key "
               "ON transfers (key_hash(effect_key), id)"},
        Attack{"effect_posted_once",
               "CREATE OR REPLACE FUNCTION key_hash(key text) RETURNS bytea LANGUAGE sql IMMUTABLE "
               "STRICT PARALLEL SAFE RETURN decode(md5(key), 'hex')"},
        Attack{"duplicate_effect_names_its_twin",
               "UPDATE webhook_intents SET amount = 7 WHERE event_id = 'e3'"},
        Attack{"running_total_is_sum_of_transfers", "UPDATE running_totals SET total = total - 1"},
        Attack{"running_total_is_sum_of_transfers", "DELETE FROM running_totals"},
        // As two deliveries at the same moment would leave it, if nothing kept them apart.
        Attack{
            "running_total_is_sum_of_transfers",
            "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount, "
            "provider, event_id, posted_at) SELECT 'demo/capture/t@140', debit_account, "
            "credit_account, currency, amount, provider, event_id, posted_at FROM transfers "
            "WHERE effect_key = 'demo/capture/t@100'"},
        Attack{"payment_has_one_shape",
               "UPDATE transfers SET effect_key = 'demo/capture/1@100', payment_key = "
               "'demo/capture/2' WHERE effect_key = 'demo/capture/1'; UPDATE transfers SET "
               "effect_key = 'demo/capture/1' WHERE effect_key = 'demo/capture/2'"},
        Attack{"movement_has_its_payment",
               "UPDATE transfers SET payment_key = NULL WHERE effect_key = 'demo/capture/1'"},
        Attack{"movement_has_its_payment",
               "UPDATE transfers SET payment_key = 'demo/capture/2' "
               "WHERE effect_key = 'demo/capture/1'"},
        Attack{"returned_within_captures",
               "INSERT INTO transfers (effect_key, payment_key, debit_account, credit_account, "
               "currency, amount, provider, event_id, posted_at) SELECT 'demo/refund/x', "
               "effect_key, credit_account, debit_account, currency, amount + 1, provider, "
               "event_id, posted_at FROM transfers WHERE effect_key = 'demo/capture/1'"},
        Attack{"received_is_sum_of_outcomes",
               "ALTER TABLE webhook_intents DROP CONSTRAINT webhook_intents_status_fits_outcome; "
               "UPDATE webhook_intents SET outcome = 'applied' WHERE status = 'quarantined'"},
        Attack{
            "parked_need_is_unmet",
            "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount, "
            "posted_at, payment_id) VALUES ('demo/capture/9', 'demo:clearing', 'user:1', 'USD', 1, "
            "now(), "
            "'p')"},
        Attack{"unfinished_has_its_bytes", "DELETE FROM open_deliveries"},
        Attack{"unfinished_has_its_bytes",
               "UPDATE open_deliveries SET body = overlay(body PLACING 'x' FROM 4)"},
        Attack{"unfinished_has_its_bytes", "UPDATE open_deliveries SET provider = 'other'"},
        Attack{"unfinished_has_its_bytes",
               "UPDATE webhook_intents SET body_sha256 = sha256('x') WHERE status = 'parked'"},
        Attack{"unfinished_has_its_bytes",
               "UPDATE webhook_intents SET item_offset = -1 WHERE status = 'parked'"},
        Attack{"unfinished_has_its_bytes",
               "UPDATE webhook_intents SET item_offset = 2147483647 WHERE status = 'parked'"},
        Attack{"unfinished_has_its_bytes",
               "UPDATE webhook_intents SET item_length = -1 WHERE status = 'parked'"},
        Attack{"unfinished_has_its_bytes",
               "UPDATE webhook_intents SET item_length = NULL WHERE status = 'parked'"},
        Attack{"unfinished_has_its_bytes",
               "UPDATE webhook_intents SET item_length = item_length + 1000 WHERE status = "
               "'parked'"},
        Attack{"unfinished_will_wake",
               "ALTER TABLE webhook_intents DROP CONSTRAINT webhook_intents_waiting_will_wake; "
               "UPDATE webhook_intents SET wake_at = NULL WHERE status = 'parked'"}),
    [](const auto& tested) {
        return std::string(tested.param.invariant) + "_" + std::to_string(tested.index);
    });

}  // namespace
}  // namespace pawl::intents
