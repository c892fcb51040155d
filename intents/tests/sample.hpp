// Events as the provider stage hands them over, and a batch in memory that decides them: for tests
// that need neither SQL nor a database. One thread.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/crypto.hpp"
#include "intents/accept/batch_processor.hpp"

namespace pawl::intents::sample {

inline const Currency usd = Currency::parse("USD").value();
inline const AccountId payer{"user:1"};
inline const std::string scope = "account:user:1";

inline providers::Event credit(const std::string& id, const std::string& effect,
                               std::int64_t minor = 100) {
    providers::Event event;
    event.event_id = EventId(id);
    event.type = "payment.captured";
    event.fingerprint = crypto::sha256_hex(id + effect + std::to_string(minor));
    event.body_sha256 = crypto::sha256_hex("bytes of " + event.fingerprint);
    event.action = providers::Action::credit;
    event.object = "object_" + effect;
    event.account = payer.str();
    event.movements.push_back(
        {providers::Action::credit, payer, {minor, usd}, EffectKey("demo/" + effect)});
    return event;
}

inline providers::Event needing(providers::Event event, const std::string& effect) {
    event.needs.emplace_back("demo/" + effect);
    return event;
}

inline providers::Event numbered(
    providers::Event event, std::int64_t sequence,
    providers::OrderingPolicy order = providers::OrderingPolicy::hold) {
    event.sequence = Sequence{sequence};
    event.sequence_rule.scope = scope;
    event.order = order;
    return event;
}

inline Submission delivery_of(std::vector<providers::Event> events) {
    Submission submission;
    submission.provider = ProviderName("demo");
    submission.books = "demo";
    submission.events = std::move(events);
    return submission;
}

// One transaction: what each event does stays, as rows of it would until the commit.
class Transaction {
  public:
    EventResult take(providers::Event event) { return take(delivery_of({std::move(event)})); }
    EventResult take(Submission submission) {
        const Submission& kept = submissions_.emplace_back(std::move(submission));
        return BatchProcessor(context, now).take(kept, kept.events.front());
    }
    const Intent& intent(const std::string& id) {
        return context.intents.at({ProviderName("demo"), EventId(id)});
    }
    std::int64_t balance() { return context.book.balance({payer, usd}).amount; }
    // The effects that it posted, in order.
    std::string posted() const {
        std::string keys;
        for (const ledger::Transfer* transfer : context.book.new_transfers()) {
            keys += transfer->effect_key.str().substr(std::string("demo/").size()) + " ";
        }
        return keys;
    }

    BatchContext context;
    Time now{std::chrono::hours(1)};

  private:
    std::deque<Submission> submissions_;  // the intents point to their events
};

}  // namespace pawl::intents::sample
