#include "controllers/v1/pending_responses.hpp"

#include <algorithm>
#include <iterator>
#include <thread>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "controllers/v1/cancel_payment.hpp"
#include "payments/answers.hpp"
#include "payments/view.hpp"

namespace pawl::http {
namespace {

// Limit of waiting requests: further ones are answered at once with the current state.
constexpr std::size_t waiting_max = 10000;
// Minimum pause between two rounds, however often something is committed.
constexpr std::chrono::milliseconds breath(10);
// Extra time if the database is unavailable at the end of a wait: it may return within seconds.
constexpr Duration patience = std::chrono::seconds(2);

// Removes the payer's action, which may hold secrets: a stored response must not contain it.
payments::Payment without_action(payments::Payment payment) {
    payment.next_action.clear();
    return payment;
}

payments::StoredAnswer end_of_wait(db::Transaction& transaction, const AnswerLater& later,
                                   Time now) {
    payments::StoredAnswer answer;
    if (const auto payment = payments::find_payment(transaction, later.subject)) {
        answer = payments::answer_of(without_action(*payment));
    } else if (const auto capture = payments::find_capture(transaction, later.subject)) {
        const auto of = payments::find_payment(transaction, capture->payment_id);
        answer = payments::answer_of(*capture, of.value());
    } else {
        answer = payments::answer_of(payments::find_refund(transaction, later.subject).value());
    }
    return payments::answer_key(transaction, later.scope, answer, now);
}

// The first answer contains the payer's next action; the stored one, which a retry gets, does not.
Reply first_reply(db::Transaction& transaction, const AnswerLater& later,
                  const payments::StoredAnswer& stored) {
    const auto payment =
        stored.status == 202 ? payments::find_payment(transaction, later.subject) : std::nullopt;
    if (!payment || payment->state != payments::State::requires_action) return stored_reply(stored);
    payments::StoredAnswer answer = stored;
    answer.body = payments::payment_json(*payment);
    return stored_reply(answer);
}

// Leaves in `from` those that are still waiting.
template <class One>
std::size_t drop_answered(std::vector<One>& from) {
    const auto gone = std::remove_if(from.begin(), from.end(),
                                     [](const One& one) { return one.respond.answered(); });
    const auto count = static_cast<std::size_t>(from.end() - gone);
    from.erase(gone, from.end());
    return count;
}

template <class One>
void append(std::vector<One>& to, std::vector<One> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

PendingResponses::PendingResponses(db::SessionOptions session, const Clock& clock,
                                   std::chrono::milliseconds interval)
    : session_(std::move(session)),
      clock_(clock),
      interval_(interval),
      loop_("api-waits", [this] { return round(); }) {}

template <class Later>
void PendingResponses::put(std::vector<One<Later>>& into, Later later, Responder respond) {
    {
        const std::lock_guard lock(mutex_);
        if (answers_.size() + cancels_.size() >= waiting_max) later.until = Time();
        into.push_back({std::move(later), std::move(respond)});
    }
    loop_.poke();
}

void PendingResponses::add(AnswerLater later, Responder respond) {
    put(answers_, std::move(later), std::move(respond));
}
void PendingResponses::add(CancelLater later, Responder respond) {
    put(cancels_, std::move(later), std::move(respond));
}

std::size_t PendingResponses::size() const {
    const std::lock_guard lock(mutex_);
    return answers_.size() + cancels_.size() + under_way_;
}

void PendingResponses::look() {
    if (size() > 0) loop_.poke();
}

bool PendingResponses::has_run_out(Time until, Time now) const {
    const std::lock_guard lock(mutex_);
    return hurried_ || until <= now;
}

void PendingResponses::settle_answers(Answers& waiting, Time now) {
    if (waiting.empty()) return;
    std::vector<payments::KeyScope> scopes;
    for (const auto& one : waiting) scopes.push_back(one.later.scope);
    std::map<std::size_t, payments::StoredAnswer> stored;
    std::map<std::size_t, Reply> replies;
    db::in_transaction(session_, [&](db::Transaction& transaction) {
        stored = payments::find_answers(transaction, scopes);
        for (const auto& [place, answer] : stored) {
            replies[place] = first_reply(transaction, waiting[place].later, answer);
        }
    });
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const auto& [later, respond] = waiting[i];
        const auto found = stored.find(i);
        if (found != stored.end()) {
            PAWL_FAULT_POINT(answer_stored_before_reply);
            respond.unless_answered(replies.at(i));
        } else if (has_run_out(later.until, now)) {
            Reply reply;
            db::in_transaction(session_, [&, &subject = later](db::Transaction& transaction) {
                reply = first_reply(transaction, subject, end_of_wait(transaction, subject, now));
            });
            respond.unless_answered(std::move(reply));
        }
    }
}

void PendingResponses::settle_cancels(Cancels& waiting, Time now) {
    for (const auto& [later, respond] : waiting) {
        std::optional<payments::Payment> payment;
        db::in_transaction(session_, [&, &id = later.payment_id](db::Transaction& transaction) {
            payment = payments::find_payment(transaction, id);
        });
        const bool decided =
            payments::is_closed(*payment) || payment->state == payments::State::needs_review;
        if (decided || has_run_out(later.until, now)) {
            respond.unless_answered(cancel_reply(*payment));
        }
    }
}

// Answers overdue requests without the database. Their work is committed; a retry gets the result.
std::size_t PendingResponses::give_up_on_late(Answers& answers, Cancels& cancels, Time now) {
    const auto give_up = [&](const auto& all) {
        for (const auto& [later, respond] : all) {
            if (!has_run_out(later.until + patience, now)) continue;
            respond.unless_answered(
                unavailable("database_unreachable",
                            "The request was accepted; its status is temporarily unavailable. "
                            "Retry with the same key."));
        }
    };
    give_up(answers);
    give_up(cancels);
    return drop_answered(answers) + drop_answered(cancels);
}

std::size_t PendingResponses::run_once() {
    Answers answers;
    Cancels cancels;
    {
        const std::lock_guard lock(mutex_);
        answers.swap(answers_);
        cancels.swap(cancels_);
        under_way_ = answers.size() + cancels.size();
    }
    const Time now = clock_.now();
    try {
        settle_answers(answers, now);
        settle_cancels(cancels, now);
    } catch (const std::exception& failure) {
        log::warn("waiting requests could not be answered", {{"error", failure.what()}});
        give_up_on_late(answers, cancels, now);
    }
    const std::size_t answered = drop_answered(answers) + drop_answered(cancels);
    const std::lock_guard lock(mutex_);
    under_way_ = 0;
    append(answers_, std::move(answers));
    append(cancels_, std::move(cancels));
    return answered;
}

Loop::Pause PendingResponses::round() {
    if (size() == 0) return Loop::until_poked;
    run_once();
    if (size() == 0) return Loop::until_poked;
    std::this_thread::sleep_for(breath);
    return interval_;
}

void PendingResponses::hurry() {
    {
        const std::lock_guard lock(mutex_);
        hurried_ = true;
    }
    loop_.poke();
}

void PendingResponses::stop() {
    hurry();
    loop_.join();
    run_once();  // those that came after the last round
}

}  // namespace pawl::http
