#include "workflows/call/calls.hpp"

#include "base/storable.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

using outbound::GatewayOutcome;

std::optional<std::string> if_any(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

bool says_something(const outbound::GatewayResult& answer) {
    return answer.ending != GatewayOutcome::unknown && answer.ending != GatewayOutcome::not_found &&
           answer.ending != GatewayOutcome::foreign && answer.ending != GatewayOutcome::refused;
}

// A send that was not carried out leaves no doubt, and takes none away that was there before.
bool doubt_after(const PinnedCall& call, const outbound::GatewayResult& answer, bool sent) {
    if (says_something(answer)) return false;
    if (sent && answer.ending == GatewayOutcome::refused) return call.in_doubt;
    return sent || call.in_doubt;
}

void count_lookup(PinnedCall& call, const outbound::GatewayResult& answer) {
    const bool not_found = answer.ending == GatewayOutcome::not_found;
    ++call.lookups;
    if (not_found) ++call.not_found;
    call.unanswered = not_found || says_something(answer) ? 0 : call.unanswered + 1;
}

}  // namespace

std::string_view to_text(GatewayOutcome ending) {
    switch (ending) {
        case GatewayOutcome::succeeded:
            return "succeeded";
        case GatewayOutcome::declined:
            return "declined";
        case GatewayOutcome::requires_action:
            return "requires_action";
        case GatewayOutcome::processing:
            return "processing";
        case GatewayOutcome::canceled:
            return "canceled";
        case GatewayOutcome::failed:
            return "failed";
        case GatewayOutcome::refused:
            return "refused";
        case GatewayOutcome::not_found:
        case GatewayOutcome::foreign:
        case GatewayOutcome::unknown:
            break;
    }
    return "unknown";
}

std::optional<PinnedCall> find_call(db::Transaction& transaction, const std::string& key) {
    const db::Rows rows = transaction.run(sql::find_call, db::Params().text(key));
    if (rows.empty()) return std::nullopt;
    const db::Row row = rows[0];
    PinnedCall call;
    call.key = row.str(0);
    call.key_sent = row.str(1);
    call.gateway = row.str(2);
    call.operation = row.str(3);
    call.call = {row.str(5), row.str(6), row.str(7), row.bytes(8)};
    call.outcome = row.maybe_text(9).value_or("");
    call.in_doubt = row.flag(10);
    call.sends = row.number(11);
    call.lookups = row.number(12);
    call.not_found = row.number(13);
    call.unanswered = row.number(14);
    call.first_sent_at = row.maybe_time(15);
    call.reference = row.maybe_text(16).value_or("");
    const auto currency = row.null(18) ? invalid("") : Currency::parse(row.text(18));
    if (!row.null(17) && currency) call.moved = Money{row.number(17), *currency};
    call.note = row.maybe_text(19).value_or("");
    call.forced = row.flag(20);
    return call;
}

PinnedCall pin(db::Transaction& transaction, const Run& run, const PinnedCall& wanted, Time now) {
    db::Params params;
    params.text(wanted.key).text(wanted.key_sent).text(wanted.gateway).text(wanted.operation);
    params.number(run.id).text(wanted.call.method).text(wanted.call.path);
    params.text(wanted.call.content_type).bytes(wanted.call.body).time(now);
    params.text(run.correlation_id.str());
    transaction.run(sql::pin_call, params);
    return *find_call(transaction, wanted.key);
}

ForeignCall begin_send(db::Transaction& transaction, const PinnedCall& call, Time now) {
    transaction.run(sql::send_call, db::Params().text(call.key).time(now));
    return {call.gateway, call.call, call.key_sent, call.in_doubt};
}

ForeignCall ask(const PinnedCall& about, outbound::Call question) {
    return {about.gateway, std::move(question), "", about.in_doubt};
}

bool inside_horizon(const PinnedCall& call, const outbound::GatewayConfig& gateway, Time now) {
    if (!call.first_sent_at) return true;
    const Duration margin = gateway.timeout + gateway.key_horizon / 100;
    return now + margin < *call.first_sent_at + gateway.key_horizon;
}

void record(db::Transaction& transaction, PinnedCall& call, const outbound::GatewayResult& answer,
            AnswerTo kind, Time now) {
    // A lookup that was not answered says nothing about the call that it asked after.
    const bool silent = kind == AnswerTo::lookup && !says_something(answer);
    if (!silent) call.outcome = to_text(answer.ending);
    call.in_doubt = doubt_after(call, answer, kind == AnswerTo::send || kind == AnswerTo::cancel);
    if (kind == AnswerTo::lookup) count_lookup(call, answer);
    if (!answer.reference.empty()) call.reference = storable(answer.reference);
    if (answer.moved) call.moved = answer.moved;
    call.note = storable(answer.note);
    db::Params params;
    silent ? params.text(call.key).null() : params.text(call.key).text(call.outcome);
    params.flag(call.in_doubt);
    answer.status == 0 ? params.null() : params.number(answer.status);
    params.bytes(answer.body).maybe_text(if_any(storable(answer.reference)));
    params.maybe_number(answer.moved ? std::optional(answer.moved->minor) : std::nullopt);
    params.maybe_text(answer.moved ? std::optional(answer.moved->currency.str()) : std::nullopt);
    params.maybe_text(if_any(call.note)).number(call.lookups).number(call.not_found);
    params.number(call.unanswered).time(now);
    transaction.run(sql::record_answer, params);
}

void force(db::Transaction& transaction, const PinnedCall& call, Time now) {
    transaction.run(sql::force_call, db::Params().text(call.key).time(now));
}

void confirm(db::Transaction& transaction, const std::string& key) {
    transaction.run(sql::confirm_call, db::Params().text(key));
}

}  // namespace pawl::workflows
