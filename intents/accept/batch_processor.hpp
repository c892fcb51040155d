// Decides events one after the other on a BatchContext: those of a batch, and the parked ones that
// these release. No SQL. Owned by one transaction of one thread.
#pragma once

#include <deque>

#include "intents/accept/batch_context.hpp"

namespace pawl::intents {

class BatchProcessor {
  public:
    BatchProcessor(BatchContext& context, Time now) : context_(context), now_(now) {}

    // One event of a submission, and then every event that it releases.
    EventResult take(const Submission& submission, const providers::Event& event);

    // An entry that no event has caused; and then every event that it releases.
    ledger::Applied take(const ledger::Entry& entry, const CorrelationId& correlation_id);

  private:
    EventResult claim(const Submission& submission, const providers::Event& event);
    const providers::Event& under(const EventId& id, const providers::Event& event);
    const providers::Event& under_former_keys(const providers::Event& event);
    bool continues_under(const providers::FormerKey& one, const providers::Event& event) const;
    EventResult resume(const Submission& submission, const providers::Event& event);
    EventResult keep_conflict(const Submission& submission, const providers::Event& event,
                              const IntentKey& key, Intent& intent);

    void settle(const Origin& origin, const providers::Event& event, const IntentKey& key,
                Intent& intent, const Resumed* resumed = nullptr);
    ledger::Applied decide(const Origin& origin, const providers::Event& event,
                           const Resumed* resumed);
    ledger::Applied post(ledger::Entry entry, const ledger::OperatorOverride& overrides);
    std::optional<ledger::Applied> hand_to_workflow(const Origin& origin,
                                                    const providers::Event& event);
    void signal_run(const Origin& origin, const providers::Event& event,
                    const ledger::Applied& applied);
    void mark_dispute(const Origin& origin, const providers::Event& event,
                      const ledger::Applied& applied);
    bool keys_another_payment(const providers::Event& event) const;
    void wake_under_both(const providers::Event& event);
    void skip_gap(const Origin& origin, const providers::Event& event);
    void wait_or_not(const Origin& origin, const providers::Event& event, const IntentKey& key,
                     const ledger::Applied& applied, bool early, Intent& intent);
    void wait_for_effect(const Origin& origin, const providers::Event& event, const IntentKey& key,
                         ledger::Applied& applied, Intent& intent);
    void clear_turn(const Origin& origin, const providers::Event& event, const IntentKey& key,
                    bool stored);

    void release();
    void release_by(const EffectKey& effect);
    void follow(const ledger::SequenceKey& stream);
    void release_one(const IntentKey& key, const Waiter& waiter);

    BatchContext& context_;
    const Time now_;
    std::deque<EffectKey> posted_;           // dependents not yet released
    std::deque<ledger::SequenceKey> moved_;  // sequences whose next events are not yet released
};

}  // namespace pawl::intents
