// Bytes of deliveries: in blocks that are dropped by the week, with a copy of those that are
// needed.
#include "intents/accept/accept.hpp"
#include "intents/sql.hpp"
#include "intents/verify/verify.hpp"
#include "tests/integration/retention_case.hpp"

namespace pawl::intents {
namespace {

using Retention = RetentionCase;

TEST_F(Retention, OldPartitionsGoWithTheirBytesAndTheDedupRowsStay) {
    make_partitions(session, now - days(60));
    make_partitions(session, now - days(7));
    deliver_at(days(50), {{"old", "capture/1"}});
    deliver_at(days(1), {{"new", "capture/2"}});
    const std::string before = count("pg_inherits");
    drop_old();
    EXPECT_EQ(kept(), "new");
    EXPECT_EQ(count("webhook_intents"), "2");
    EXPECT_NE(count("pg_inherits"), before);
    EXPECT_TRUE(holds(verify(session)));
    deliver_at(days(50), {{"late", "capture/3"}});  // has a place all the same
    EXPECT_EQ(count("delivery_blocks_default"), "1");
    drop_old();
    EXPECT_EQ(count("delivery_blocks_default"), "0");
}

TEST_F(Retention, ADeliveryWithAnUnfinishedEventKeepsItsBytesUntilItIsFinished) {
    make_partitions(session, now - days(60));
    const testing::Said parked{.id = "parked",
                               .effect = "capture/2",
                               .sequence = 2,
                               .order = providers::OrderingPolicy::hold};
    deliver_at(days(50), {{"head", "capture/7"}, parked});
    deliver_at(days(50), {{"done", "capture/8"}});
    EXPECT_EQ(count("open_deliveries"), "1");
    drop_old();
    EXPECT_EQ(kept(), "head parked");
    EXPECT_EQ(count("webhook_deliveries"), "1");
    EXPECT_TRUE(holds(verify(session)));
    drop_old(days(365));
    EXPECT_EQ(kept(), "head parked");
    deliver_at(hours(0), {{.id = "capture",
                           .effect = "capture/1",
                           .sequence = 1,
                           .order = providers::OrderingPolicy::hold}});
    EXPECT_EQ(database.value("SELECT outcome FROM webhook_intents WHERE event_id = 'parked'"),
              "applied");
    drop_old();
    EXPECT_EQ(kept(), "capture");
    EXPECT_EQ(count("open_deliveries"), "0");
}

TEST_F(Retention, PendingAndQuarantinedEventsKeepTheirBytesToo) {
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
        drop_old();
        EXPECT_EQ(database.value("SELECT string_agg(left(event_id, 6), ' ' ORDER BY event_id) FROM "
                                 "webhook_intents JOIN webhook_deliveries USING (delivery_id)"),
                  "pendin sha256 taken~");
        EXPECT_TRUE(holds(verify(session)));
    }
}

// Released in the very batch that brought it, it needs no copy.
TEST_F(Retention, NoCopyIsKeptOfWhatIsFinishedWhenItsBatchCommits) {
    const Submission parked = testing::deliver({testing::event({.id = "r1",
                                                                .effect = "refund/1",
                                                                .action = providers::Action::debit,
                                                                .needs = {"capture/1"}})});
    const Submission capture = testing::deliver({testing::event({"c1", "capture/1"})});
    testing::commit(session, {parked, capture});
    EXPECT_EQ(ids("outcome = 'applied'"), "c1 r1");
    EXPECT_EQ(count("open_deliveries"), "0");
}

TEST_F(Retention, DeliveriesOfOneCommitAreOneBlockAndFoundByTheirNumbers) {
    std::vector<Submission> many;
    for (int n = 0; n < 30; ++n) {
        const std::string id = "e" + std::to_string(n);
        many.push_back(testing::deliver({testing::event({.id = id, .effect = id})}));
        many.back().delivery.body = "body of " + id;
        many.back().delivery.headers = {{"webhook-id", id}};
        many.back().remote = "192.0.2.1:" + std::to_string(n);
    }
    testing::commit(session, many);
    EXPECT_EQ(count("delivery_blocks"), "1");
    EXPECT_EQ(database.value("SELECT deliveries FROM delivery_blocks"), "30");
    EXPECT_EQ(count("webhook_deliveries"), "30");
    EXPECT_EQ(count("webhook_intents i CROSS JOIN LATERAL find_delivery(i.delivery_id) d",
                    "d.body = convert_to('body of ' || i.event_id, 'UTF8') AND "
                    "d.headers = convert_to('webhook-id: ' || i.event_id || E'\\n', 'UTF8') AND "
                    "d.remote = '192.0.2.1:' || substr(i.event_id, 2) AND "
                    "d.url = '/webhooks/demo' AND d.provider = i.provider AND "
                    "d.received_at::timestamptz(3) = i.received_at"),
              "30");
    EXPECT_EQ(count("webhook_intents i JOIN webhook_deliveries d USING (delivery_id)"), "30");
}

// More than one block holds, in one commit.
TEST_F(Retention, ACommitOfMoreThanABlockHoldsIsSeveralBlocks) {
    std::vector<Submission> two;
    for (const char* id : {"a", "b", "c"}) {
        two.push_back(testing::deliver({testing::event({.id = id, .effect = id})}));
        two.back().delivery.body = std::string(9 * 1024 * 1024, *id);
    }
    testing::commit(session, two);
    EXPECT_EQ(count("delivery_blocks"), "2");
    EXPECT_EQ(count("webhook_intents i CROSS JOIN LATERAL find_delivery(i.delivery_id) d",
                    "starts_with(convert_from(d.body, 'UTF8'), i.event_id)"),
              "3");
}

// Bytes of a sender in columns for which PostgreSQL takes only text.
TEST_F(Retention, BytesThatAreNotTextDoNotMakeABlockUnreadable) {
    auto odd = testing::deliver({testing::unreadable("no_rule", "x")});
    odd.delivery.url = std::string("/\xff\0x", 4);
    odd.delivery.body = std::string("\0\xff\xfe", 3);
    odd.delivery.headers = {{"x", "\xff"}};
    odd.remote = "\xc3";
    testing::commit(session, {odd});
    EXPECT_EQ(database.value("SELECT url || ' ' || remote || ' ' || encode(body, 'hex') FROM "
                             "webhook_deliveries"),
              "/??x ? 00fffe");
    EXPECT_EQ(count("open_deliveries"), "1");
}

TEST_F(Retention, ARedeliveryOfKnownBytesIsCountedAndNotStoredAgain) {
    deliver_at(hours(0), {{"e1", "capture/1"}, {"e2", "capture/2"}});
    const std::string before = count("webhook_deliveries");
    for (int again = 0; again < 3; ++again) {
        auto twice = testing::deliver(
            {testing::event({"e1", "capture/1"}), testing::event({"e2", "capture/2"})});
        twice.delivery.headers = {{"x-unsigned", std::string(33000, 'x')}};
        testing::commit(session, {twice, twice});
    }
    EXPECT_EQ(count("webhook_deliveries"), before);
    EXPECT_EQ(database.value("SELECT string_agg(deliveries::text, ' ') FROM webhook_intents"),
              "7 7");
    EXPECT_EQ(count("redeliveries"), "0");
    // An item more is new, and brings the whole.
    deliver_at(hours(0), {{"e1", "capture/1"}, {"e3", "capture/3"}});
    EXPECT_EQ(count("webhook_deliveries"), "2");
    EXPECT_EQ(count("redeliveries"), "0");
}

TEST_F(Retention, RedeliveryWithOtherBytesIsStoredAsWellAsTheFirst) {
    deliver_at(hours(0), {{"e1", "capture/1"}});
    auto other = testing::event({"e1", "capture/1"});
    other.body_sha256 = std::string(64, 'a');  // a counter of the sender's, which no rule reads
    testing::commit(session, {testing::deliver({other})});
    EXPECT_EQ(count("webhook_deliveries"), "2");
    EXPECT_EQ(database.value("SELECT deliveries FROM webhook_intents"), "2");
    EXPECT_EQ(
        count("redeliveries r JOIN webhook_deliveries d USING (delivery_id)", "r.event_id = 'e1'"),
        "1");
}

// Bodies with a count of the sender's attempts: each once, however often it is replayed.
TEST_F(Retention, ARedeliveryWithOtherBytesIsStoredOnceHoweverOftenItComes) {
    deliver_at(hours(0), {{"e1", "capture/1"}});
    auto second = testing::event({"e1", "capture/1"});
    second.body_sha256 = std::string(64, 'a');
    auto conflict = testing::event({"e1", "capture/9"});
    auto conflict_again = conflict;
    conflict_again.body_sha256 = std::string(64, 'b');
    for (int again = 0; again < 3; ++again) {
        testing::commit(session, {testing::deliver({second}), testing::deliver({conflict}),
                                  testing::deliver({conflict_again})});
    }
    EXPECT_EQ(count("webhook_deliveries"), "4");
    EXPECT_EQ(count("redeliveries"), "2");
    EXPECT_EQ(database.value("SELECT string_agg(deliveries::text, ' ' ORDER BY event_id) FROM "
                             "webhook_intents"),
              "4 6");
}

// A test and a live event under one id each have their own redeliveries.
TEST_F(Retention, RedeliveryIsFiledUnderTheEventOfItsMode) {
    auto test = testing::with_bytes(testing::event({"e1", "capture/1"}), "test");
    test.movements.clear();
    test.action = providers::Action::ignore;
    test.note = providers::test_mode_note;
    auto live = testing::event({"e1", "capture/1"});
    live.live = true;
    const auto live_again = testing::with_bytes(live, "live again");
    const auto test_again = testing::with_bytes(test, "test again");
    testing::commit(session, {testing::deliver({test})});
    for (int again = 0; again < 3; ++again) {
        for (const auto& event : {live, live_again, test_again}) {
            testing::commit(session, {testing::deliver({event})});
        }
    }
    EXPECT_EQ(count("webhook_deliveries"), "4");
    EXPECT_EQ(database.value("SELECT string_agg(event_id || '=' || encode(body_sha256, 'hex'), ' ' "
                             "ORDER BY event_id) FROM redeliveries"),
              "e1=" + test_again.body_sha256 + " e1~6c69766500000000=" + live_again.body_sha256);
    EXPECT_EQ(ids(), "e1 e1~6c69766500000000");
}

// To decide about the event, an operator may need the other bytes, too.
TEST_F(Retention, AnUnfinishedEventKeepsTheBytesOfItsRedeliveriesToo) {
    make_partitions(session, now - days(60));
    const auto parked = testing::event(in_order("r1", 2));
    for (const char* bytes : {"first", "second", "third"}) {
        auto delivery = testing::deliver({testing::with_bytes(parked, bytes)});
        delivery.delivery.received_at = now - days(50);
        testing::commit(session, {delivery});
    }
    for (int round = 0; round < 2; ++round) {
        drop_old();
        EXPECT_EQ(count("redeliveries r CROSS JOIN LATERAL find_delivery(r.delivery_id) d",
                        "sha256(substring(d.body FROM r.item_offset + 1 FOR r.item_length)) = "
                        "r.body_sha256"),
                  "2");
        EXPECT_EQ(kept(), "r1");
    }
    deliver_at(hours(0), {in_order("c1", 1)});
    EXPECT_EQ(ids("outcome = 'applied'"), "c1 r1");
    drop_old();
    EXPECT_EQ(count("open_deliveries"), "0");
}

TEST_F(Retention, AConflictIsStoredOnceHoweverOftenItComes) {
    deliver_at(hours(0), {{"e1", "capture/1"}});
    for (int again = 0; again < 3; ++again) {
        deliver_at(hours(0), {{"e1", "capture/9"}});
    }
    EXPECT_EQ(ids("note = 'id_conflict'").substr(0, 3), "e1~");
    EXPECT_EQ(count("webhook_deliveries"), "2");
    EXPECT_EQ(count("open_deliveries"), "1");
    EXPECT_TRUE(holds(verify(session)));
}

// Only the drop needs a lock, gives up soon, whatever the session's own patience is.
TEST_F(Retention, DropThatWaitsForItsLockDoesNotDelayDeliveries) {
    make_partitions(session, now - days(60));
    deliver_at(days(50), {{"old", "capture/1"}});
    db::SessionOptions patient = database.options();
    patient.lock_timeout = std::chrono::seconds(20);
    session = db::Session(patient);
    const auto chores = delivery_chores(days(30), days(30));
    {
        db::Session other = database.owner();  // to lock it without an insert
        db::Transaction receiving(other);
        receiving.run_script("LOCK TABLE pawl.delivery_blocks IN ROW EXCLUSIVE MODE");
        const auto began = std::chrono::steady_clock::now();
        for (int step = 0; step < 3; ++step) {
            EXPECT_THROW(chores[1].step(session, now), db::Failure);
        }
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
    }
    EXPECT_EQ(kept(), "old");
    drop_old();
    EXPECT_EQ(kept(), "");
}

// An operator may have made a partition for all that is to come: it has no end.
TEST_F(Retention, APartitionWithoutAnEndIsNeverDropped) {
    database.run(
        "DO $$ DECLARE part text; BEGIN FOR part IN SELECT inhrelid::regclass::text FROM "
        "pg_inherits WHERE inhparent = 'delivery_blocks'::regclass LOOP EXECUTE 'DROP TABLE ' "
        "|| part; END LOOP; END $$; "
        "CREATE TABLE all_of_them PARTITION OF delivery_blocks FOR VALUES FROM (MINVALUE) TO "
        "(MAXVALUE); CREATE TABLE delivery_blocks_default (LIKE delivery_blocks); "
        "ALTER TABLE delivery_blocks_default OWNER TO pawl_owner");
    deliver_at(days(50), {{"old", "capture/1"}});
    EXPECT_FALSE(delivery_chores(days(30), days(30))[1].step(session, now));
    EXPECT_EQ(kept(), "old");
}

// At the start of a server while another one is serving.
TEST_F(Retention, AStatementMakesOnePartition) {
    const std::string before = count("pg_inherits", "inhparent = 'delivery_blocks'::regclass");
    const sql::MakePartition make{.table_name = "delivery_blocks", .from_time = now, .ahead = 8};
    EXPECT_TRUE(db::Statement::run(session, make).only().made());
    EXPECT_EQ(count("pg_inherits", "inhparent = 'delivery_blocks'::regclass"),
              std::to_string(std::stoi(before) + 1));
}

TEST_F(Retention, OnlyTheTablesThatAreMeantGetAndLosePartitions) {
    for (const char* table : {"transfers", "webhook_intents", "audit_log", "nothing", "x; DROP"}) {
        const sql::MakePartition make{.table_name = table, .from_time = now, .ahead = 2};
        const sql::DropPartition drop{.table_name = table, .seconds_since_end = 0};
        EXPECT_FALSE(db::Statement::run(session, make).only().made());
        EXPECT_FALSE(db::Statement::run(session, drop).only().more());
    }
    EXPECT_NE(count("pg_tables", "schemaname = 'pawl' AND tablename = 'transfers'"), "0");
}

TEST_F(Retention, TheStatisticsOfThePartitionedTableAreMade) {
    make_partitions(session, now);
    deliver_at(hours(0), {{"new", "capture/1"}});
    const std::string made = "tablename = 'delivery_blocks' AND inherited";
    EXPECT_EQ(count("pg_stats", made), "0");
    drop_old();
    EXPECT_NE(count("pg_stats", made), "0");
}

TEST_F(Retention, TheDatabaseHasFloorsOfItsOwnWhateverItIsAsked) {
    make_partitions(session, now);
    deliver_at(hours(1), {{"fresh", "capture/1"}});
    deliver_at(hours(1), {{"ignored", "capture/1"}});
    keep_up(delivery_chores(Duration::zero(), Duration::zero()), days(365));
    keep_up(expiry_chores({{"demo", Duration::zero(), Duration::zero()}}), days(365));
    EXPECT_EQ(count("webhook_intents"), "2");
    EXPECT_EQ(kept(), "fresh ignored");
}

// The day is a floor: less is asked for, and nothing that ended within it goes.
TEST_F(Retention, APartitionThatEndedWithinTheDayIsKeptWhateverIsAsked) {
    database.run(
        "DO $$BEGIN "
        "EXECUTE format('CREATE TABLE pawl.ended_today PARTITION OF pawl.delivery_blocks FOR "
        "VALUES FROM (%L) TO (%L)', now() - interval '3 hours', now() - interval '1 hour'); "
        "EXECUTE format('CREATE TABLE pawl.ended_before PARTITION OF pawl.delivery_blocks FOR "
        "VALUES FROM (%L) TO (%L)', now() - interval '4 days', now() - interval '2 days'); "
        "ALTER TABLE pawl.ended_today OWNER TO pawl_owner; "
        "ALTER TABLE pawl.ended_before OWNER TO pawl_owner; END$$");
    keep_up({delivery_chores(Duration::zero(), Duration::zero())[1]});
    EXPECT_EQ(count("pg_tables", "tablename = 'ended_before'"), "0");
    EXPECT_EQ(count("pg_tables", "tablename = 'ended_today'"), "1");
}

// However many others there are.
TEST_F(Retention, AStepReadsNoMoreThanItsShareOfTheCopies) {
    deliver_at(hours(0), {{"old", "capture/1"}});
    database.run(
        "INSERT INTO open_deliveries SELECT 4096 * n, now(), 'demo', 'POST', '/', '', '', '' FROM "
        "generate_series(1000, 20999) n; "
        "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
        "jsonb_build_object('event_id', 'q' || n, 'status', 'quarantined', 'outcome', "
        "'quarantined', 'note', 'test', 'done_at', NULL, 'delivery_id', 4096 * n)) AS r FROM "
        "webhook_intents i, generate_series(1000, 19999) n WHERE i.event_id = 'old') s; "
        "ANALYZE webhook_intents; ANALYZE open_deliveries");
    std::int64_t after = 0;
    for (int step = 0; step < 3; ++step) {
        db::Transaction transaction(session);
        const auto before = rows_read(transaction, "%");
        const auto rows =
            transaction.run(sql::ReapOpenDeliveries{.after_delivery = after, .limit_rows = 100});
        after = rows.only().last().value();
        EXPECT_LE(rows_read(transaction, "%") - before, 600) << step;
        transaction.commit();
    }
    drop_old();
    EXPECT_EQ(count("open_deliveries"), "19000");
}

}  // namespace
}  // namespace pawl::intents
