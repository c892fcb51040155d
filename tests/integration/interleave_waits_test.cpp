// A parked event, the event that meets its need, the sweeper and an operator: two of them at a
// time, in every order in which their statements can meet. In each order no event stays parked on a
// met need, and no effect is posted twice.
#include <gtest/gtest.h>

#include "intents/accept/accept.hpp"
#include "intents/operator/operating.hpp"
#include "intents/parking/sweeper.hpp"
#include "intents/verify/verify.hpp"
#include "tests/integration/interleaving.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using intents::Act;
using providers::OrderingPolicy;
using testing::Said;
using testing::Schedule;
using testing::Stepped;

// One side of a meeting.
struct Party {
    enum class Does { deliver, sweep, operate } does = Does::deliver;
    Said said = {};          // what is delivered
    Act act = Act::release;  // what an operator does
    std::string event = {};  // to this one
};

struct Meeting {
    const char* name;
    std::vector<Said> before;  // delivered one after the other
    const char* then;          // and this SQL; "": nothing more
    Party a, b;
    std::set<std::string> ends;  // outcomes by event id, any of these
    std::set<std::int64_t> balances;
    bool paused = false;  // what is delivered before is left pending
    Schedule::Leave leave = Schedule::Leave::what_commutes;  // thousands: in part, but by proof.sh
};

void PrintTo(const Meeting& meeting, std::ostream* out) {
    *out << meeting.name;
}

