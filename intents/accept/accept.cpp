#include "intents/accept/accept.hpp"

#include <algorithm>
#include <iterator>

#include "base/fault.hpp"
#include "base/keys.hpp"
#include "intents/accept/batch_context.hpp"
#include "intents/accept/batch_processor.hpp"
#include "intents/accept/holders.hpp"
#include "intents/accept/lock_keys.hpp"
#include "intents/accept/lock_set.hpp"
#include "intents/accept/notices.hpp"
#include "intents/accept/store.hpp"
#include "intents/deliveries/deliveries.hpp"
#include "intents/parking/waits.hpp"
#include "intents/sql.hpp"
#include "ledger/store.hpp"
#include "providers/config.hpp"

namespace pawl::intents {
namespace {

// All but the balances: those are locked by being read, and as late as can be.
void read_books(db::Transaction& transaction, const LockSet& lock_set, LockScope scope,
                ledger::Book& book) {
    std::set<ledger::SequenceKey> streams;
    for (const auto& [key, lowest] : lock_set.streams) streams.insert(key);
    const bool again = scope == LockScope::batch_and_dependents;
    ledger::load_effects(transaction, lock_set.effects,
                         again ? ledger::Hashes::compared : ledger::Hashes::trusted, book);
    ledger::read_sequences(transaction, streams, book);
    ledger::read_totals(transaction, lock_set.totals, book);
}

// Returns the keys of posted debits that this batch reports again, directly or by their return.
std::set<EffectKey> reported_again(const LockSet& lock_set, const ledger::Book& book) {
    std::set<EffectKey> debits = lock_set.returned;
    for (const EffectKey& key : lock_set.debited) {
        if (book.find(key) != nullptr) debits.insert(key);
    }
    return debits;
}

// Reads those debits and the movements that returned them.
void read_returns(db::Transaction& transaction, const LockSet& lock_set, BatchContext& context) {
    ledger::read_returns(transaction, reported_again(lock_set, context.book), context.book);
    for (const auto& [wait, waiter] : context.waits.effects) {
        const auto& event = waiter.event;
        if (!event || event->unmet != providers::Unmet::ignore || !event->occurred_at) continue;
        context.book.await_return(wait.effect, *event->occurred_at);
    }
}

// Returns the posted debits that may be posted again, and their returns: a repetition moves the
// account that holds the first one.
std::vector<const ledger::Transfer*> repeatable(const LockSet& lock_set, const ledger::Book& book) {
    std::vector<const ledger::Transfer*> all;
    for (const EffectKey& key : reported_again(lock_set, book)) {
        if (const ledger::Transfer* first = book.find(key)) all.push_back(first);
        for (const ledger::Transfer* one : book.returns_of(key)) all.push_back(one);
    }
    return all;
}

// Adds the holders of payments that operators have moved, or whose conflicts they post: a movement
// that names another account of such a payment goes to its holder.
void add_holders(const Batch& batch, const LockSet& lock_set, const ledger::Book& book,
                 std::set<ledger::BalanceKey>& balances) {
    for (const ledger::Transfer* one : book.corrected()) {
        for (const auto& [account, currency] : lock_set.balances) {
            if (account == one->account()) balances.insert({book.holding_account(*one), currency});
        }
    }
    for (const Submission* submission : batch) {
        if (!submission->resumed || submission->resumed->overrides.check.empty()) continue;
        for (const providers::Event& event : submission->events) {
            for (const providers::Movement& movement : event.movements) {
                const ledger::Transfer* met = book.met_by(stem_of(movement.effect_key));
                if (met == nullptr) continue;
                balances.insert({book.holding_account(*met), movement.amount.currency});
            }
        }
    }
}

// Returns the keys of the balances to load: those of the lock set, and those of accounts that no
// event names because they hold a needed movement, which this batch may post, or a repeated one.
std::set<ledger::BalanceKey> balances_of(db::Transaction& transaction, const Batch& batch,
                                         const LockSet& lock_set, BatchContext& context) {
    std::set<ledger::BalanceKey> balances = lock_set.balances;
    const auto again = repeatable(lock_set, context.book);
    std::vector<const ledger::Transfer*> held = again;
    const auto& corrected = context.book.corrected();
    held.insert(held.end(), corrected.begin(), corrected.end());
    for (const NeededAccount& one : lock_set.needed_accounts) {
        if (const ledger::Transfer* met = context.book.met_by(one.need)) held.push_back(met);
    }
    ledger::read_corrections(transaction, held, context.book);
    for (const ledger::Transfer* one : again) {
        balances.insert({context.book.holding_account(*one), one->amount.currency});
    }
    add_holders(batch, lock_set, context.book, balances);
    if (lock_set.needed_accounts.empty()) return balances;
    const Holders holders(batch, context);
    for (const NeededAccount& one : lock_set.needed_accounts) {
        for (const AccountId& account : holders.of(one.need)) {
            balances.insert({account, one.currency});
        }
    }
    return balances;
}

// Reads the payments of Pawl's own runs that the batch's money movements signal.
void read_signaled_payments(db::Transaction& transaction, const Batch& batch,
                            BatchContext& context) {
    db::Texts keys;
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            const bool credit = event.action == providers::Action::credit && event.needs.empty();
            if (credit && !event.signal_key.empty()) keys.add(event.signal_key);
        }
    }
    if (keys.empty()) return;
    for (const auto row : transaction.run(sql::SignaledPayments{.key = std::move(keys)})) {
        context.signaled_payments.emplace(std::string(row.key()),
                                          SignaledPayment{EffectKey(std::string(row.root())),
                                                          AccountId(std::string(row.account()))});
    }
}

