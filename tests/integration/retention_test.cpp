// Bytes of deliveries: by the week, but for those that are needed.
#include "tests/integration/retention_case.hpp"

#include "intents/sql.hpp"
#include "intents/verify.hpp"

namespace pawl::intents {
namespace {

using Retention = RetentionCase;

TEST_F(Retention, OldPartitionsGoWithTheirBytesAndTheDedupRowsStay) {
    make_partitions(session, now - days(60));
    make_partitions(session, now - days(7));
    deliver_at(days(50), {{"old", "capture/1"}});
    deliver_at(days(1), {{"new", "capture/2"}});
    const std::string before = count("pg_inherits");
    keep_up(delivery_chores(days(30)));
    EXPECT_EQ(database.value("SELECT string_agg(event_id, ' ') FROM webhook_deliveries"), "new");
    EXPECT_EQ(count("webhook_intents"), "2");
    EXPECT_NE(count("pg_inherits"), before);
    EXPECT_TRUE(holds(verify(session)));
    deliver_at(days(50), {{"late", "capture/3"}});  // has a place all the same
    EXPECT_EQ(count("webhook_deliveries_default"), "1");
}

// Lessons 25 and 40.
TEST_F(Retention, TheBytesOfUnfinishedEventsAreMovedOutFirstThoseOfTheirBatchIncluded) {
    make_partitions(session, now - days(60));
    const testing::Said parked{
        .id = "parked", .effect = "capture/2", .sequence = 2, .order = providers::Order::hold};
    deliver_at(days(50), {{"head", "capture/7"}, parked});
    deliver_at(days(50), {{"done", "capture/8"}});
    keep_up(delivery_chores(days(30)));
    EXPECT_EQ(database.value("SELECT string_agg(event_id, ' ' ORDER BY event_id) FROM "
                             "webhook_deliveries"),
              "head parked");
    EXPECT_TRUE(holds(verify(session)));
    keep_up(delivery_chores(days(30)), days(365));
    EXPECT_EQ(count("webhook_deliveries"), "2");
    // Once it is finished they may go, too.
    make_partitions(session, now);
    deliver_at(
        hours(0),
        {{.id = "capture", .effect = "capture/1", .sequence = 1, .order = providers::Order::hold}});
    EXPECT_EQ(database.value("SELECT outcome FROM webhook_intents WHERE event_id = 'parked'"),
              "applied");
    keep_up(delivery_chores(days(30)));
    EXPECT_EQ(database.value("SELECT string_agg(event_id, ' ') FROM webhook_deliveries"),
              "capture");
}

// Parked ones are above. Those of an id that was taken came under that id.
TEST_F(Retention, TheBytesOfWhatIsPendingOrQuarantinedAreMovedToo) {
    make_partitions(session, now - days(60));
    deliver_at(days(52), {{"taken", "capture/1"}});
    deliver_at(days(51), {{"taken", "capture/2"}});
    auto unread = testing::deliver({testing::unreadable("no_rule", "x")});
    unread.delivery.received_at = now - days(50);
    testing::commit(session, {unread});
    database.run("INSERT INTO provider_pauses VALUES ('demo', now(), 'test', 'test')");
    deliver_at(days(50), {{"pending", "capture/3"}});
    ASSERT_EQ(database.value("SELECT string_agg(status, ' ' ORDER BY status) FROM webhook_intents"),
              "done pending quarantined quarantined");
    for (int round = 0; round < 2; ++round) {
        keep_up(delivery_chores(days(30)));
        EXPECT_EQ(database.value("SELECT string_agg(left(event_id, 7), ' ' ORDER BY event_id) FROM "
                                 "webhook_deliveries WHERE body <> ''"),
                  "pending sha256: taken");
        EXPECT_EQ(count("webhook_deliveries",
                        "received_at = (SELECT received_at FROM "
                        "webhook_intents WHERE event_id LIKE 'taken~%')"),
                  "1");
        EXPECT_TRUE(holds(verify(session)));
    }
}

// However many they are, and whatever becomes of others.
TEST_F(Retention, AWeekWithManyUnfinishedEventsKeepsTheirBytesAndNoOtherWeekFromGoing) {
    make_partitions(session, now - days(60));
    deliver_at(days(50), {{"done", "capture/1"}});
    quarantine_like("done", 1001);
    deliver_at(days(43), {{"later", "capture/2"}});
    const std::string part = week_of("done");
    for (bool more = true; more;) {
        db::Transaction transaction(session);
        const std::int64_t before = written(transaction);
        const auto params = db::Params().text(part).number(30 * 86400).number(100);
        more = transaction.run(sql::keep_deliveries, params).only().flag(0);
        EXPECT_LE(written(transaction) - before, 100);
        transaction.commit();
    }
    const auto chores = delivery_chores(days(30));
    keep_up(chores);
    EXPECT_EQ(count("webhook_deliveries"), "1001");
    EXPECT_EQ(count("webhook_deliveries", "event_id LIKE 'q%' AND body <> ''"), "1001");
    EXPECT_EQ(count("pg_class",
                    "relname LIKE 'webhook_deliveries_%' AND relkind = 'r' AND NOT "
                    "relispartition"),
              "0");
    EXPECT_TRUE(holds(verify(session)));
    // Empty at last, it goes, too.
    database.run(
        "UPDATE webhook_intents SET status = 'done', outcome = 'ignored', done_at = now()");
    keep_up(chores);
    EXPECT_EQ(count("webhook_deliveries"), "0");
    const std::string kept = "relname LIKE '%\\_kept'";
    EXPECT_EQ(count("pg_class", kept), "1");
    keep_up(chores);
    EXPECT_EQ(count("pg_class", kept), "0");
    EXPECT_EQ(count("partition_copies"), "0");
}

// A server that is stopped in the middle, and another that goes on.
TEST_F(Retention, WhatWasBegunIsGoneOnWithAndNothingIsCopiedTwice) {
    make_partitions(session, now - days(60));
    deliver_at(days(50), {{"done", "capture/1"}});
    quarantine_like("done", 250);
    EXPECT_TRUE(delivery_chores(days(30))[1].step(session, now));
    EXPECT_TRUE(delivery_chores(days(30))[1].step(session, now));
    database.run("UPDATE partition_copies SET reached_event = 'q2'");
    EXPECT_EQ(count("webhook_deliveries"), "251");
    keep_up(delivery_chores(days(30)));
    EXPECT_EQ(count("webhook_deliveries"), "250");
    EXPECT_EQ(database.value("SELECT count(DISTINCT delivery_id) FROM webhook_deliveries"), "250");
}

// The server's role may call this whenever it likes.
TEST_F(Retention, NothingIsDroppedThatWasNotCopiedFirst) {
    make_partitions(session, now - days(60));
    deliver_at(days(50), {{"done", "capture/1"}});
    const std::string part = week_of("done");
    const auto drop = [&] {
        const auto params = db::Params().text(part).number(30 * 86400);
        return db::Statement::run(session, sql::drop_delivery_partition, params)
            .only()
            .maybe_text(0);
    };
    EXPECT_FALSE(drop());
    const auto params = db::Params().text(part).number(30 * 86400).number(100);
    EXPECT_FALSE(db::Statement::run(session, sql::keep_deliveries, params).only().flag(0));
    quarantine_like("done", 1);
    EXPECT_EQ(drop(), "begun again");
    EXPECT_EQ(count("webhook_deliveries"), "2");
    keep_up(delivery_chores(days(30)));
    EXPECT_EQ(database.value("SELECT string_agg(event_id, ' ') FROM webhook_deliveries"), "q1");
}

// What is needed is copied while they receive; only the drop itself needs the lock, gives up soon,
// whatever the session's own patience is, and copies nothing.
TEST_F(Retention, ThoseWhoReceiveAreNotHeldUpByADropThatCannotHaveItsLock) {
    make_partitions(session, now - days(60));
    deliver_at(days(50), {{"old", "capture/1"}});
    quarantine_like("old", 10);
    db::SessionOptions patient = database.options();
    patient.lock_timeout = std::chrono::seconds(20);
    session = db::Session(patient);
    const auto chores = delivery_chores(days(30));
    {
        db::Session other = database.session();
        db::Transaction receiving(other);
        receiving.run_script("LOCK TABLE webhook_deliveries IN ROW EXCLUSIVE MODE");
        const auto began = std::chrono::steady_clock::now();
        for (int week = 0; week < 6; ++week) {  // one after the other, and from the first again
            EXPECT_THROW(chores[1].step(session, now), db::Failure);
        }
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
    }
    EXPECT_EQ(count("webhook_deliveries"), "11");
    EXPECT_EQ(count(week_of("old") + "_kept"), "10");
    db::Transaction transaction(session);
    const std::int64_t before = written(transaction);
    const auto params = db::Params().text(week_of("old")).number(30 * 86400);
    EXPECT_EQ(transaction.run(sql::drop_delivery_partition, params).only().str(0), "dropped");
    EXPECT_EQ(written(transaction), before);
    transaction.commit();
    EXPECT_EQ(count("webhook_deliveries"), "10");
}

// An operator may have made a partition for all that is to come: it has no end.
TEST_F(Retention, APartitionWithoutAnEndIsNeverDropped) {
    database.run(
        "DO $$ DECLARE part text; BEGIN FOR part IN SELECT inhrelid::regclass::text FROM "
        "pg_inherits WHERE inhparent = 'webhook_deliveries'::regclass LOOP EXECUTE 'DROP TABLE ' "
        "|| part; END LOOP; END $$; "
        "CREATE TABLE all_of_them PARTITION OF webhook_deliveries FOR VALUES FROM (MINVALUE) TO "
        "(MAXVALUE)");
    deliver_at(days(50), {{"old", "capture/1"}});
    const auto chores = delivery_chores(days(30));
    while (chores[1].step(session, now)) {
    }
    EXPECT_EQ(count("webhook_deliveries"), "1");
}

// Lesson 25: nobody else does it.
TEST_F(Retention, TheStatisticsOfThePartitionedTableAreMade) {
    make_partitions(session, now);
    deliver_at(hours(0), {{"new", "capture/1"}});
    const std::string made = "tablename = 'webhook_deliveries' AND inherited";
    EXPECT_EQ(count("pg_stats", made), "0");
    keep_up(delivery_chores(days(30)));
    EXPECT_NE(count("pg_stats", made), "0");
}

TEST_F(Retention, TheDatabaseHasFloorsOfItsOwnWhateverItIsAsked) {
    make_partitions(session, now);
    deliver_at(hours(1), {{"fresh", "capture/1"}});
    keep_up(delivery_chores(Duration::zero()), days(365));
    keep_up(forgetting_chores({{"demo", Duration::zero(), Duration::zero()}}), days(365));
    EXPECT_EQ(count("webhook_intents"), "1");
    EXPECT_EQ(count("webhook_deliveries"), "1");
}

TEST_F(Retention, APartitionThatEndedWithinTheDayIsKeptWhateverIsAsked) {
    database.run(
        "DO $$BEGIN "
        "EXECUTE format('CREATE TABLE pawl.ended_today PARTITION OF pawl.webhook_deliveries FOR "
        "VALUES FROM (%L) TO (%L)', now() - interval '3 hours', now() - interval '1 hour'); "
        "EXECUTE format('CREATE TABLE pawl.ended_before PARTITION OF pawl.webhook_deliveries FOR "
        "VALUES FROM (%L) TO (%L)', now() - interval '4 days', now() - interval '2 days'); "
        "END$$");
    EXPECT_EQ(database.value("SELECT string_agg(part, ' ') FROM "
                             "pawl.expired_deliveries(interval '0')"),
              "ended_before");
}

// Lesson 39: however many others there are.
TEST_F(Retention, AStepReadsNoMoreThanItsShareOfWhatIsKeptAndOfWhatIsUnfinished) {
    make_partitions(session, now - days(60));
    deliver_at(days(50), {{"old", "capture/1"}});
    quarantine_like("old", 20000);
    database.run(
        "UPDATE webhook_intents SET received_at = received_at + substr(event_id, 2)::int * "
        "interval '1 ms' WHERE status <> 'done'; "
        "DELETE FROM webhook_deliveries WHERE delivery_id > 6000; "
        "UPDATE webhook_deliveries SET received_at = received_at + (delivery_id - 1000) * interval "
        "'1 ms' WHERE delivery_id > 1000; ANALYZE webhook_intents; ANALYZE webhook_deliveries");
    const std::string part = week_of("old");
    const auto reads = [&](const db::Query& query, const db::Params& params) {
        db::Transaction transaction(session);
        const auto before = rows_read(transaction, "webhook_%");
        transaction.run(query, params);
        const auto read = rows_read(transaction, "webhook_%") - before;
        transaction.commit();
        return read;
    };
    const auto age = 30 * 86400;
    for (int step = 0; step < 3; ++step) {
        const auto params = db::Params().text(part).number(age).number(100);
        EXPECT_LE(reads(sql::keep_deliveries, params), 500) << step;
    }
    keep_up(delivery_chores(days(30)));
    ASSERT_EQ(count("webhook_deliveries"), "5000");
    database.run("ANALYZE webhook_deliveries");
    for (int block = 0; block < 30; block += 10) {
        const auto params = db::Params().text(part + "_kept").number(age).number(block).number(10);
        EXPECT_LE(reads(sql::reap_kept_deliveries, params), 3000) << block;
        EXPECT_GE(reads(sql::reap_kept_deliveries, params), 100) << block;
    }
}

}  // namespace
}  // namespace pawl::intents