// Knows nothing but its name: released and posted is what was stored.
providers::Provider demo() {
    providers::ProviderConfig config;
    config.name = "demo";
    config.books = "demo";
    config.preset = "standard-webhooks";
    config.secrets = {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLJSw"};
    config.read.event_id = {{"/id"}};
    config.read.type = {{"/type"}};
    return providers::Provider::create(config).value();
}

class Meets : public ::testing::TestWithParam<Meeting> {
  protected:
    Stepped::Work work_of(const Party& party) {
        if (party.does == Party::Does::sweep) {
            return [this](db::Session& session) {
                sweeper.run_once(session);
                return std::vector<intents::DeliveryResult>();
            };
        }
        if (party.does == Party::Does::operate) {
            const intents::Instruction instruction{party.act, party.event, "ana", "test"};
            return [this, instruction](db::Session& session) {
                // A refusal is allowed, if the other side was faster.
                static_cast<void>(
                    intents::apply_operator_action(session, provider, instruction, clock.now()));
                return std::vector<intents::DeliveryResult>();
            };
        }
        const auto delivery = testing::deliver({testing::event(party.said)});
        return [delivery](db::Session& session) { return testing::commit(session, {delivery}); };
    }

    testing::StepLog run_one(const Meeting& meeting, Schedule& schedule) {
        if (meeting.paused) {
            db::Statement::run_script(
                look, "INSERT INTO provider_pauses VALUES ('demo', now(), 'ana', 'test')");
        }
        for (const Said& said : meeting.before) {
            testing::commit(look, {testing::deliver({testing::event(said)})});
        }
        db::Statement::run_script(look, "DELETE FROM provider_pauses");
        db::Statement::run_script(look, meeting.then);
        sides[0]->begin(work_of(meeting.a));
        sides[1]->begin(work_of(meeting.b));
        testing::StepLog step_log = testing::drive(sides, schedule);
        expect_end(meeting, step_log.text());
        return step_log;
    }

    void expect_end(const Meeting& meeting, const std::string& step_log) {
        constexpr db::Query outcomes{
            "test_outcomes",
            "SELECT string_agg(event_id || ' ' || outcome, ', ' ORDER BY event_id) "
            "FROM webhook_intents"};
        constexpr db::Query left{
            "test_left",
            "SELECT (SELECT count(*) FROM effect_waits) + (SELECT count(*) FROM sequence_waits)"};
        const std::string end = db::Statement::run(look, outcomes).value();
        EXPECT_TRUE(meeting.ends.contains(end)) << end << " after " << step_log;
        EXPECT_EQ(db::Statement::run(look, left).number(), 0) << step_log;
        const auto books = testing::books_of(look, "");
        ASSERT_EQ(books.balances.size(), 1U) << step_log;
        EXPECT_TRUE(meeting.balances.contains(books.balances.begin()->second))
            << books.balances.begin()->second << " after " << step_log;
    }

    testing::Ground ground;
    db::Session& look = ground.look;
    testing::Sides& sides = ground.sides;
    SystemClock clock;
    Metrics metrics;
    intents::Sweeper sweeper{{}, ground.database.options(), clock, metrics};
    providers::Provider provider = demo();
};

TEST_P(Meets, InAnyOrderAndNoEventStaysParked) {
    const Meeting& meeting = GetParam();
    testing::in_every_order(meeting.name, ground, meeting.leave,
                            [&](Schedule& schedule) { return run_one(meeting, schedule); });
    EXPECT_TRUE(intents::holds(intents::verify(look)));
}

Said held(std::int64_t number) {
    const std::string id = "h" + std::to_string(number);
    return {.id = id, .effect = id, .sequence = number, .order = OrderingPolicy::hold};
}

const Said capture{.id = "c1", .effect = "c1"};
const Said refund{
    .id = "r1", .effect = "r1", .amount = 40, .action = providers::Action::debit, .needs = {"c1"}};
const Party sweeps{.does = Party::Does::sweep};
constexpr const char* is_due =
    "UPDATE webhook_intents SET wake_at = now() - interval '1 minute' "
    "WHERE status = 'parked'";
constexpr const char* is_past_its_deadline =
    "UPDATE webhook_intents SET wake_at = now() - interval '1 minute', "
    "received_at = received_at - interval '73 hours' "
    "WHERE status = 'parked'";

INSTANTIATE_TEST_SUITE_P(
    Two, Meets,
    ::testing::Values(
        Meeting{"ARefundAndItsCapture",
                {},
                "",
                {.said = refund},
                {.said = capture},
                {"c1 applied, r1 applied"},
                {60}},
        Meeting{"AGapIsFilledWhileTheNextIsParked",
                {held(1)},
                "",
                {.said = held(2)},
                {.said = held(3)},
                {"h1 applied, h2 applied, h3 applied"},
                {300}},
        Meeting{"TwoGapsAreFilledAtOnce",
                {held(1), held(4)},
                "",
                {.said = held(2)},
                {.said = held(3)},
                {"h1 applied, h2 applied, h3 applied, h4 applied"},
                {400}},
        Meeting{"AnOperatorReleasesWhatArrives",
                {held(1), held(3)},
                "",
                {.does = Party::Does::operate, .event = "h3"},
                {.said = held(2)},
                {"h1 applied, h2 applied, h3 applied", "h1 applied, h2 applied_late, h3 applied"},
                {300}},
        Meeting{"AnOperatorPostsWhatIsReleased",
                {refund},
                "",
                {.does = Party::Does::operate, .act = Act::post, .event = "r1"},
                {.said = capture},
                {"c1 applied, r1 applied"},
                {60}},
        Meeting{"TheSweeperFinishesWhatIsDeliveredAgain",
                {capture},
                "",
                sweeps,
                {.said = capture},
                {"c1 applied"},
                {100},
                true},
        Meeting{
            "TwoSweepersFindTheSame", {capture}, "", sweeps, sweeps, {"c1 applied"}, {100}, true},
        Meeting{"TheSweeperLooksAtWhatIsReleased",
                {refund},
                is_due,
                sweeps,
                {.said = capture},
                {"c1 applied, r1 applied"},
                {60},
                false,
                Schedule::Leave::many_switches},
        Meeting{"TheSweeperGivesUpWhatIsReleased",
                {refund},
                is_past_its_deadline,
                sweeps,
                {.said = capture},
                {"c1 applied, r1 applied", "c1 applied, r1 quarantined"},
                {60, 100},
                false,
                Schedule::Leave::many_switches},
        Meeting{"TheSweeperAndAnOperator",
                {held(1), held(3)},
                is_due,
                sweeps,
                {.does = Party::Does::operate, .event = "h3"},
                {"h1 applied, h3 applied"},
                {200},
                false,
                Schedule::Leave::many_switches}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace pawl