void write_disputes(db::Transaction& transaction, BatchContext& context, Time now) {
    for (const DisputeMark& mark : context.disputes) {
        const auto marked =
            transaction.run(sql::MarkDispute{.books = mark.books,
                                             .dispute_id = mark.dispute_id,
                                             .payment_key = mark.payment_key.str(),
                                             .state = providers::to_text(mark.state),
                                             .happened_at = mark.at,
                                             .now = now});
        if (!marked.only().changed()) continue;
        stage_dispute(mark, context.jobs);
        workflows::signal_roots(transaction, {{mark.payment_key, mark.provider, mark.event_id}},
                                now);
    }
}

// Locks every key that the batch and its dependents may touch. Detects an event that was parked
// between the read and the lock: then the lock set was too small, and the whole transaction is
// retried.
LockSet take_locks(db::Transaction& transaction, LockSet lock_set, LockScope scope, Waits& waits) {
    if (scope == LockScope::batch_and_dependents) lock_set.add(read_waits(transaction, lock_set));
    lock(transaction, lock_keys(lock_set));
    PAWL_FAULT_POINT(after_lock_before_read);
    waits = read_waits(transaction, lock_set);
    if (waits.effects.empty() && waits.turns.empty()) return lock_set;
    LockSet whole = lock_set;
    whole.add(waits);
    if (!lock_set.covers(whole)) {
        throw db::Failure(db::FailureKind::retry, "", "an event was parked on this batch");
    }
    return lock_set;
}

// A signal to an unknown run is a mistake in the rules: an operator must see it.
void find_unknown_runs(db::Transaction& transaction, const Batch& batch, BatchContext& context) {
    std::set<std::string> keys;
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            if (event.action == providers::Action::signal) keys.insert(event.signal_key);
        }
    }
    if (keys.empty()) return;
    const auto known = workflows::known_signal_keys(transaction, keys);
    std::set_difference(
        keys.begin(), keys.end(), known.begin(), known.end(),
        std::inserter(context.unknown_signal_keys, context.unknown_signal_keys.begin()));
}

// A payment's own run knows its postings; movements with any other cause are signaled to it.
std::vector<workflows::RootSignal> moved_roots(const BatchContext& context) {
    std::vector<workflows::RootSignal> roots;
    for (const ledger::Transfer* one : context.book.new_transfers()) {
        if (one->payment_key.empty()) continue;
        if (!one->event_id.empty())
            roots.push_back({one->payment_key, one->provider, one->event_id});
        if (one->by_operator) {
            roots.push_back({one->payment_key, ProviderName(std::string(ledger::operator_source)),
                             EventId(one->by_operator->entry_id)});
        }
    }
    return roots;
}

void write_runs_and_signals(db::Transaction& transaction, const BatchContext& context, Time now) {
    for (const workflows::NewRun& run : context.starts) workflows::start_run(transaction, run, now);
    workflows::signal_runs(transaction, context.signals, now);
    workflows::signal_roots(transaction, moved_roots(context), now);
}

// In the order in which every transaction takes the locks.
void write_effects(db::Transaction& transaction, BatchContext& context, ShapeRecord& shapes,
                   Time now) {
    ledger::write(transaction, context.book, now);
    write_waits(transaction, context, now);
    write_runs_and_signals(transaction, context, now);
    write_disputes(transaction, context, now);
    jobs::stage(transaction, context.jobs, now);
    record_shapes(transaction, context, shapes, now);
}

}  // namespace

EventId conflict_id(const providers::Event& event) {
    return EventId(event.event_id.str() + "~" + event.fingerprint.substr(0, 16));
}

EventId long_conflict_id(const providers::Event& event) {
    return EventId(event.event_id.str() + "~" + event.fingerprint);
}

bool is_conflict_id(const std::string& id, const std::string& fingerprint) {
    return id.ends_with("~" + fingerprint.substr(0, 16)) || id.ends_with("~" + fingerprint);
}

EventId id_beside_other_mode(const providers::Event& event) {
    // "live" and "test" in hexadecimal: one form, that of conflict_id, for every key that is not
    // the sender's own id.
    constexpr const char* live = "~6c69766500000000";
    constexpr const char* test = "~7465737400000000";
    return EventId(event.event_id.str() + (event.live ? live : test));
}

