#include "intents/accept/accept.hpp"

#include <algorithm>
#include <iterator>

#include "base/fault.hpp"
#include "intents/accept/desk.hpp"
#include "intents/accept/holders.hpp"
#include "intents/accept/lock_keys.hpp"
#include "intents/accept/notices.hpp"
#include "intents/accept/reach.hpp"
#include "intents/accept/settle.hpp"
#include "intents/accept/store.hpp"
#include "intents/deliveries/deliveries.hpp"
#include "intents/parking/waits.hpp"
#include "intents/sql.hpp"
#include "ledger/store.hpp"
#include "providers/config.hpp"

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

// What may have been returned, and returns of it: only where a debit comes again, or its return.
void read_returns(db::Transaction& transaction, const Reach& reach, Desk& desk) {
    std::set<EffectKey> asked = reach.returned;
    for (const EffectKey& key : reach.debited) {
        if (desk.book.posted(key) != nullptr) asked.insert(key);
    }
    ledger::read_returns(transaction, asked, desk.book);
    for (const auto& [wait, waiter] : desk.waits.effects) {
        const auto& event = waiter.event;
        if (!event || event->unmet != providers::Unmet::ignore || !event->occurred_at) continue;
        desk.book.await_return(wait.effect, *event->occurred_at);
    }
}

// The balances of accounts that no event names: the accounts that hold what is needed. It may be
// posted by this very batch.
std::set<ledger::BalanceKey> balances_of(db::Transaction& transaction, const Batch& batch,
                                         const Reach& reach, Desk& desk) {
    std::set<ledger::BalanceKey> balances = reach.balances;
    if (reach.needed_accounts.empty()) return balances;
    std::set<EffectKey> needs;
    for (const NeededAccount& one : reach.needed_accounts) needs.insert(one.need);
    ledger::read_corrections(transaction, needs, desk.book);
    const Holders holders(batch, desk);
    for (const NeededAccount& one : reach.needed_accounts) {
        for (const AccountId& account : holders.of(one.need)) {
            balances.insert({account, one.currency});
        }
    }
    return balances;
}

// The roots of payments that runs of ours make, where an event that moves money signals them.
void read_signaled_payments(db::Transaction& transaction, const Batch& batch, Desk& desk) {
    std::vector<std::string> keys;
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            const bool credit = event.action == providers::Action::credit && event.needs.empty();
            if (credit && !event.signal_key.empty()) keys.push_back(event.signal_key);
        }
    }
    if (keys.empty()) return;
    for (const db::Row row : transaction.run(sql::signaled_payments, db::Params().texts(keys))) {
        desk.signaled_payments[row.str(0)] = EffectKey(row.str(1));
    }
}

void write_disputes(db::Transaction& transaction, Desk& desk, Time now) {
    for (const DisputeMark& mark : desk.disputes) {
        db::Params params;
        params.text(mark.books).text(mark.dispute_id).text(mark.payment_key.str());
        params.text(providers::to_text(mark.state)).time(mark.at).time(now);
        const db::Row row = transaction.run(sql::mark_dispute, params).only();
        if (row.flag(0)) stage_dispute(mark, desk.jobs);
    }
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
    read_returns(transaction, reach, desk);
    find_unknown_runs(transaction, batch, desk);
    read_signaled_payments(transaction, batch, desk);
    // What does not depend on a decision is written before the balances are locked: on a hot
    // account another batch may be waiting for them from there on.
    write_deliveries(transaction, batch, desk);
    ledger::lock_balances(transaction, balances_of(transaction, batch, reach, desk), desk.book);

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
    write_disputes(transaction, desk, now);
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
    read_returns(transaction, reach, desk);
    ledger::lock_balances(transaction, balances_of(transaction, {}, reach, desk), desk.book);
    ledger::Applied applied = Settling(desk, now).take(entry, correlation_id);
    write_intents(transaction, desk, now);
    ledger::write(transaction, desk.book, now);
    write_waits(transaction, desk, now);
    write_handed(transaction, desk, now);
    write_disputes(transaction, desk, now);
    jobs::stage(transaction, desk.jobs, now);
    return applied;
}

}  // namespace pawl::intents
