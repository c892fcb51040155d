#include "tests/support/events.hpp"

#include <mutex>
#include <unordered_map>

#include "base/crypto.hpp"
#include "intents/accept/accept.hpp"

namespace pawl::testing {
namespace {

const SystemClock system_clock;

// The bytes behind each hash, so that `deliver` can make a body that has them.
class KnownBytes {
  public:
    std::string add(const std::string& bytes) {
        const std::lock_guard lock(mutex_);
        const std::string hash = crypto::sha256_hex(bytes);
        bytes_[hash] = bytes;
        return hash;
    }
    std::string find(const std::string& hash) const {
        const std::lock_guard lock(mutex_);
        const auto found = bytes_.find(hash);
        return found == bytes_.end() ? "" : found->second;
    }

  private:
    mutable std::mutex mutex_;
    std::unordered_map<std::string, std::string> bytes_;
};

KnownBytes& known_bytes() {
    static KnownBytes known;
    return known;
}

providers::Event bare(const std::string& id, const std::string& content) {
    providers::Event event;
    event.event_id = EventId(id);
    event.type = "test";
    event.fingerprint = crypto::sha256_hex("fields:" + content);
    event.body_sha256 = known_bytes().add("bytes:" + content);
    return event;
}

}  // namespace

Said in_run(Said said, const std::string& run) {
    said.id = run + said.id;
    said.effect = run + said.effect;
    said.account = run + said.account;
    for (std::string& need : said.needs) need = run + need;
    return said;
}

providers::Event event(const Said& said) {
    std::string content = said.id + "|" + said.effect + "|" + said.account + "|" +
                          std::to_string(said.amount) + said.currency + "|" +
                          std::to_string(said.sequence.value_or(-1)) + "|" +
                          std::to_string(static_cast<int>(said.action));
    providers::Event event = bare(said.id, content);
    event.action = said.action;
    if (said.sequence) event.sequence = Sequence{*said.sequence};
    providers::Movement movement;
    movement.account = AccountId(said.account);
    movement.amount = {said.amount, Currency::parse(said.currency).value()};
    movement.effect_key = EffectKey("demo/" + said.effect);
    for (const std::string& need : said.needs) movement.needs.emplace_back("demo/" + need);
    movement.is_total = said.total;
    event.movement = movement;
    event.account = said.account;
    event.object = said.object;
    event.order = said.order;
    event.sequence_rule.scope = said.account;
    event.sequence_rule.dense = said.dense;
    if (said.from_first) event.sequence_rule.start.reset();
    return event;
}

providers::Event ignored(const std::string& id) {
    return bare(id, id);
}

providers::Event unreadable(const std::string& reason, const std::string& bytes) {
    providers::Event event = bare("", bytes);
    event.event_id = EventId("sha256:" + event.body_sha256);
    event.quarantine = reason;
    return event;
}

providers::Event with_bytes(providers::Event event, const std::string& bytes) {
    event.body_sha256 = known_bytes().add(bytes);
    return event;
}

intents::Submission deliver(std::vector<providers::Event> events, const std::string& provider) {
    intents::Submission submission;
    submission.provider = ProviderName(provider);
    submission.books = provider;
    submission.delivery.headers = {{"webhook-id", "x"}};
    std::string& body = submission.delivery.body;
    body = "[";
    for (providers::Event& event : events) {
        const std::string bytes = known_bytes().find(event.body_sha256);
        event.body_offset = body.size();
        event.body_size = bytes.size();
        body += bytes + ",";
    }
    submission.delivery.url = "/webhooks/" + provider;
    submission.delivery.received_at = system_clock.now();
    submission.correlation_id = CorrelationId("c");
    submission.events = std::move(events);
    return submission;
}

std::vector<intents::DeliveryResult> commit(db::Session& session,
                                            const std::vector<intents::Submission>& submissions,
                                            const intents::KnownSegments& known) {
    intents::Batch batch;
    for (const intents::Submission& one : submissions) batch.push_back(&one);
    return intents::accept_and_commit(session, batch, system_clock.now(), known);
}

Books books_of(db::Session& session, const std::string& account_prefix) {
    constexpr db::Query balances{"test_balances",
                                 "SELECT account || ' ' || currency, amount FROM balances "
                                 "WHERE starts_with(account, $1)"};
    constexpr db::Query effects{
        "test_effects",
        "SELECT concat_ws(' ', effect_key, debit_account, credit_account, currency, amount) "
        "FROM transfers WHERE starts_with(debit_account, $1) OR starts_with(credit_account, $1)"};
    Books books;
    const auto prefix = db::Params().text(account_prefix);
    for (const db::Row row : db::Statement::run(session, balances, prefix)) {
        books.balances[row.str(0)] = row.number(1);
    }
    for (const db::Row row : db::Statement::run(session, effects, prefix)) {
        books.effects.insert(row.str(0));
    }
    return books;
}

}  // namespace pawl::testing
