// Events that cannot be finished, whatever is tried: none of them may keep a good one waiting, nor
// take it down with them. The database itself is made to refuse them, in three ways.
#include <gtest/gtest.h>

#include "intents/accept/accept.hpp"
#include "intents/parking/sweeper.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class Poison : public ::testing::Test {
  protected:
    ~Poison() override {
        db::Session patient = database.owner();
        EXPECT_TRUE(holds(verify(patient)));
    }

    // From now on nothing can be posted to accounts whose name begins with "poison".
    void refuse_poison(const std::string& sqlstate) {
        database.run(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "RAISE EXCEPTION 'poison' USING ERRCODE = '" +
            sqlstate +
            "'; END $$;"
            "CREATE TRIGGER refuse BEFORE INSERT ON transfers FOR EACH ROW "
            "WHEN (starts_with(NEW.credit_account, 'poison')) EXECUTE FUNCTION refuse()");
    }
    // Left pending by a pause, as many as are wanted; the copies are older than the first.
    void leave_pending(const std::string& id, int copies = 0) {
        database.run("INSERT INTO provider_pauses VALUES ('demo', now(), 'ana', 'test')");
        const auto delivery =
            testing::deliver({testing::event({.id = id, .effect = id, .account = id})});
        accept_and_commit(session, {&delivery}, clock.now());
        database.run("DELETE FROM provider_pauses");
        if (copies == 0) return;
        database.run(
            "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
            "jsonb_build_object('event_id', event_id || n, 'account', account || n,"
            "'wake_at', wake_at - interval '1 minute', 'effect_key', effect_key || n,"
            "'plan', jsonb_set(jsonb_set(i.plan, '{movements,0,account}', to_jsonb(account || n)),"
            "'{movements,0,effect_key}', to_jsonb(effect_key || n)))) AS r"
            " FROM webhook_intents i, generate_series(2, " +
            std::to_string(copies) + ") n WHERE event_id = '" + id + "') s");
    }
    // A round that a broken connection may end before its time.
    std::size_t round(Duration later = seconds(0)) {
        clock.advance(later);
        try {
            return sweeper.run_once(session);
        } catch (const db::Failure&) {
            return 1;
        }
    }
    std::string outcome(const std::string& id) {
        return database.value(
            "SELECT concat_ws(' ', outcome, note) FROM webhook_intents "
            "WHERE event_id = '" +
            id + "'");
    }
    std::string count(const std::string& where) {
        return database.value("SELECT count(*) FROM webhook_intents WHERE " + where);
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    ManualClock clock{SystemClock().now()};
    Metrics metrics;
    Sweeper sweeper{{}, database.options(), clock, metrics};
};

TEST_F(Poison, TwoThousandFailedEventsComeAfterAGoodOne) {
    refuse_poison("P0001");
    leave_pending("poison", 2000);
    leave_pending("good");
    int rounds = 0;
    while (outcome("good") != "applied" && rounds < 100) {
        ++rounds;
        round(seconds(rounds == 1 ? 1 : 0));
    }
    // The first attempts of all come in order of age: the good one is after 2,000 older ones.
    EXPECT_LE(rounds, 2000 / 64 + 1);
    EXPECT_EQ(count("status = 'pending'"), "2000");

    // All of them are due again, and a second one comes: it is the next to be finished.
    leave_pending("good too");
    database.run(
        "UPDATE webhook_intents SET wake_at = wake_at + interval '2 minutes' "
        "WHERE event_id = 'good too'");
    const auto began = std::chrono::steady_clock::now();
    round(hours(2));
    std::printf("  finished among 2,000 that are due, with 64 of those, after %ld ms\n",
                static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                      std::chrono::steady_clock::now() - began)
                                      .count()));
    EXPECT_EQ(outcome("good too"), "applied");
    EXPECT_EQ(count("attempts > 2"), "64") << "suspects are tried in the same round, behind it";
}

TEST_F(Poison, FailedAttemptsBackOffExponentiallyUpToTheEighth) {
    refuse_poison("P0001");
    leave_pending("poison");
    std::vector<std::string> waits;
    for (int attempt = 1; attempt < 8; ++attempt) {
        round(attempt == 1 ? seconds(1) : Duration(hours(2)));
        waits.push_back(database.value("SELECT extract(epoch FROM wake_at - '" +
                                       to_rfc3339(clock.now()) +
                                       "'::timestamptz)::int FROM webhook_intents"));
    }
    EXPECT_EQ(waits, (std::vector<std::string>{"30", "60", "120", "240", "480", "960", "1920"}));
    round(hours(2));
    EXPECT_EQ(outcome("poison"), "quarantined attempts_exhausted");
}

TEST_F(Poison, UnstorableEventIsQuarantinedAtOnce) {
    refuse_poison("22003");
    leave_pending("poison", 20);
    leave_pending("good", 20);
    round(seconds(1));
    EXPECT_EQ(count("outcome = 'applied' AND starts_with(event_id, 'good')"), "20");
    EXPECT_EQ(count("note = 'unstorable' AND starts_with(event_id, 'poison')"), "20");
}

// To the others of its batch it makes no difference whether an event ends their process or their
// connection: no later event is processed, and the attempt has been counted.
TEST_F(Poison, CrashingEventDoesNotAffectTheOthersOfItsBatch) {
    refuse_poison("57P02");
    leave_pending("poison");
    leave_pending("good", 60);
    for (int i = 0; i < 20; ++i) round(hours(2));
    EXPECT_EQ(outcome("poison"), "quarantined attempts_exhausted");
    EXPECT_EQ(count("outcome = 'applied'"), "60");
    EXPECT_EQ(count("outcome = 'applied' AND attempts > 3"), "0")
        << "the good ones lost more than the attempt that they made together";
}

}  // namespace
}  // namespace pawl::intents
