// Facts of a database that limit the configuration it may be served with.
#include "intents/queries/installation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "tests/support/database.hpp"

namespace pawl::intents {
namespace {

constexpr const char* a_transfer =
    "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount, provider, "
    "event_id, posted_at) VALUES ('demo/capture/1', 'demo:clearing', 'user:1', 'USD', 1, 'demo', "
    "'evt_1', now())";
constexpr const char* a_payment =
    "INSERT INTO orders (order_id, account, gateway, currency, amount, created_at, updated_at) "
    "VALUES ('o', 'user:1', 'g', 'USD', 1, now(), now());"
    "INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, state, amount, "
    "currency, account, correlation_id, created_at, updated_at) VALUES ('p', 'o', 1, 'pay:o:1', "
    "'g', 'g', 'unknown', 1, 'USD', 'user:1', 'c', now(), now())";
constexpr const char* the_payment_declined = "UPDATE payments SET state = 'declined'";

// The sessions of database.run() are listed for a moment after their end.
std::optional<BoundMode> adopt_once_alone(db::Session& session, Mode wanted) {
    auto bound = adopt_mode(session, wanted, ModeChange::allowed);
    for (int tries = 0; bound && bound->may_pass() && tries < 200; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        bound = adopt_mode(session, wanted, ModeChange::allowed);
    }
    return bound;
}

TEST(Installation, ChangesItsModeUntilSomethingIsPostedOrUnderWay) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    EXPECT_FALSE(adopt_once_alone(session, Mode::test));
    EXPECT_FALSE(adopt_once_alone(session, Mode::live));
    EXPECT_FALSE(adopt_once_alone(session, Mode::live));
    EXPECT_EQ(database.value("SELECT mode FROM installation"), "live");

    database.run(a_payment);
    const auto open = adopt_once_alone(session, Mode::test);
    ASSERT_TRUE(open);
    EXPECT_EQ(open->mode, Mode::live);
    EXPECT_EQ(open->because, "payments are open");
    EXPECT_FALSE(adopt_once_alone(session, Mode::live));
    database.run(the_payment_declined);
    EXPECT_FALSE(adopt_once_alone(session, Mode::test));

    database.run(a_transfer);
    const auto posted = adopt_once_alone(session, Mode::live);
    ASSERT_TRUE(posted);
    EXPECT_EQ(posted->mode, Mode::test);
    EXPECT_EQ(posted->because, "money is posted");
    EXPECT_EQ(database.value("SELECT mode FROM installation"), "test");
}

TEST(Installation, KeepsItsModeForACommandAndWhileAServerIsConnected) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    EXPECT_FALSE(adopt_mode(session, Mode::test, ModeChange::refused));
    const auto command = adopt_mode(session, Mode::live, ModeChange::refused);
    ASSERT_TRUE(command);
    EXPECT_EQ(command->mode, Mode::test);

    db::Session server = database.session();
    db::Statement::run_script(server, "SELECT 1");  // it connects at its first statement
    const auto second = adopt_mode(session, Mode::live, ModeChange::allowed);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->because, "another pawl is connected");
    EXPECT_EQ(database.value("SELECT mode FROM installation"), "test");
}

TEST(Installation, KnowsWhoseEventsItHolds) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    EXPECT_TRUE(providers_with_events(session, {"demo", "stripe"}).empty());
    database.run(
        "INSERT INTO webhook_intents (segment, provider, event_id, event_type, status, outcome, "
        "body_sha256, fingerprint, correlation_id, received_at, done_at) VALUES (1, 'stripe', "
        "'evt_1', 't', 'done', 'ignored', sha256(''), '', 'c', now(), now())");
    EXPECT_EQ(providers_with_events(session, {"demo", "stripe"}),
              std::vector<std::string>{"stripe"});
}

}  // namespace
}  // namespace pawl::intents
