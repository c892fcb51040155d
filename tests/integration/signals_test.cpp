// Kept signals: those that a run listens to, whatever its own key is.
#include <gtest/gtest.h>

#include "tests/support/database.hpp"
#include "tests/support/events.hpp"
#include "workflows/engine/runs.hpp"

namespace pawl::workflows {
namespace {

class Signals : public ::testing::Test {
  protected:
    // A run that was started under `key` and listens to `signal_key`.
    void start(const std::string& key, const std::string& signal_key) {
        db::Transaction transaction(session);
        NewRun run;
        run.workflow = "test";
        run.key = key;
        run.signal_key = signal_key;
        run.step = "begin";
        run.correlation_id = CorrelationId("c");
        start_run(transaction, run, now);
        transaction.commit();
    }
    std::string kept_of(const std::string& key) {
        NewSignal signal;
        signal.key = key;
        signal.says.type = "succeeded";
        signal.says.provider = ProviderName("demo");
        signal.says.event_id = EventId("e1");
        db::Transaction transaction(session);
        signal_runs(transaction, {signal}, now);
        transaction.commit();
        return database.value("SELECT count(*) FROM workflow_signals WHERE signal_key = '" + key +
                              "'");
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    const Time now = SystemClock().now();
};

// As the run of an order that a rule started: it finds its payment's key on its way.
TEST_F(Signals, AreKeptForARunWhoseOwnKeyIsAnother) {
    start("start:order:o1", "pay:o1:1");
    EXPECT_EQ(kept_of("pay:o1:1"), "1");
}

TEST_F(Signals, AreNotKeptWhereNoRunListens) {
    start("pay:o1:1", "pay:o1:1");
    EXPECT_EQ(kept_of("pay:o2:1"), "0");
}

TEST_F(Signals, EventForARunThatDoesNotExistIsQuarantined) {
    start("pay:o1:1", "pay:o1:1");
    const struct {
        const char* key;
        ledger::Outcome outcome;
        const char* note;
    } table[] = {{"pay:o1:1", ledger::Outcome::started, ""},
                 {"pay:o2:1", ledger::Outcome::quarantined, "no_run"}};
    for (const auto& [key, outcome, note] : table) {
        providers::Event event = testing::ignored(key);
        event.action = providers::Action::signal;
        event.signal_key = key;
        const auto answer = testing::commit(session, {testing::deliver({event})})[0][0];
        EXPECT_EQ(answer.outcome, outcome) << key;
        EXPECT_EQ(answer.note, note) << key;
    }
}

}  // namespace
}  // namespace pawl::workflows
