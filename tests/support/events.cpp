#include "tests/support/events.hpp"

#include <algorithm>
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
    // A ":" in an effect key separates the parts of its id.
    std::string name = run;
    std::replace(name.begin(), name.end(), ':', '.');
    const auto named = [&name](const std::string& effect) {
        const std::size_t kind = effect.find('/');
        if (kind == std::string::npos) return name + effect;
        return effect.substr(0, kind + 1) + name + effect.substr(kind + 1);
    };
    said.effect = named(said.effect);
    said.account = run + said.account;
    for (std::string& need : said.needs) need = named(need);
    return said;
}

providers::Event event(const Said& said) {
    std::string content =
        said.id + "|" + said.effect + "|" + said.account + "|" + std::to_string(said.amount) +
        said.currency + "|" + std::to_string(said.sequence.value_or(-1)) + "|" +
        std::to_string(static_cast<int>(said.action)) + "|" + std::to_string(said.at.value_or(-1));
    providers::Event event = bare(said.id, content);
    event.action = said.action;
    if (said.sequence) event.sequence = Sequence{*said.sequence};
    providers::Movement movement;
    if (!said.account_of_need) movement.account = AccountId(said.account);
    movement.amount = {said.amount, Currency::parse(said.currency).value()};
    movement.effect_key = EffectKey("demo/" + said.effect);
    movement.kind = said.action;
    movement.is_total = said.total;
    event.movements = {movement};
    for (const std::string& need : said.needs) event.needs.emplace_back("demo/" + need);
    if (said.at) event.occurred_at = Time(std::chrono::seconds(*said.at));
    if (said.ignore_unmet) event.unmet = providers::Unmet::ignore;
    if (!said.account_of_need) event.account = said.account;
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
    const std::string prefix = ", '" + account_prefix + "')";
    const std::string balances =
        "SELECT account || ' ' || currency AS balance, amount FROM balances "
        "WHERE starts_with(account" +
        prefix;
    // The parts in which a total was posted depend on the order of its reports, and their sum does
    // not.
    const std::string effects =
        "SELECT concat_ws(' ', min(CASE WHEN strpos(effect_key, '@') = 0 THEN effect_key "
        "ELSE split_part(effect_key, '@', 1) || '@' END), debit_account, credit_account, currency, "
        "sum(amount)) AS effect FROM transfers WHERE starts_with(debit_account" +
        prefix + " OR starts_with(credit_account" + prefix +
        " GROUP BY CASE WHEN strpos(effect_key, '@') = 0 THEN effect_key "
        "ELSE split_part(effect_key, '@', 1) END, debit_account, credit_account, currency";
    // PostgreSQL distinguishes prepared statements by the first 63 bytes of their names.
    const std::string names[] = {"test_balances " + account_prefix,
                                 "test_effects " + account_prefix};
    Books books;
    for (const auto& row : db::Statement::run(session, db::Query{names[0], balances}).named()) {
        books.balances[row.at("balance")] = std::stoll(row.at("amount"));
    }
    for (const auto& row : db::Statement::run(session, db::Query{names[1], effects}).named()) {
        books.effects.insert(row.at("effect"));
    }
    return books;
}

}  // namespace pawl::testing
