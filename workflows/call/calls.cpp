#include "workflows/call/calls.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/storable.hpp"
#include "base/text.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

using outbound::GatewayOutcome;

bool is_conclusive(const outbound::GatewayResult& answer) {
    return answer.ending != GatewayOutcome::unknown && answer.ending != GatewayOutcome::not_found &&
           answer.ending != GatewayOutcome::foreign && answer.ending != GatewayOutcome::refused;
}

// A send that was not executed leaves no doubt, and does not remove an earlier one.
bool doubt_after(const PinnedCall& call, const outbound::GatewayResult& answer, bool sent) {
    if (is_conclusive(answer)) return false;
    if (sent && answer.ending == GatewayOutcome::refused) return call.in_doubt;
    return sent || call.in_doubt;
}

void count_lookup(PinnedCall& call, const outbound::GatewayResult& answer) {
    const bool not_found = answer.ending == GatewayOutcome::not_found;
    ++call.lookups;
    if (not_found) ++call.not_found;
    call.unanswered = not_found || is_conclusive(answer) ? 0 : call.unanswered + 1;
}

constexpr Duration margin_min = std::chrono::minutes(5);

Duration horizon_of(const PinnedCall& call, const outbound::Horizon& horizon) {
    if (call.operation == "refund") return horizon.refund;
    return call.operation == "capture" ? horizon.capture : horizon.charge;
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
        case GatewayOutcome::authorized:
            return "authorized";
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
    const auto rows = transaction.run(sql::FindCall{.key = key});
    if (rows.empty()) return std::nullopt;
    const auto row = rows[0];
    PinnedCall call;
    call.key = row.key();
    call.key_sent = row.key_sent();
    call.gateway = row.gateway();
    call.operation = row.operation();
    call.call = {std::string(row.method()), std::string(row.path()),
                 std::string(row.content_type()), row.request()};
    call.outcome = row.outcome().value_or("");
    call.in_doubt = row.in_doubt();
    call.sends = row.sends();
    call.lookups = row.lookups();
    call.not_found = row.not_found();
    call.unanswered = row.unanswered();
    if (const auto age = row.age_us()) call.age = std::chrono::microseconds(*age);
    if (const auto since = row.since_last_send_us()) {
        call.since_last_send = std::chrono::microseconds(*since);
    }
    call.reference = row.reference().value_or("");
    const auto moved = row.moved();
    const auto currency = Currency::parse(row.currency().value_or(""));
    if (moved && currency) call.moved = Money{*moved, *currency};
    call.capturable = row.capturable();
    call.note = row.note().value_or("");
    call.forced = row.forced();
    return call;
}

PinnedCall pin(db::Transaction& transaction, const Run& run, const PinnedCall& wanted, Time now) {
    transaction.run(sql::PinCall{.key = wanted.key,
                                 .key_sent = wanted.key_sent,
                                 .gateway = wanted.gateway,
                                 .operation = wanted.operation,
                                 .run_id = run.id,
                                 .method = wanted.call.method,
                                 .path = wanted.call.path,
                                 .content_type = wanted.call.content_type,
                                 .request = wanted.call.body,
                                 .now = now,
                                 .correlation_id = run.correlation_id.str()});
    return *find_call(transaction, wanted.key);
}

ForeignCall begin_send(db::Transaction& transaction, const PinnedCall& call) {
    transaction.run(sql::SendCall{.key = call.key});
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

void record(db::Transaction& transaction, PinnedCall& call, const outbound::GatewayResult& answer,
            AnswerTo kind, Time now) {
    // A lookup that was not answered says nothing about the call that it asked after.
    const bool silent = kind == AnswerTo::lookup && !is_conclusive(answer);
    // Pawl has canceled there what was declined and could still have been executed.
    const bool canceled_after_decline =
        call.outcome == "declined" && answer.ending == GatewayOutcome::canceled;
    if (!silent && !canceled_after_decline) call.outcome = to_text(answer.ending);
    call.in_doubt = doubt_after(call, answer, kind == AnswerTo::send || kind == AnswerTo::cancel);
    if (kind == AnswerTo::lookup) count_lookup(call, answer);
    if (!answer.reference.empty()) call.reference = storable(answer.reference);
    if (answer.moved) call.moved = answer.moved;
    if (!silent) {
        call.capturable =
            answer.capturable ? std::optional(answer.capturable->minor) : std::nullopt;
    }
    if (!canceled_after_decline) call.note = storable(answer.note);
    sql::RecordAnswer statement{.key = call.key,
                                .outcome = std::nullopt,
                                .in_doubt = call.in_doubt,
                                .http_status = std::nullopt,
                                .answer = answer.body,
                                .reference = if_any(storable(answer.reference)),
                                .moved = std::nullopt,
                                .currency = std::nullopt,
                                .note = if_any(call.note),
                                .lookups = call.lookups,
                                .not_found = call.not_found,
                                .unanswered = call.unanswered,
                                .now = now,
                                .capturable = call.capturable};
    if (!silent) statement.outcome = call.outcome;
    if (answer.status != 0) statement.http_status = answer.status;
    if (answer.moved) {
        statement.moved = answer.moved->minor;
        statement.currency = answer.moved->currency.code();
    }
    transaction.run(statement);
}

void force(db::Transaction& transaction, const PinnedCall& call, Time now) {
    transaction.run(sql::ForceCall{.key = call.key, .forced_at = now});
}

void confirm(db::Transaction& transaction, const std::string& key) {
    transaction.run(sql::ConfirmCall{.key = key});
}

void contradict(db::Transaction& transaction, const std::string& key, const std::string& report) {
    log::error("a report contradicts a call that was resolved by force",
               {{"key", key}, {"error", report}});
    transaction.run(sql::ContradictCall{.key = key, .note = storable(report)});
}

}  // namespace pawl::workflows