std::optional<EventId> id_beside_other_mode(const Intent& holder, const providers::Event& event) {
    const bool of_test = event.note == providers::test_mode_note;
    const bool held = holder.stored || holder.decided;
    const bool held_by_test = held && holder.outcome == ledger::Outcome::ignored &&
                              holder.note == providers::test_mode_note;
    const bool apart = (event.live && held_by_test) || (of_test && held && !held_by_test);
    return apart ? std::optional(id_beside_other_mode(event)) : std::nullopt;
}

Slot slot_of(const BatchContext& context, const ProviderName& provider,
             const providers::Event& event) {
    const auto holder = [&](const EventId& id) -> const Intent* {
        const auto found = context.intents.find({provider, id});
        const bool held =
            found != context.intents.end() && (found->second.stored || found->second.decided);
        return held ? &found->second : nullptr;
    };
    const auto may_have = [&](const EventId& id) {
        const Intent* intent = holder(id);
        return intent == nullptr || same_content(*intent, event);
    };
    EventId id = event.event_id;
    const Intent* first = holder(id);
    if (first == nullptr) return {std::move(id), false};
    if (auto beside = id_beside_other_mode(*first, event)) id = std::move(*beside);
    if (may_have(id)) return {std::move(id), false};
    EventId conflict = conflict_id(event);
    return {may_have(conflict) ? std::move(conflict) : long_conflict_id(event), true};
}

bool same_content(const Intent& intent, const providers::Event& event) {
    return intent.fingerprint == event.fingerprint || intent.body_sha256 == event.body_sha256;
}

std::vector<DeliveryResult> accept(db::Transaction& transaction, const Batch& batch, Time now,
                                   LockScope scope, const KnownSegments& known,
                                   ShapeRecord* shapes) {
    BatchContext context;
    const LockSet lock_set = take_locks(transaction, lock_set_of(batch), scope, context.waits);
    read_intents(transaction, lock_set, batch, known, context);
    read_books(transaction, lock_set, scope, context.book);
    read_returns(transaction, lock_set, context);
    find_unknown_runs(transaction, batch, context);
    read_signaled_payments(transaction, batch, context);
    // Writes that depend on no decision come before the locks of the balances: from there on,
    // another batch may be waiting for the same hot account.
    write_deliveries(transaction, batch, context);
    ledger::lock_balances(transaction, balances_of(transaction, batch, lock_set, context),
                          context.book);

    BatchProcessor processor(context, now);
    std::vector<DeliveryResult> answers;
    for (const Submission* submission : batch) {
        DeliveryResult& answer = answers.emplace_back();
        for (const providers::Event& event : submission->events) {
            answer.push_back(processor.take(*submission, event));
        }
    }

    write_intents(transaction, context, now);
    keep_open_deliveries(transaction, batch, context);
    write_redeliveries(transaction, batch, context);
    PAWL_FAULT_POINT(after_claim_before_money);
    ShapeRecord own;
    write_effects(transaction, context, shapes == nullptr ? own : *shapes, now);
    PAWL_FAULT_POINT(before_commit);
    return answers;
}

std::vector<DeliveryResult> accept_and_commit(db::Session& session, const Batch& batch, Time now,
                                              const KnownSegments& known) {
    std::vector<DeliveryResult> answers;
    LockScope scope = LockScope::batch;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const LockScope this_time = std::exchange(scope, LockScope::batch_and_dependents);
        answers = accept(transaction, batch, now, this_time, known);
    });
    return answers;
}

std::vector<ledger::Applied> post_entries(db::Transaction& transaction,
                                          const std::vector<ledger::Entry>& entries,
                                          const std::set<EffectKey>& held,
                                          const CorrelationId& correlation_id, Time now) {
    BatchContext context;
    LockSet lock_set;
    for (const ledger::Entry& entry : entries) lock_set.add(entry);
    lock_set.effects.insert(held.begin(), held.end());
    // No event is claimed here; the intents that are read are those that the entries release.
    lock_set = take_locks(transaction, std::move(lock_set), LockScope::batch_and_dependents,
                          context.waits);
    read_intents(transaction, lock_set, {}, {}, context);
    read_books(transaction, lock_set, LockScope::batch_and_dependents, context.book);
    read_returns(transaction, lock_set, context);
    ledger::lock_balances(transaction, balances_of(transaction, {}, lock_set, context),
                          context.book);
    BatchProcessor processor(context, now);
    std::vector<ledger::Applied> applied;
    for (const ledger::Entry& entry : entries) {
        applied.push_back(processor.take(entry, correlation_id));
    }
    write_intents(transaction, context, now);
    ShapeRecord released;
    write_effects(transaction, context, released, now);
    return applied;
}

ledger::Applied post_money(db::Transaction& transaction, const ledger::Entry& entry,
                           const CorrelationId& correlation_id, Time now) {
    return post_entries(transaction, {entry}, {}, correlation_id, now).at(0);
}

}  // namespace pawl::intents
