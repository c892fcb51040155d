// Functions that run with the rights of the owner: a caller must not be able to redirect them to
// its own tables.
#include <gtest/gtest.h>

#include "db/migrate.hpp"
#include "intents/retention/partitions.hpp"
#include "intents/retention/retention.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using std::chrono::days;

void keep_up(db::Session& session, Time now) {
    for (const jobs::Chore& chore : intents::delivery_chores(days(30), days(30))) {
        while (chore.step(session, now)) {
        }
    }
    for (const jobs::Chore& chore : intents::expiry_chores({{"demo", days(30), days(3)}})) {
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
        CREATE TEMP TABLE delivery_blocks_default (LIKE pawl.delivery_blocks);
        CREATE TEMP TABLE open_deliveries (LIKE pawl.open_deliveries);
        CREATE TEMP TABLE webhook_intents (LIKE pawl.webhook_intents INCLUDING DEFAULTS);
        INSERT INTO pg_temp.delivery_blocks_default VALUES (1, now() - interval '90 days', 1, '');
        INSERT INTO pg_temp.open_deliveries VALUES (1, now(), 'demo', 'POST', '/', '', '', '');
        INSERT INTO pg_temp.webhook_intents
            (segment, provider, event_id, event_type, status, outcome, body_sha256, fingerprint,
             correlation_id, received_at, done_at)
        VALUES (1, 'demo', 'x', '', 'done', 'ignored', '', '', gen_random_uuid()::text,
                now() - interval '90 days', now() - interval '90 days');
        CREATE FUNCTION pg_temp.steal() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN DELETE FROM pawl.transfers; RETURN OLD; END';
        CREATE TRIGGER steal BEFORE DELETE ON pg_temp.delivery_blocks_default
            FOR EACH ROW EXECUTE FUNCTION pg_temp.steal();
        CREATE TRIGGER steal BEFORE DELETE ON pg_temp.open_deliveries
            FOR EACH ROW EXECUTE FUNCTION pg_temp.steal();
        CREATE TRIGGER steal BEFORE DELETE ON pg_temp.webhook_intents
            FOR EACH ROW EXECUTE FUNCTION pg_temp.steal();
        GRANT ALL ON pg_temp.delivery_blocks_default, pg_temp.open_deliveries,
            pg_temp.webhook_intents TO pawl_owner)");
    keep_up(session, now);
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "1");
}

// Nor where theirs does not exist yet: the temporary one is found last, but it is found.
TEST(OwnerFunctions, DoNotTakeATemporaryTableForOneThatTheyAreAboutToMake) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    const Time now = SystemClock().now();
    const std::string next =
        database.value("SELECT 'rejections_' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')");
    db::Statement::run_script(session, "CREATE TEMP TABLE " + next + " (x int)");
    EXPECT_EQ(intents::make_partitions(session, now), 8 + 14 + 14);
    EXPECT_EQ(database.value("SELECT count(*) FROM pg_class WHERE relispartition AND oid = "
                             "to_regclass('pawl." +
                             next + "')"),
              "1");
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
