#include "intents/accept.hpp"

#include "base/fault.hpp"
#include "intents/desk.hpp"
#include "intents/lock_keys.hpp"
#include "intents/reach.hpp"
#include "intents/settle.hpp"
#include "intents/store.hpp"
#include "intents/waits.hpp"
#include "ledger/store.hpp"

namespace pawl::intents {
namespace {

void read_books(db::Transaction& transaction, const Reach& reach, ledger::Book& book) {
    std::set<ledger::StreamKey> streams;
    for (const auto& [key, lowest] : reach.streams) streams.insert(key);
    ledger::load_effects(transaction, reach.effects, book);
    ledger::read_streams(transaction, streams, book);
    ledger::read_totals(transaction, reach.totals, book);
    ledger::lock_balances(transaction, reach.balances, book);
}

// Everything that the batch and those it releases may touch, locked. Who began to wait between
// the look and the lock is noticed here: then the look was not enough, and all of it is tried
// again.
Reach lock_reach(db::Transaction& transaction, const Batch& batch, Look look, Waits& waits) {
    Reach reach = reach_of(batch);
    if (look == Look::before_locking) reach.add(read_waits(transaction, reach));
    lock(transaction, lock_keys(reach));
    PAWL_FAULT_POINT(after_lock_before_read);
    waits = read_waits(transaction, reach);
    Reach whole = reach;
    whole.add(waits);
    if (!reach.covers(whole)) {
        throw db::Failure(db::FailureKind::retry, "", "somebody waits for what this batch posts");
    }
    return reach;
}

}  // namespace

EventId conflict_id(const providers::Event& event) {
    // Sixteen hex digits tell contents of one id apart; the whole hash is in the row.
    return EventId(event.event_id.str() + "~" + event.fingerprint.substr(0, 16));
}

bool same_content(const Intent& intent, const providers::Event& event) {
    return intent.fingerprint == event.fingerprint || intent.body_sha256 == event.body_sha256;
}

std::vector<Answer> accept(db::Transaction& transaction, const Batch& batch, Time now, Look look) {
    Desk desk;
    const Reach reach = lock_reach(transaction, batch, look, desk.waits);
    read_intents(transaction, reach, batch, desk);
    read_books(transaction, reach, desk.book);

    Settling settling(desk, now);
    std::vector<Answer> answers;
    for (const Submission* submission : batch) {
        Answer& answer = answers.emplace_back();
        for (const providers::Event& event : submission->events) {
            answer.push_back(settling.take(*submission, event));
        }
    }

    write_deliveries(transaction, batch);
    write_intents(transaction, desk, now);
    PAWL_FAULT_POINT(after_claim_before_money);
    ledger::write(transaction, desk.book, now);
    write_waits(transaction, desk, now);
    jobs::stage(transaction, desk.jobs, now);
    PAWL_FAULT_POINT(before_commit);
    return answers;
}

std::vector<Answer> accept_and_commit(db::Session& session, const Batch& batch, Time now) {
    std::vector<Answer> answers;
    Look look = Look::after_locking;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const Look this_time = std::exchange(look, Look::before_locking);
        answers = accept(transaction, batch, now, this_time);
    });
    return answers;
}

}  // namespace pawl::intents
