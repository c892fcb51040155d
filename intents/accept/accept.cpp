#include "intents/accept/accept.hpp"

#include <algorithm>
#include <iterator>

#include "base/fault.hpp"
#include "intents/accept/desk.hpp"
#include "intents/accept/lock_keys.hpp"
#include "intents/accept/reach.hpp"
#include "intents/accept/settle.hpp"
#include "intents/accept/store.hpp"
#include "intents/deliveries/deliveries.hpp"
#include "intents/parking/waits.hpp"
#include "ledger/store.hpp"

namespace pawl::intents {
namespace {

// All but the balances: those are locked by being read, and as late as can be.
void read_books(db::Transaction& transaction, const Reach& reach, Look look, ledger::Book& book) {
    std::set<ledger::StreamKey> streams;
    for (const auto& [key, lowest] : reach.streams) streams.insert(key);
    const bool again = look == Look::before_locking;
    ledger::load_effects(transaction, reach.effects,
                         again ? ledger::Hashes::compared : ledger::Hashes::trusted, book);
    ledger::read_streams(transaction, streams, book);
    ledger::read_totals(transaction, reach.totals, book);
}

// Everything that the batch and those it releases may touch, locked. Who began to wait between
// the look and the lock is noticed here: then the look was not enough, and all of it is tried
// again.
Reach lock_reach(db::Transaction& transaction, Reach reach, Look look, Waits& waits) {
    if (look == Look::before_locking) reach.add(read_waits(transaction, reach));
    lock(transaction, lock_keys(reach));
    PAWL_FAULT_POINT(after_lock_before_read);
    waits = read_waits(transaction, reach);
    if (waits.effects.empty() && waits.turns.empty()) return reach;
    Reach whole = reach;
    whole.add(waits);
    if (!reach.covers(whole)) {
        throw db::Failure(db::FailureKind::retry, "", "somebody waits for what this batch posts");
    }
    return reach;
}

// Signals to runs that are not there are a mistake of the rules: a person must see them.
void find_unknown_runs(db::Transaction& transaction, const Batch& batch, Desk& desk) {
    std::set<std::string> keys;
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            if (event.action == providers::Action::signal) keys.insert(event.signal_key);
        }
    }
    if (keys.empty()) return;
    const auto known = workflows::known_signal_keys(transaction, keys);
    std::set_difference(keys.begin(), keys.end(), known.begin(), known.end(),
                        std::inserter(desk.unknown_signal_keys, desk.unknown_signal_keys.begin()));
}

void write_handed(db::Transaction& transaction, const Desk& desk, Time now) {
    for (const workflows::NewRun& run : desk.starts) workflows::start_run(transaction, run, now);
    workflows::signal_runs(transaction, desk.signals, now);
    std::vector<workflows::RootSignal> roots;
    for (const ledger::Transfer* one : desk.book.new_transfers()) {
        if (one->payment_key.empty() || one->event_id.str().empty()) continue;
        roots.push_back({one->payment_key, one->provider, one->event_id});
    }
    workflows::signal_roots(transaction, roots, now);
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
    return EventId(event.event_id.str() + (event.live ? "~6c69766500000000" : "~7465737400000000"));
}

std::optional<EventId> id_beside_other_mode(const Intent& holder, const providers::Event& event) {
    const bool of_test = event.note == providers::test_mode_note;
    const bool held = holder.stored || holder.decided;
    const bool held_by_test = held && holder.outcome == ledger::Outcome::ignored &&
                              holder.note == providers::test_mode_note;
    const bool apart = (event.live && held_by_test) || (of_test && held && !held_by_test);
    return apart ? std::optional(id_beside_other_mode(event)) : std::nullopt;
}

Slot slot_of(const Desk& desk, const ProviderName& provider, const providers::Event& event) {
    const auto holder = [&](const EventId& id) -> const Intent* {
        const auto found = desk.intents.find({provider, id});
        const bool held =
            found != desk.intents.end() && (found->second.stored || found->second.decided);
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

std::vector<Answer> accept(db::Transaction& transaction, const Batch& batch, Time now, Look look,
                           const KnownSegments& known) {
    Desk desk;
    const Reach reach = lock_reach(transaction, reach_of(batch), look, desk.waits);
    read_intents(transaction, reach, batch, known, desk);
    read_books(transaction, reach, look, desk.book);
    find_unknown_runs(transaction, batch, desk);
    // What does not depend on a decision is written before the balances are locked: on a hot
    // account another batch may be waiting for them from there on.
    write_deliveries(transaction, batch, desk);
    ledger::lock_balances(transaction, reach.balances, desk.book);

    Settling settling(desk, now);
    std::vector<Answer> answers;
    for (const Submission* submission : batch) {
        Answer& answer = answers.emplace_back();
        for (const providers::Event& event : submission->events) {
            answer.push_back(settling.take(*submission, event));
        }
    }

    write_intents(transaction, desk, now);
    keep_open_deliveries(transaction, batch, desk);
    write_redeliveries(transaction, batch, desk);
    PAWL_FAULT_POINT(after_claim_before_money);
    ledger::write(transaction, desk.book, now);
    write_waits(transaction, desk, now);
    write_handed(transaction, desk, now);
    jobs::stage(transaction, desk.jobs, now);
    PAWL_FAULT_POINT(before_commit);
    return answers;
}

std::vector<Answer> accept_and_commit(db::Session& session, const Batch& batch, Time now,
                                      const KnownSegments& known) {
    std::vector<Answer> answers;
    Look look = Look::after_locking;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const Look this_time = std::exchange(look, Look::before_locking);
        answers = accept(transaction, batch, now, this_time, known);
    });
    return answers;
}

ledger::Applied post_money(db::Transaction& transaction, const ledger::Entry& entry,
                           const CorrelationId& correlation_id, Time now) {
    Desk desk;
    Reach reach;
    reach.add(entry);
    // No event is claimed here; the intents that are read are those that the entry releases.
    reach = lock_reach(transaction, std::move(reach), Look::before_locking, desk.waits);
    read_intents(transaction, reach, {}, {}, desk);
    read_books(transaction, reach, Look::before_locking, desk.book);
    ledger::lock_balances(transaction, reach.balances, desk.book);
    ledger::Applied applied = Settling(desk, now).take(entry, correlation_id);
    write_intents(transaction, desk, now);
    ledger::write(transaction, desk.book, now);
    write_waits(transaction, desk, now);
    write_handed(transaction, desk, now);
    jobs::stage(transaction, desk.jobs, now);
    return applied;
}

}  // namespace pawl::intents
