// Runs whose gateway is configured no more: they are counted, and hold up nobody else's.
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using testing::Fault;

class Lanes : public Paying {
  protected:
    double without_gateway() {
        return metrics.gauge("pawl_runs_without_gateway", "").alone().value();
    }
};

TEST_F(Lanes, RunsWithoutAGatewayAreCounted) {
    begin("o1");
    database.run("UPDATE workflow_runs SET lane = 'gone'");
    engine->start();
    for (int i = 0; i < 300 && without_gateway() == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(without_gateway(), 1);
    engine->stop();
}

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
