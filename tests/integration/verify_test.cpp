// `pawl verify` of honest books, after retention, and by depth. verify_finds_test.cpp has what
// breaks them.
#include "intents/verify/verify.hpp"

#include <gtest/gtest.h>

#include "intents/retention/retention.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

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

}  // namespace
}  // namespace pawl::intents
