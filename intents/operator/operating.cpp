#include "intents/operator/operating.hpp"

#include <fmt/core.h>

#include "access/audit.hpp"
#include "base/json.hpp"
#include "intents/accept/accept.hpp"
#include "intents/accept/batch_context.hpp"
#include "intents/accept/plan.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

struct Stored {
    std::string status;
    std::int64_t fencing_token = 0;
    std::optional<std::string> plan;
    providers::Event known;  // id, type, fingerprint and body hash, as the row has them
    CorrelationId correlation_id;
    Time received_at;
    std::int64_t segment = 0;
    std::vector<providers::Delivery> deliveries;  // that may hold it, the likeliest first
};

providers::Headers headers_of(std::string_view lines) {
    providers::Headers headers;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(lines.size(), line.size() + 1));
        const std::size_t colon = line.find(": ");
        if (colon == std::string_view::npos) continue;
        headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
    return headers;
}

std::optional<Stored> read_stored(db::Transaction& transaction, const std::string& provider,
                                  const std::string& event_id) {
    const auto params = db::Params().text(provider).text(event_id);
    const db::Rows rows = transaction.run(sql::read_stored, params);
    if (rows.empty()) return std::nullopt;
    const db::Row row = rows[0];
    Stored stored;
    stored.status = row.str(0);
    stored.fencing_token = row.number(1);
    stored.plan = row.maybe_text(2);
    stored.known.event_id = EventId(event_id);
    stored.known.fingerprint = row.str(3);
    stored.known.body_sha256 = row.str(4);
    stored.known.type = row.str(5);
    stored.correlation_id = CorrelationId(row.str(6));
    stored.received_at = row.time(7);
    stored.segment = row.number(13);
    for (const db::Row one : rows) {
        if (one.null(8)) continue;
        stored.deliveries.push_back(
            {one.str(8), one.str(9), headers_of(one.bytes(10)), one.bytes(11), one.time(12)});
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
    if (stored.deliveries.empty()) return refused("the bytes it came in are not kept any more");
    for (const providers::Delivery& delivery : stored.deliveries) {
        auto received = provider.read_again(delivery);
        for (providers::Event& event : received.events) {
            if (!is_same(event, stored.known)) continue;
            event.event_id = stored.known.event_id;  // it keeps the slot that it has
            return Read{std::move(event), received.diagnosis};
        }
    }
    return refused("the bytes that are kept do not contain this event, as the rules are today");
}

Result<Read> read_event(const Stored& stored, const providers::Provider& provider, Act act) {
    if (act == Act::retry || !stored.plan) return read_bytes(stored, provider);
    auto plan = plan_from_json(*stored.plan);
    if (!plan) return plan.error();
    // Planned under other books, those of the other mode: its keys would be of that mode, too.
    if (plan->books != provider.config().books) return read_bytes(stored, provider);
    plan->event.event_id = stored.known.event_id;
    plan->event.type = stored.known.type;
    plan->event.fingerprint = stored.known.fingerprint;
    plan->event.body_sha256 = stored.known.body_sha256;
    return Read{std::move(plan->event), "not read again"};
}

Resumed resumed_by(const Stored& stored, Act act, const std::string& event_id) {
    Resumed resumed{stored.fencing_token, {}, true, "", stored.segment};
    resumed.overrides.skip_needs = act == Act::post;
    resumed.overrides.skip_sequence = act != Act::retry;
    // Whether a second content under one id is genuine is for a person to say, by `post`.
    if (act == Act::retry && is_conflict_id(event_id, stored.known.fingerprint)) {
        resumed.give_up = "id_conflict";
    }
    return resumed;
}

const char* name_of(Act act) {
    if (act == Act::retry) return "intent.retry";
    return act == Act::release ? "intent.release" : "intent.post";
}

// What is done, as its audit row names it.
struct NamedAct {
    std::string id, subject;
};

void audit(db::Transaction& transaction, const Instruction& instruction, const NamedAct& act,
           const EventResult& answer, const std::string& verdict) {
    json::Writer details;
    details.begin_object().member("outcome", ledger::to_text(answer.outcome));
    details.member("note", answer.note).member("signature_today", verdict);
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

Result<EventResult> in_this(db::Transaction& transaction, const providers::Provider& provider,
                            const Instruction& instruction, const NamedAct& act, Time now) {
    const std::string name(provider.name());
    const auto stored = read_stored(transaction, name, instruction.event_id);
    if (!stored) {
        return refused(fmt::format("no event {} of {} is stored", instruction.event_id, name));
    }
    if (auto done = done_before(transaction, act, instruction.event_id)) return *done;
    if (stored->status == "done") return refused("the event is finished; nothing was changed");
    auto read = read_event(*stored, provider, instruction.act);
    if (!read) return read.error();
    Submission submission;
    submission.provider = ProviderName(name);
    submission.books = provider.config().books;
    submission.delivery.received_at = stored->received_at;
    submission.correlation_id = stored->correlation_id;
    submission.resumed = resumed_by(*stored, instruction.act, instruction.event_id);
    submission.events.push_back(std::move(read->event));
    const auto answers = accept(transaction, {&submission}, now, LockScope::batch_and_dependents);
    const EventResult& answer = answers[0][0];
    if (answer.stale_write) {
        // The sweeper has looked at it meanwhile, which need not have been its end: looked at
        // again.
        throw db::Failure(db::FailureKind::retry, "", "somebody else has just dealt with it");
    }
    audit(transaction, instruction, act, answer, read->verdict);
    return answer;
}

}  // namespace

Result<EventResult> apply_operator_action(db::Session& session, const providers::Provider& provider,
                                          const Instruction& instruction, Time now) {
    Result<EventResult> answer = refused("nothing was done");
    const NamedAct act{access::new_act_id(),
                       std::string(provider.name()) + "/" + instruction.event_id};
    db::in_transaction(session, [&](db::Transaction& transaction) {
        answer = in_this(transaction, provider, instruction, act, now);
    });
    return answer;
}

}  // namespace pawl::intents
