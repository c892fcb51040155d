// Knowledge about the sends of one call, and its lifetime: the horizon runs from the first send,
// the doubt of one outlives the next, and the bytes are those of the first.
#include <utility>

#include "base/fault.hpp"
#include "tests/integration/paying.hpp"
#include "workflows/call/calls.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Fault;

class ChargeSends : public Paying {
  protected:
    void expect_looked_up_after_its_horizon(const payments::Payment& paid, std::size_t sends) {
        gateway->forgets_keys = true;
        rounds(hours(5));
        rounds(minutes(1));
        EXPECT_EQ(state(paid.id), "succeeded");
        EXPECT_EQ(gateway->sends.size(), sends);
        EXPECT_EQ(gateway->charges[paid.key], 1);
        EXPECT_EQ(balance(), 5000);
    }
};

TEST_F(ChargeSends, TheHorizonRunsFromTheFirstOfThem) {
    gateway->faults = {Fault::timeout_after, Fault::timeout_before};
    const auto paid = begin("o1");
    rounds();
    rounds(hours(20));
    ASSERT_EQ(gateway->sends.size(), 2U);
    expect_looked_up_after_its_horizon(paid, 2);
}

TEST_F(ChargeSends, SendIsInDoubtIfItsProcessEndedBeforeTheAnswerWasRecorded) {
    const auto paid = begin("o1");
    fault::set_observer([](std::string_view point, std::string_view) {
        if (point != "after_call_before_record") return;
        throw db::Failure(db::FailureKind::unreachable, "", "the end");
    });
    engine->run_once();
    fault::set_observer({});
    let_leases_run_out();
    let_pass(hours(20));
    ASSERT_EQ(gateway->sends.size(), 1U);
    expect_looked_up_after_its_horizon(paid, 1);
}

TEST_F(ChargeSends, TheRefusalOfTheSecondLeavesTheFirstInDoubt) {
    gateway->faults = {Fault::timeout_after, Fault::too_many};
    const auto paid = begin("o1");
    rounds();
    rounds(hours(20));
    ASSERT_EQ(gateway->sends.size(), 2U);
    EXPECT_EQ(value("SELECT in_doubt FROM external_calls"), "t");
    expect_looked_up_after_its_horizon(paid, 2);
}

TEST_F(ChargeSends, ARefusalThatTheSameRequestCannotHealIsTheLast) {
    gateway->faults = {Fault::malformed};
    const auto paid = begin("o1");
    rounds();
    EXPECT_EQ(state(paid.id), "failed");
    rounds(hours(1));
    EXPECT_EQ(gateway->sends.size(), 1U);
    EXPECT_EQ(balance(), 0);
}

TEST_F(ChargeSends, FiftyRejectionsEndWithAnOperator) {
    gateway->faults.assign(200, Fault::too_many);
    const auto rejected = begin("o1");
    for (int i = 0; i < 100; ++i) rounds(minutes(6));
    EXPECT_EQ(state(rejected.id), "needs_review");
    EXPECT_EQ(gateway->sends.size(), 50U);
}

TEST_F(ChargeSends, AnAnswerThatSaysNothingLeavesWhatIsKnown) {
    const auto paid = begin("o1");
    rounds();
    ASSERT_EQ(value("SELECT outcome FROM external_calls"), "succeeded");
    db::in_transaction(session, [&](db::Transaction& transaction) {
        PinnedCall call = *find_call(transaction, paid.key);
        call.in_doubt = true;
        outbound::GatewayResult answer;
        record(transaction, call, answer, AnswerTo::lookup, clock.now());
        EXPECT_EQ(find_call(transaction, paid.key)->outcome, "succeeded");
        answer.ending = outbound::GatewayOutcome::refused;
        record(transaction, call, answer, AnswerTo::send, clock.now());
        EXPECT_TRUE(find_call(transaction, paid.key)->in_doubt);
    });
}

TEST_F(ChargeSends, TheFirstToPinAKeyDecidesTheBytes) {
    const auto paid = begin("o1");
    rounds();
    struct Run run;
    run.id = std::stoll(value("SELECT run_id FROM external_calls"));
    run.correlation_id = CorrelationId("c");
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const PinnedCall pinned = *find_call(transaction, paid.key);
        PinnedCall other = pinned;
        other.call.body += " and more";
        EXPECT_EQ(pin(transaction, run, other, clock.now()).call.body, pinned.call.body);
    });
}

}  // namespace
}  // namespace pawl::workflows
