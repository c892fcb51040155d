// An event is found again whatever segment it is in and whichever filters a server has; and a
// filter that lies costs a second row and no second credit.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "base/fault.hpp"
#include "intents/accept/accept.hpp"
#include "intents/parking/sweeper.hpp"
#include "intents/sql.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"
#include "tests/support/segments.hpp"

namespace pawl::intents {
namespace {

using ledger::Outcome;
using testing::deliver;
using testing::event;
using testing::ignored;
using testing::Said;

class Segmented : public ::testing::Test {
  protected:
    ~Segmented() override { fault::set_observer({}); }

    // By a server that has loaded what `segments` has.
    EventResult one(const providers::Event& event) {
        return testing::commit(session, {deliver({event})}, *segments.known())[0][0];
    }
    // By one that has loaded nothing.
    EventResult one_without_filters(const providers::Event& event) {
        return testing::commit(session, {deliver({event})})[0][0];
    }
    void seal() {
        segments.open_next();
        segments.seal_all();
        segments.load();
    }
    // Segment 1, with a filter that denies everything, which every server believes.
    void seal_with_a_lie() {
        segments.open_next();
        segments.seal_with_a_lie(1);
        ASSERT_EQ(segments.known()->through, 1);
    }
    std::string rows_of(const std::string& id) {
        return database.value(
            "SELECT string_agg(segment || ' ' || outcome, ', ' ORDER BY segment) FROM "
            "webhook_intents WHERE event_id = '" +
            id + "'");
    }
    std::string transfers() { return database.value("SELECT count(*) FROM transfers"); }
    std::string balance() {
        return database.value("SELECT amount FROM balances WHERE account = 'user:1'");
    }
    std::vector<std::string> broken(Depth depth) {
        std::vector<std::string> names;
        for (const Invariant& invariant : verify(session, depth)) {
            for (const Breach& breach : invariant.breaches) {
                names.push_back(invariant.name + " " + breach.subject);
            }
        }
        return names;
    }
    void sweep() {
        SystemClock clock;
        Metrics metrics;
        Sweeper sweeper(SweeperOptions{}, database.options(), clock, metrics);
        while (sweeper.run_once(session) > 0) {
        }
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    testing::Segments segments{session};
};

TEST_F(Segmented, NewEventsAreKeptInTheNewestSegment) {
    one(event({"e1", "capture/1"}));
    segments.open_next();
    one(event({"e2", "capture/2"}));
    seal();
    one(event({"e3", "capture/3"}));
    EXPECT_EQ(rows_of("e1"), "1 applied");
    EXPECT_EQ(rows_of("e2"), "2 applied");
    EXPECT_EQ(rows_of("e3"), "3 applied");
    EXPECT_EQ(segments.sealed(), 2);
}

TEST_F(Segmented, ADuplicateIsFoundInWhateverSegmentTheFirstOneIs) {
    const std::vector<std::function<void()>> afterwards = {[] {},
                                                           [&] { segments.open_next(); },
                                                           [&] { segments.seal_all(); },
                                                           [&] { segments.load(); },
                                                           [&] { seal(); },
                                                           [&] { seal(); }};
    one(event({"e1", "capture/1"}));
    std::int64_t deliveries = 1;
    for (std::size_t i = 0; i < afterwards.size(); ++i) {
        afterwards[i]();
        EXPECT_TRUE(one(event({"e1", "capture/1"})).duplicate) << i;
        EXPECT_TRUE(one_without_filters(event({"e1", "capture/1"})).duplicate) << i;
        deliveries += 2;
    }
    EXPECT_EQ(rows_of("e1"), "1 applied");
    EXPECT_EQ(database.value("SELECT deliveries FROM webhook_intents"), std::to_string(deliveries));
    EXPECT_EQ(balance(), "100");
}

TEST_F(Segmented, OtherContentUnderAnOldIdIsAConflict) {
    one(event({"e1", "capture/1"}));
    seal();
    const auto other = one(event({"e1", "capture/2", "user:2", 7}));
    EXPECT_EQ(other.outcome, Outcome::quarantined);
    EXPECT_EQ(other.note, "id_conflict");
    EXPECT_EQ(one(event({"e1", "capture/2", "user:2", 7})).event_id, other.event_id);
    EXPECT_EQ(transfers(), "1");
}

TEST_F(Segmented, EventParkedInASealedSegmentIsReleasedByItsNeed) {
    one(event({.id = "r1",
               .effect = "refund/1",
               .amount = 30,
               .action = providers::Action::debit,
               .needs = {"capture/1"}}));
    seal();
    seal();
    one(event({"e1", "capture/1"}));
    EXPECT_EQ(rows_of("r1"), "1 applied");
    EXPECT_EQ(balance(), "70");
    EXPECT_EQ(broken(Depth::deep), std::vector<std::string>{});
}

TEST_F(Segmented, NumbersThatWaitInSealedSegmentsHaveTheirTurn) {
    const auto numbered = [](const std::string& id, std::int64_t number) {
        return event(
            {.id = id, .effect = id, .sequence = number, .order = providers::OrderingPolicy::hold});
    };
    one(numbered("h3", 3));
    seal();
    one(numbered("h2", 2));
    seal();
    one(numbered("h1", 1));
    EXPECT_EQ(rows_of("h3"), "1 applied");
    EXPECT_EQ(rows_of("h2"), "2 applied");
    EXPECT_EQ(database.value("SELECT count(*) FROM sequence_waits"), "0");
}

// Two servers, one of which sealed and loaded; then its database is replaced by another one.
TEST_F(Segmented, FiltersOfAnotherDatabaseAnswerNothing) {
    one(event({"e1", "capture/1"}));
    seal();
    const testing::TestDatabase other_database;
    db::Session other_session = other_database.session();
    testing::commit(other_session, {deliver({event({"x1", "capture/9"})})});
    testing::Segments other(other_session);
    other.open_next();
    other.seal_all();
    other.load();
    ASSERT_EQ(other.known()->through, 1);
    const auto again =
        testing::commit(session, {deliver({event({"e1", "capture/1"})})}, *other.known());
    EXPECT_TRUE(again[0][0].duplicate);

    // Their memory is freed.
    while (other.filters.load_next(session)) {
    }
    EXPECT_EQ(other.known()->token, segments.known()->token);
}

// At whichever statement another server opens the next one, and would seal.
TEST_F(Segmented, SegmentIsNotSealedWhileATransactionMayInsertIntoIt) {
    int n = 0;
    for (const char* statement :
         {"intents_circumstances", "intents_read_intents", "intents_write_delivery_block",
          "intents_insert_intents", "jobs_stage_jobs"}) {
        db::Session beside = database.session();
        testing::Segments others(beside);
        const std::int64_t sealed = others.sealed();
        bool reached = false;
        fault::set_observer([&](std::string_view, std::string_view what) {
            if (what != statement || std::exchange(reached, true)) return;
            others.open_next();
            others.seal_all();
            EXPECT_EQ(others.sealed(), sealed) << statement;
        });
        const std::string id = std::to_string(++n);
        providers::Event credit = event({"e" + id, "capture/" + id});
        credit.jobs = {"notify"};
        one(credit);
        fault::set_observer({});
        EXPECT_TRUE(reached) << statement;
        others.seal_all();
        EXPECT_EQ(others.sealed(), others.newest() - 1) << statement;
        segments.load();
        EXPECT_TRUE(one(credit).duplicate) << statement;
    }
}

// As far as it comes; the next server starts from the beginning, and both make the same filter.
TEST_F(Segmented, TwoServersThatSealAtOnceMakeOneFilter) {
    one(event({"e1", "capture/1"}));
    segments.open_next();
    db::Session beside = database.session();
    SegmentFilters filters;
    Metrics metrics;
    Sealing slow(1'000'000'000, filters, metrics);
    EXPECT_TRUE(slow.step(beside));  // knows what to seal
    segments.seal_all();
    const std::string token = database.value("SELECT token FROM segments WHERE segment = 1");
    while (slow.step(beside)) {
    }
    EXPECT_EQ(segments.sealed(), 1);
    EXPECT_EQ(database.value("SELECT token FROM segments WHERE segment = 1"), token);
}

// The server behind the new connection may have lost the next segment, and have inserted again.
TEST_F(Segmented, ASealingThatLosesItsConnectionBeginsAgain) {
    one(event({"e1", "capture/1"}));
    segments.open_next();
    db::Session beside = database.session();
    SegmentFilters filters;
    Metrics metrics;
    Sealing sealing(1'000'000'000, filters, metrics);
    fault::set_observer([&, reached = false](std::string_view point, std::string_view) mutable {
        if (point != "segment_before_seal" || std::exchange(reached, true)) return;
        beside.disconnect();
        database.run(
            "INSERT INTO webhook_intents SELECT (r).* FROM (SELECT jsonb_populate_record(i, "
            "'{\"event_id\": \"e9\"}') AS r FROM webhook_intents i) s");
    });
    while (sealing.step(beside)) {
    }
    EXPECT_EQ(segments.sealed(), 1);
    EXPECT_EQ(database.value("SELECT keys FROM segments WHERE segment = 1"), "2");
}

TEST_F(Segmented, TheNextOneIsOpenedWhenTheNewestIsFull) {
    for (int n = 1; n <= 30; ++n) {
        const std::string id = std::to_string(n);
        one(event({"e" + id, "capture/" + id}));
    }
    SegmentFilters filters;
    Metrics metrics;
    Sealing sealing(20, filters, metrics);
    // The server reports what a connection has inserted when that has a quiet moment, or ends.
    session.disconnect();
    db::Session beside = database.session();
    for (int tries = 0; tries < 200 && segments.newest() == 1; ++tries) {
        sealing.step(beside);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(segments.newest(), 2);
    while (sealing.step(beside)) {
    }
    EXPECT_EQ(segments.newest(), 2) << "opened again, though it is empty";
    EXPECT_EQ(database.value("SELECT keys FROM segments WHERE segment = 1"), "30");
}

struct BadFilter {
    const char* name;
    const char* sql;
};
class UnusableFilter : public Segmented, public ::testing::WithParamInterface<BadFilter> {};

TEST_P(UnusableFilter, IsNotAskedAndTheIndexIs) {
    one(event({"e1", "capture/1"}));
    segments.open_next();
    one(event({"e2", "capture/2"}));
    segments.open_next();
    segments.seal_all();
    database.run(GetParam().sql);
    testing::Segments fresh(session);
    fresh.load();
    EXPECT_EQ(fresh.known()->through, 2);
    for (const char* id : {"1", "2"}) {
        const auto e = event({std::string("e") + id, std::string("capture/") + id});
        EXPECT_TRUE(testing::commit(session, {deliver({e})}, *fresh.known())[0][0].duplicate) << id;
    }
    fresh.open_next();
    fresh.seal_all();
    EXPECT_EQ(fresh.sealed(), 3) << "it keeps nothing from being sealed";
}

INSTANTIATE_TEST_SUITE_P(
    Each, UnusableFilter,
    ::testing::Values(
        BadFilter{"corrupted",
                  "UPDATE segments SET filter = set_byte(filter, 40, get_byte(filter, 40) # 255)"},
        BadFilter{"cut", "UPDATE segments SET filter = substring(filter FROM 1 FOR 60)"},
        BadFilter{"empty", "UPDATE segments SET filter = '' WHERE segment = 1"},
        BadFilter{"of_another_segment",
                  "UPDATE segments s SET filter = other.filter FROM segments other "
                  "WHERE other.segment = 3 - s.segment"}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(Segmented, ALyingFilterCostsASecondRowAndNoSecondCredit) {
    one(event({"e1", "capture/1"}));
    seal_with_a_lie();
    const auto again = one(event({"e1", "capture/1"}));
    EXPECT_EQ(again.outcome, Outcome::duplicate_effect);
    EXPECT_EQ(rows_of("e1"), "1 applied, 2 duplicate_effect");
    EXPECT_EQ(balance(), "100");
}

TEST_F(Segmented, ALyingFilterHidesAConflictOfIdsAndNotOneOfEffects) {
    one(event({"e1", "capture/1"}));
    seal_with_a_lie();
    EXPECT_EQ(one(event({"e1", "capture/1", "user:2", 7})).note, "effect_conflict");
    EXPECT_EQ(transfers(), "1");
    EXPECT_EQ(broken(Depth::since_last_proof), std::vector<std::string>{});
    EXPECT_EQ(broken(Depth::deep), std::vector<std::string>{"event_has_one_row demo/e1"});
}

TEST_F(Segmented, ALyingFilterStartsNoWorkflowTwice) {
    providers::Event start = ignored("s1");
    start.action = providers::Action::start;
    start.workflow = "charge_order";
    start.start_key = EffectKey("demo/order/1");
    one(start);
    seal_with_a_lie();
    one(start);
    one(ignored("i1"));
    EXPECT_EQ(rows_of("s1"), "1 started, 2 started");
    EXPECT_EQ(database.value("SELECT count(*) FROM workflow_runs"), "1");
}

TEST_F(Segmented, ALyingFilterSetsNoBalanceTwice) {
    const auto at = [](const std::string& id, std::int64_t amount, std::int64_t number) {
        return event({.id = id,
                      .effect = "balance/user:1:" + std::to_string(number),
                      .amount = amount,
                      .sequence = number,
                      .action = providers::Action::set_balance,
                      .order = providers::OrderingPolicy::strict});
    };
    one(at("b1", 100, 1));
    one(at("b2", 60, 2));
    one(at("b3", 60, 3));  // moves nothing, and so has no key in the journal
    seal_with_a_lie();
    for (const auto& again : {at("b1", 100, 1), at("b2", 60, 2), at("b3", 60, 3)}) one(again);
    EXPECT_EQ(balance(), "60");
    EXPECT_EQ(transfers(), "2");
}

TEST_F(Segmented, WrongFilterDoesNotKeepAnEventParked) {
    const auto refund = event({.id = "r1",
                               .effect = "refund/1",
                               .amount = 30,
                               .action = providers::Action::debit,
                               .needs = {"capture/1"}});
    one(refund);
    seal_with_a_lie();
    one(refund);
    EXPECT_EQ(rows_of("r1"), "1 parked, 2 parked");
    one(event({"e1", "capture/1"}));
    EXPECT_EQ(balance(), "70");
    database.run("UPDATE webhook_intents SET wake_at = now() WHERE status = 'parked'");
    sweep();
    EXPECT_EQ(rows_of("r1"), "1 applied, 2 duplicate_effect");
    EXPECT_EQ(balance(), "70");
}

// Its filter lies in the memory of one server; the one that seals the next segment has a true one.
TEST_F(Segmented, SealingNamesAnEventThatStandsInAnOlderSegment) {
    one(event({"e1", "capture/1"}));
    seal();
    KnownSegments lying = *segments.known();
    lying.filters[0] = std::make_shared<const KeyFilter>(1, std::vector<std::uint64_t>{});
    testing::commit(session, {deliver({event({"e1", "capture/1"})})}, lying);
    testing::commit(session, {deliver({event({"e2", "capture/2"})})}, lying);
    EXPECT_EQ(broken(Depth::since_last_proof), std::vector<std::string>{});
    seal();
    EXPECT_EQ(broken(Depth::since_last_proof),
              std::vector<std::string>{"event_has_one_row demo/e1"});
    EXPECT_EQ(broken(Depth::deep),
              (std::vector<std::string>{"event_has_one_row demo/e1", "event_has_one_row demo/e1"}));
    EXPECT_NE(segments.metrics.render().find("pawl_event_doubles_total 1"), std::string::npos);
}

TEST_F(Segmented, ServersRoleCanNeitherDropNorRenumberASegment) {
    seal();
    for (const char* sql :
         {"DELETE FROM segments", "UPDATE segments SET segment = 9", "TRUNCATE segments",
          "UPDATE segments SET rows_before = 0", "ALTER TABLE segments ADD COLUMN more text",
          "UPDATE webhook_intents SET segment = 2"}) {
        one(event({"e1", "capture/1"}));
        EXPECT_THROW(db::Statement::run_script(session, sql), db::Failure) << sql;
    }
}

}  // namespace
}  // namespace pawl::intents
