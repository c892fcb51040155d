#include "workflows/call/calls.hpp"

#include <algorithm>

#include "base/storable.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

using outbound::Ending;

std::optional<std::string> if_any(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

bool says_something(const outbound::Answer& answer) {
    return answer.ending != Ending::unknown && answer.ending != Ending::not_found &&
           answer.ending != Ending::foreign && answer.ending != Ending::refused;
}

// A send that was not carried out leaves no doubt, and takes none away that was there before.
bool doubt_after(const PinnedCall& call, const outbound::Answer& answer, bool sent) {
    if (says_something(answer)) return false;
    if (sent && answer.ending == Ending::refused) return call.in_doubt;
    return sent || call.in_doubt;
}

void count_lookup(PinnedCall& call, const outbound::Answer& answer) {
    const bool not_found = answer.ending == Ending::not_found;
    ++call.lookups;
    if (not_found) ++call.not_found;
    call.unanswered = not_found || says_something(answer) ? 0 : call.unanswered + 1;
}

constexpr Duration margin_min = std::chrono::minutes(5);

Duration horizon_of(const PinnedCall& call, const outbound::Horizon& horizon) {
    if (call.operation == "refund") return horizon.refund;
    return call.operation == "capture" ? horizon.capture : horizon.charge;
}

}  // namespace

std::string_view to_text(Ending ending) {
    switch (ending) {
        case Ending::succeeded:
            return "succeeded";
        case Ending::declined:
            return "declined";
        case Ending::requires_action:
            return "requires_action";
        case Ending::processing:
            return "processing";
        case Ending::canceled:
            return "canceled";
        case Ending::failed:
            return "failed";
        case Ending::refused:
            return "refused";
        case Ending::not_found:
        case Ending::foreign:
        case Ending::unknown:
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
    if (!row.null(15)) call.age = std::chrono::microseconds(row.number(15));
    call.reference = row.maybe_text(16).value_or("");
    const auto currency = row.null(18) ? invalid("") : Currency::parse(row.text(18));
    if (!row.null(17) && currency) call.moved = Money{row.number(17), *currency};
    call.note = row.maybe_text(19).value_or("");
    call.forced = row.flag(20);
    if (!row.null(21)) call.since_last_send = std::chrono::microseconds(row.number(21));
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

ForeignCall send_again(db::Transaction& transaction, const PinnedCall& call) {
    transaction.run(sql::send_call, db::Params().text(call.key));
    return {call.gateway, call.call, call.key_sent, call.in_doubt};
}

ForeignCall ask(const PinnedCall& about, outbound::Call question) {
    return {about.gateway, std::move(question), "", about.in_doubt};
}

bool inside_horizon(const PinnedCall& call, const outbound::GatewayConfig& gateway) {
    if (!call.age) return true;
    const Duration horizon = horizon_of(call, gateway.horizon);
    const Duration travel = gateway.lease + gateway.timeout + std::chrono::seconds(1);
    const Duration margin = std::max({horizon / 10, margin_min, travel});
    return *call.age + margin < horizon;
}

bool is_absence_final(const PinnedCall& call, const outbound::GatewayConfig& gateway) {
    if (!gateway.not_found_final_after) return false;
    if (*gateway.not_found_final_after == Duration{} || !call.since_last_send) return true;
    return *call.since_last_send >= *gateway.not_found_final_after + gateway.timeout;
}

void record(db::Transaction& transaction, PinnedCall& call, const outbound::Answer& answer,
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
