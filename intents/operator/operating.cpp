#include "intents/operator/operating.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "access/audit.hpp"
#include "access/pauses.hpp"
#include "base/json.hpp"
#include "base/keys.hpp"
#include "intents/accept/accept.hpp"
#include "intents/accept/batch_context.hpp"
#include "intents/accept/plan.hpp"
#include "intents/deliveries/delivery_block.hpp"
#include "intents/sql.hpp"
#include "ledger/store.hpp"

namespace pawl::intents {
namespace {

struct Stored {
    std::string status, outcome, note;
    std::int64_t fencing_token = 0;
    std::optional<std::string> plan;
    providers::Event known;  // id, type, fingerprint and body hash, as the row has them
    CorrelationId correlation_id;
    Time received_at;
    std::int64_t segment = 0;
    std::vector<providers::Delivery> deliveries;  // that may hold it, the likeliest first
};

std::optional<Stored> read_stored(db::Transaction& transaction, const std::string& provider,
                                  const std::string& event_id) {
    const auto rows = transaction.run(sql::ReadStored{.provider = provider, .event_id = event_id});
    if (rows.empty()) return std::nullopt;
    const auto row = rows[0];
    Stored stored;
    stored.status = row.status();
    stored.outcome = row.outcome();
    stored.fencing_token = row.lease();
    stored.plan = row.plan();
    stored.known.event_id = EventId(event_id);
    stored.known.fingerprint = row.fingerprint();
    stored.known.body_sha256 = row.body_sha256();
    stored.known.type = row.event_type();
    stored.correlation_id = CorrelationId(std::string(row.correlation_id()));
    stored.received_at = row.received_at();
    stored.segment = row.segment();
    stored.note = row.note();
    stored.known.object = row.object();
    stored.known.account = row.account();
    for (const auto one : rows) {
        if (!one.delivered_at()) continue;
        stored.deliveries.push_back({.method = std::string(one.method().value()),
                                     .url = std::string(one.url().value()),
                                     .headers = headers_of(one.headers().value()),
                                     .body = one.body().value(),
                                     .received_at = *one.delivered_at()});
    }
    return stored;
}

struct Read {
    providers::Event event;
    std::string verdict;  // whether the bytes still prove themselves, for the audit row
};

// Its very bytes, or others that said the same. The id alone proves nothing: other content may have
// come under it.
bool is_same(const providers::Event& event, const providers::Event& known) {
    return event.body_sha256 == known.body_sha256 ||
           (event.event_id == known.event_id && event.fingerprint == known.fingerprint);
}

Result<Read> read_bytes(const Stored& stored, const providers::Provider& provider) {
    if (stored.deliveries.empty())
        return refused(
            "event: its bytes are not kept any more; assign what is missing, or dismiss it");
    for (const providers::Delivery& delivery : stored.deliveries) {
        auto received = provider.read_again(delivery);
        for (providers::Event& event : received.events) {
            if (!is_same(event, stored.known)) continue;
            event.event_id = stored.known.event_id;  // it keeps the slot that it has
            return Read{std::move(event), received.diagnosis};
        }
    }
    return refused(
        "event: not in its stored bytes as the provider file reads them today; correct the file, "
        "or dismiss it");
}

// Returns the plan stored when the event was parked; nullopt if there is none, or if it was made
// under the books of the other mode: its keys would be of that mode, too.
Result<std::optional<Read>> planned(const Stored& stored, const providers::Provider& provider) {
    if (!stored.plan) return std::optional<Read>();
    auto plan = plan_from_json(*stored.plan);
    if (!plan) return plan.error();
    if (plan->books != provider.config().books) return std::optional<Read>();
    plan->event.event_id = stored.known.event_id;
    plan->event.type = stored.known.type;
    plan->event.fingerprint = stored.known.fingerprint;
    plan->event.body_sha256 = stored.known.body_sha256;
    return std::optional(Read{std::move(plan->event), "not read again"});
}

Result<Read> read_event(const Stored& stored, const providers::Provider& provider, Act act) {
    if (act == Act::retry) return read_bytes(stored, provider);
    auto plan = planned(stored, provider);
    if (!plan) return plan.error();
    auto read = *plan ? Result<Read>(std::move(**plan)) : read_bytes(stored, provider);
    // An event that is not readable any more can still be closed or assigned.
    const bool needs_no_bytes = act == Act::dismiss || act == Act::assign;
    if (!read && needs_no_bytes) return Read{stored.known, "not readable"};
    return read;
}

bool is_among(const std::string& note, std::initializer_list<std::string_view> reasons) {
    return std::find(reasons.begin(), reasons.end(), note) != reasons.end();
}

// Returns the checks that `post` skips: those that stopped the event. Returns nullopt if an
// operator cannot skip them.
std::optional<ledger::OperatorOverride> set_aside(const Stored& stored) {
    ledger::OperatorOverride leave;
    leave.skip_needs =
        stored.status == "parked" || is_among(stored.note, {"needs_timeout", "need_reversed"});
    leave.skip_sequence = stored.status == "parked";
    if (stored.status != "quarantined" || leave.skip_needs) return leave;
    // Whether a second content under one id is genuine is for an operator to say; under its own key
    // it is then judged like any event.
    if (stored.note == "id_conflict") return leave;
    if (is_among(stored.note, {"effect_conflict", ledger::total_fell, "effect_returned"})) {
        leave.check = stored.note;
        return leave;
    }
    return std::nullopt;
}

Resumed resumed_by(const Stored& stored, const Instruction& instruction) {
    Resumed resumed{stored.fencing_token, {}, true, "", stored.segment};
    const Act act = instruction.act;
    if (act == Act::post)
        resumed.overrides = set_aside(stored).value_or(ledger::OperatorOverride{});
    resumed.overrides.skip_sequence = resumed.overrides.skip_sequence || act == Act::release;
    resumed.dismiss = act == Act::dismiss;
    const bool tells_apart = act == Act::post || act == Act::dismiss;
    if (!tells_apart && is_conflict_id(instruction.event_id, stored.known.fingerprint)) {
        resumed.give_up = "id_conflict";
    }
    return resumed;
}

const char* name_of(Act act) {
    switch (act) {
        case Act::retry:
            return "intent.retry";
        case Act::release:
            return "intent.release";
        case Act::post:
            return "intent.post";
        case Act::assign:
            return "intent.assign";
        case Act::dismiss:
            break;
    }
    return "intent.dismiss";
}

// An operator action as its audit row names it.
struct NamedAct {
    std::string id, subject;
};

// Both versions of what was assigned: as it was read, and as the operator says.
void write_movement(json::Writer& out, const char* name, const providers::Event& event) {
    out.key(name).begin_object().member("account", event.account);
    if (!event.movements.empty()) {
        const providers::Movement& movement = event.movements.front();
        out.member("amount", movement.amount.minor);
        out.member("currency", movement.amount.currency.code());
        out.member("effect_key", movement.effect_key.str());
    }
    out.end_object();
}

struct Versions {
    providers::Event read, assigned;
};

void audit(db::Transaction& transaction, const Instruction& instruction, const NamedAct& act,
           const EventResult& answer, const std::string& verdict, const Stored& stored,
           const std::optional<Versions>& versions) {
    json::Writer details;
    details.begin_object().member("outcome", ledger::to_text(answer.outcome));
    details.member("note", answer.note).member("stopped_by", stored.note);
    details.member("signature_today", verdict);
    if (versions) {
        write_movement(details, "read", versions->read);
        write_movement(details, "assigned", versions->assigned);
    }
    details.member("act_id", act.id).end_object();
    access::record(transaction, {instruction.principal, name_of(instruction.act), act.subject,
                                 instruction.reason, details.take()});
}

// As it was answered before the answer to COMMIT was lost.
std::optional<EventResult> done_before(db::Transaction& transaction, const NamedAct& act,
                                       const std::string& event_id) {
    const auto details = access::find_act(transaction, act.subject, act.id);
    if (!details) return std::nullopt;
    EventResult answer;
    answer.event_id = EventId(event_id);
    answer.outcome = ledger::parse_outcome(access::detail(*details, "outcome")).value();
    answer.note = access::detail(*details, "note");
    return answer;
}

// As providers/rule.cpp has them.
constexpr std::size_t key_bytes_max = 1024;
constexpr std::size_t account_bytes_max = 255;

bool is_plain(const std::string& text, std::size_t bytes_max) {
    return !text.empty() && text.size() <= bytes_max &&
           std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_key_of(const std::string& key, const std::string& books) {
    const std::string prefix = escape_part(books) + "/";
    return key.starts_with(prefix) && key.size() > prefix.size() && is_plain(key, key_bytes_max);
}

// <books>/<kind>/...: the rules of this kind report running totals.
bool reports_totals(const providers::ProviderConfig& config, const EffectKey& key) {
    const auto is_kind = [&](const providers::ReadParts& parts) {
        return !parts.empty() && key.str().starts_with(escape_part(config.books) + "/" +
                                                       escape_part(parts.front().at) + "/");
    };
    const auto says = [&](const providers::RuleConfig& rule) {
        const bool total = rule.amount_is == providers::AmountIs::total;
        return (total && is_kind(rule.effect_key)) ||
               std::any_of(rule.moves.begin(), rule.moves.end(), [&](const auto& move) {
                   const bool its_own = move.amount_is.has_value();
                   const bool moves_total =
                       its_own ? *move.amount_is == providers::AmountIs::total : total;
                   return moves_total && is_kind(move.effect_key);
               });
    };
    return std::any_of(config.rules.begin(), config.rules.end(), says);
}

// A key that no rule read has the shape in which this provider's events will be keyed, or the same
// money would be posted once more with the next of them. A running total decides before its key.
Result<void> take_shape(providers::Movement& movement, const providers::ProviderConfig& config) {
    const EffectKey key = movement.effect_key;
    const EffectKey root = stem_of(key);
    const bool capture = is_capture(key);
    if (movement.is_total || reports_totals(config, key) ||
        (capture && config.captures == CaptureShape::total)) {
        const EffectKey whole = total_key(root, movement.amount.minor);
        if (key != whole) {
            return invalid("effect_key: must be " + whole.str() + ", the form of a running total");
        }
        movement.effect_key = root;
        movement.is_total = true;
        return {};
    }
    const bool one = config.captures == CaptureShape::one;
    const std::string& text = key.str();
    const bool has_id =
        text.find(':') == root.str().size() && text.find_first_of("@#") == std::string::npos;
    if (!capture || (one ? is_stem(key) : has_id)) return {};
    return invalid("effect_key: must be " + root.str() + (one ? "" : ":<capture>") +
                   ", the form of this provider's captures");
}

// The key that the rule reads, or where it reads none the operator's.
Result<void> assign_key(providers::Movement& movement, const Assignment& given,
                        const providers::ProviderConfig& config) {
    const EffectKey read = movement.effect_key;
    if (!read.empty() || !given.effect_key) {
        const EffectKey named = given.effect_key.value_or(read);
        const bool same =
            named == read || (movement.is_total && named == total_key(read, movement.amount.minor));
        if (!same) return invalid("effect_key: the event has " + read.str() + "; leave it out");
    } else {
        movement.effect_key = *given.effect_key;
    }
    if (!is_key_of(movement.effect_key.str(), config.books)) {
        return invalid("effect_key: begins with " + escape_part(config.books) +
                       "/, the provider's books");
    }
    if (read.empty()) return take_shape(movement, config);
    return {};
}

// The first movement, as far as it is known.
providers::Movement readable_movement(const providers::Event& event) {
    if (!event.movements.empty()) return event.movements.front();
    providers::Movement movement;
    movement.kind = event.action;
    movement.account = AccountId(event.account);
    if (!event.readable) return movement;
    const providers::ReadablePart& part = *event.readable;
    movement.kind = part.kind;
    movement.account = part.account;
    movement.amount = part.amount.value_or(Money{});
    movement.effect_key = part.effect_key;
    movement.is_total = part.is_total;
    return movement;
}

// One assignment would stand for all movements of such a rule.
bool posts_several(const providers::ProviderConfig& config, const std::string& type) {
    return std::any_of(config.rules.begin(), config.rules.end(), [&](const auto& rule) {
        const bool any = rule.when.ends_with('*');
        const bool fits =
            any ? type.starts_with(rule.when.substr(0, rule.when.size() - 1)) : type == rule.when;
        return fits && (rule.moves.size() > 1 ||
                        (rule.moves.size() == 1 && !rule.moves.front().each.empty()));
    });
}

// The event with what the operator supplies, complete enough to be decided like any other. Where
// it has several movements, the first is assigned.
Result<providers::Event> assigned_to(providers::Event event, const Assignment& given,
                                     const providers::ProviderConfig& config) {
    const bool has_effect = event.action == providers::Action::credit ||
                            event.action == providers::Action::debit ||
                            event.action == providers::Action::set_balance;
    if (given.effect) event.action = *given.effect;
    if (!given.effect && !has_effect) return invalid("effect: credit or debit, no rule says it");
    const bool known = !event.movements.empty();
    if (!known && has_effect && posts_several(config, event.type)) {
        return invalid(
            "the event has several movements, and they could not all be read; correct "
            "the provider file and retry it, or dismiss it and post them as entries");
    }
    const bool has_amount = known || (event.readable && event.readable->amount);
    if (!has_amount && !(given.amount && given.currency)) {
        return invalid("amount and currency: missing, they could not be read; supply both");
    }
    providers::Movement movement = readable_movement(event);
    if (given.effect) movement.kind = event.action;
    if (given.account) {
        event.account = given.account->str();
        movement.account = *given.account;
    }
    movement.amount.minor = given.amount.value_or(movement.amount.minor);
    movement.amount.currency = given.currency.value_or(movement.amount.currency);
    const bool by_need = movement.account.empty() && !event.needs.empty();
    if (!by_need && !is_plain(movement.account.str(), account_bytes_max)) {
        return invalid("account: is missing, too long, or has control characters");
    }
    if (ledger::is_clearing(movement.account)) return invalid("account: is a clearing account");
    if (movement.amount.minor < 0) return invalid("amount: is below zero");
    if (auto keyed = assign_key(movement, given, config); !keyed) return keyed.error();
    if (!known && event.jobs.empty()) event.jobs = {"notify"};  // no rule says otherwise
    if (!known) event.movements.emplace_back();
    event.movements.front() = std::move(movement);
    event.quarantine.clear();
    return event;
}

// Some movement names no account, and nothing is posted whose account it could be.
bool lacks_account(db::Transaction& transaction, const providers::Event& event) {
    const bool named =
        std::all_of(event.movements.begin(), event.movements.end(),
                    [](const providers::Movement& one) { return !one.account.empty(); });
    if (named || event.needs.empty()) return !named;
    ledger::Book book;
    ledger::load_effects(transaction, {event.needs.front()}, ledger::Hashes::trusted, book);
    return book.met_by(event.needs.front()) == nullptr;
}

// Returns an empty result if the action is possible for the event, or the reason why it is not.
ActResult impossible(db::Transaction& transaction, const Stored& stored,
                     const Instruction& instruction, const Read& read) {
    if (instruction.act != Act::post) return EventResult{};
    if (!set_aside(stored)) {
        return {"not_possible",
                refused(fmt::format("`post` does not set {} aside; retry it after a fix, assign "
                                    "what is missing, or dismiss it",
                                    stored.note))};
    }
    if (lacks_account(transaction, read.event)) {
        return {"account_unknown", refused("account: unknown, nothing was posted that names it; "
                                           "supply it with `assign --account`")};
    }
    return EventResult{};
}

// A lower total without a number is listed for attention although it is done.
ActResult dismiss_fall(db::Transaction& transaction, const Stored& stored,
                       const Instruction& instruction, const NamedAct& act, Time now) {
    const auto dismissed =
        transaction.run(sql::DismissFall{.segment = stored.segment,
                                         .provider = act.subject.substr(0, act.subject.find('/')),
                                         .event_id = instruction.event_id,
                                         .lease = stored.fencing_token,
                                         .now = now});
    if (dismissed.empty()) {
        throw db::Failure(db::FailureKind::retry, "", "another operator has just dismissed it");
    }
    EventResult answer;
    answer.event_id = EventId(instruction.event_id);
    answer.outcome = ledger::Outcome::dismissed;
    answer.note = stored.note;
    audit(transaction, instruction, act, answer, "not read again", stored, std::nullopt);
    return answer;
}

EventResult accept_one(db::Transaction& transaction, const Submission& submission, Time now) {
    const auto answers = accept(transaction, {&submission}, now, LockScope::batch_and_dependents);
    // The sweeper has processed the event meanwhile, and may have left it unfinished: retry.
    if (answers[0][0].stale_write) {
        throw db::Failure(db::FailureKind::retry, "", "another worker has just dealt with it");
    }
    return answers[0][0];
}

ActResult in_this(db::Transaction& transaction, const providers::Provider& provider,
                  const Instruction& instruction, const NamedAct& act, Time now) {
    const std::string name(provider.name());
    const auto stored = read_stored(transaction, name, instruction.event_id);
    if (!stored) {
        return {
            "unknown_intent",
            refused(fmt::format("event {}: not found at provider {}; `pawl intents list --q {}` "
                                "searches all providers",
                                instruction.event_id, name, instruction.event_id))};
    }
    if (auto done = done_before(transaction, act, instruction.event_id)) return *done;
    const bool fall = stored->outcome == "stale" && stored->note == ledger::total_fell;
    if (fall && instruction.act == Act::dismiss) {
        return dismiss_fall(transaction, *stored, instruction, act, now);
    }
    if (stored->status == "done") {
        return {"finished",
                refused(fmt::format("event {}: finished, nothing was changed; to change what it "
                                    "posted use `pawl transfers reverse` or `correct`",
                                    instruction.event_id))};
    }
    // Its events move no money until it is resumed, also not those that an operator acts on.
    if (instruction.act != Act::dismiss && access::is_paused(transaction, name)) {
        return {"provider_paused",
                refused(fmt::format("provider {0}: paused; resume it first (`pawl providers resume "
                                    "{0}`), or dismiss the event",
                                    name))};
    }
    auto read = read_event(*stored, provider, instruction.act);
    if (!read) return {"not_possible", read.error()};
    if (auto wrong = impossible(transaction, *stored, instruction, *read); !wrong) return wrong;
    std::optional<Versions> versions;
    if (instruction.act == Act::assign) {
        auto assigned = assigned_to(read->event, instruction.assigned, provider.config());
        if (!assigned) return {"bad_assignment", assigned.error()};
        versions = Versions{std::exchange(read->event, *assigned), *assigned};
        // The event stays timed out: assigning must not park it again. `post` applies the fields.
        if (stored->note == "needs_timeout") read->event.needs_deadline = Duration{};
    }
    Submission submission;
    submission.provider = ProviderName(name);
    submission.books = provider.config().books;
    submission.delivery.received_at = stored->received_at;
    submission.correlation_id = stored->correlation_id;
    submission.resumed = resumed_by(*stored, instruction);
    submission.events.push_back(std::move(read->event));
    const EventResult answer = accept_one(transaction, submission, now);
    audit(transaction, instruction, act, answer, read->verdict, *stored, versions);
    return answer;
}

}  // namespace

ActResult apply_operator_action(db::Session& session, const providers::Provider& provider,
                                const Instruction& instruction, Time now) {
    ActResult answer{"not_possible", refused("nothing was done")};
    const NamedAct act{access::new_act_id(),
                       std::string(provider.name()) + "/" + instruction.event_id};
    db::in_transaction(session, [&](db::Transaction& transaction) {
        answer = in_this(transaction, provider, instruction, act, now);
    });
    return answer;
}

}  // namespace pawl::intents
