// Functions that run with the rights of the owner: whoever may call one must not be able to tell it
// where its tables are.
#include <gtest/gtest.h>

#include "db/migrate.hpp"
#include "intents/partitions.hpp"
#include "intents/retention.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using std::chrono::days;

void keep_up(db::Session& session, Time now) {
    for (const jobs::Chore& chore : intents::delivery_chores(days(30))) {
        while (chore.step(session, now)) {
        }
    }
    for (const jobs::Chore& chore : intents::forgetting_chores({{"demo", days(30), days(3)}})) {
        while (chore.step(session, now)) {
        }
    }
}

TEST(OwnerFunctions, DoNotTakeATemporaryTableOfTheirCallerForTheirs) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    const Time now = SystemClock().now();
    testing::commit(session, {testing::deliver({testing::event({"e1", "capture/1"})})});
    ASSERT_EQ(database.value("SELECT count(*) FROM transfers"), "1");
    db::Statement::run_script(session, R"(
        CREATE TEMP TABLE webhook_deliveries_default (LIKE pawl.webhook_deliveries);
        CREATE TEMP TABLE webhook_intents (LIKE pawl.webhook_intents);
        INSERT INTO pg_temp.webhook_deliveries_default
            (delivery_id, received_at, provider, event_id, verdict, method, url, headers, body)
        VALUES (1, now() - interval '90 days', 'demo', 'x', 'authentic', 'POST', '/', '', '');
        ALTER TABLE pg_temp.webhook_intents ALTER event_type DROP NOT NULL,
            ALTER outcome DROP NOT NULL, ALTER body_sha256 DROP NOT NULL,
            ALTER fingerprint DROP NOT NULL, ALTER source DROP NOT NULL,
            ALTER correlation_id DROP NOT NULL, ALTER lease DROP NOT NULL,
            ALTER attempts DROP NOT NULL, ALTER deliveries DROP NOT NULL,
            ALTER source DROP NOT NULL;
        INSERT INTO pg_temp.webhook_intents (provider, event_id, status, received_at, done_at)
        VALUES ('demo', 'x', 'done', now() - interval '90 days', now() - interval '90 days');
        CREATE FUNCTION pg_temp.steal() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN DELETE FROM pawl.transfers; RETURN OLD; END';
        CREATE TRIGGER steal BEFORE DELETE ON pg_temp.webhook_deliveries_default
            FOR EACH ROW EXECUTE FUNCTION pg_temp.steal();
        CREATE TRIGGER steal BEFORE DELETE ON pg_temp.webhook_intents
            FOR EACH ROW EXECUTE FUNCTION pg_temp.steal();
        GRANT ALL ON pg_temp.webhook_deliveries_default, pg_temp.webhook_intents TO pawl_owner)");
    keep_up(session, now);
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "1");
}

// Nor where theirs does not exist yet: the temporary one is found last, but it is found.
TEST(OwnerFunctions, DoNotTakeATemporaryTableForOneThatTheyAreAboutToMake) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    const Time now = SystemClock().now();
    intents::make_partitions(session, now - days(60));
    auto unread = testing::deliver({testing::unreadable("no_rule", "x")});
    unread.delivery.received_at = now - days(50);
    testing::commit(session, {unread, testing::deliver({testing::event({"e1", "capture/1"})})});
    const std::string kept = database.value(
        "SELECT tableoid::regclass || '_kept' FROM webhook_deliveries WHERE received_at < now() - "
        "interval '40 days'");
    db::Statement::run_script(session, R"(
        CREATE FUNCTION pg_temp.steal() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN DELETE FROM pawl.transfers; RETURN NEW; END';
        CREATE TEMP TABLE )" + kept + R"( (LIKE pawl.webhook_deliveries);
        CREATE TRIGGER steal BEFORE INSERT ON pg_temp.)" +
                                           kept + R"(
            FOR EACH ROW EXECUTE FUNCTION pg_temp.steal();
        GRANT ALL ON pg_temp.)" + kept + " TO pawl_owner");
    keep_up(session, now);
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "1");
    EXPECT_EQ(database.value("SELECT count(*) FROM pawl." + kept), "1");
}

TEST(OwnerFunctions, SayAllOfThemWhereTheirTablesAre) {
    const testing::TestDatabase database;
    EXPECT_EQ(database.value("SELECT string_agg(proname, ' ') FROM pg_proc WHERE "
                             "pronamespace = 'pawl'::regnamespace AND prosecdef AND NOT "
                             "coalesce(proconfig, '{}') && "
                             "ARRAY['search_path=pg_catalog, pg_temp']"),
              "");
}

}  // namespace
}  // namespace pawl
