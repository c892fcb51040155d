#include "intents/commit/unstorable.hpp"

#include "intents/accept/accept.hpp"

namespace pawl::intents {
namespace {

bool is_unstorable(db::Session& session, const Submission& part, Time now) {
    try {
        db::Transaction transaction(session);
        accept(transaction, {&part}, now, LockScope::batch_and_dependents);
        return false;  // rolled back: this was only a question
    } catch (const db::Failure& failure) {
        if (failure.kind != db::FailureKind::data) throw;
        return true;
    }
}

void find_in(db::Session& session, const Submission& whole, std::size_t first, std::size_t end,
             Time now, std::set<std::size_t>& found) {
    Submission part = whole;
    part.events.assign(whole.events.begin() + static_cast<std::ptrdiff_t>(first),
                       whole.events.begin() + static_cast<std::ptrdiff_t>(end));
    if (!is_unstorable(session, part, now)) return;
    if (end - first == 1) {
        found.insert(first);
        return;
    }
    const std::size_t middle = first + (end - first) / 2;
    find_in(session, whole, first, middle, now, found);
    find_in(session, whole, middle, end, now, found);
}

}  // namespace

std::set<std::size_t> find_unstorable(db::Session& session, const Submission& submission,
                                      Time now) {
    std::set<std::size_t> found;
    if (submission.events.size() < 2) return found;
    find_in(session, submission, 0, submission.events.size(), now, found);
    return found;
}

}  // namespace pawl::intents
