// Runs whose gateway is no longer configured do not delay those of others.
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using testing::Fault;

class Lanes : public Paying {};

TEST_F(Lanes, SignalsOfAGoneLaneDoNotKeepOthersAsleep) {
    gateway->faults = {Fault::processing};
    const auto waiting = begin("z_last");
    rounds();
    database.run(
        "INSERT INTO workflow_runs (workflow, key, signal_key, lane, step, status, wake_at, "
        "correlation_id, created_at, updated_at) SELECT 'charge_order', 'a' || n, 'a' || n, "
        "'gone', 'charge', 'running', now(), 'c', now(), now() FROM generate_series(1, 600) n");
    database.run(
        "INSERT INTO workflow_signals (signal_key, type, provider, event_id, received_at) "
        "SELECT 'a' || n, 't', 'test', 'e' || n, now() FROM generate_series(1, 600) n");
    gateway->act(waiting.key);
    signal(waiting.key, 5000);
    for (int i = 0; i < 4; ++i) rounds();
    EXPECT_EQ(state(waiting.id), "succeeded");
}

}  // namespace
}  // namespace pawl::workflows
