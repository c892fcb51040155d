#include "payments/captures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/keys.hpp"
#include "base/rng.hpp"
#include "base/text.hpp"
#include "payments/sql.hpp"

namespace pawl::payments {
namespace {

Capture to_capture(const sql::CaptureRow& row) {
    Capture capture;
    capture.id = row.capture_id();
    capture.payment_id = row.payment_id();
    capture.n = row.n();
    capture.key = row.key();
    capture.state = parse_refund_state(row.state()).value();
    capture.note = row.note().value_or("");
    capture.amount = row.amount();
    capture.final = row.final();
    capture.reference = row.reference().value_or("");
    capture.correlation_id = CorrelationId(std::string(row.correlation_id()));
    capture.created_at = row.created_at();
    capture.updated_at = row.updated_at();
    return capture;
}

std::optional<Capture> first_of(const db::RowsOf<sql::CaptureRow>& rows) {
    if (rows.empty()) return std::nullopt;
    return to_capture(rows[0]);
}

std::optional<NotCapturable> refusal_of(const Payment& payment, const NewCapture& wanted,
                                        const std::vector<Capture>& captures) {
    const std::int64_t left = left_to_capture(payment);
    if (payment.cancel_requested) return NotCapturable{"cancel_accepted"};
    const bool under_way = !captures.empty() && !is_final(captures.back().state);
    if (under_way) return NotCapturable{"capture_in_progress"};
    const bool open = payment.state == State::authorized || is_captured(payment.state);
    if (!payment.manual_capture || !open || left == 0)
        return NotCapturable{"payment_not_capturable"};
    if (wanted.amount.value_or(left) > left) {
        return NotCapturable{"capture_exceeds_authorized", left};
    }
    return std::nullopt;
}

}  // namespace

std::string new_capture_id() {
    constexpr std::size_t id_bytes = 15;
    SecureRng rng;
    return "cap_" + random_token(rng, id_bytes);
}

std::variant<Capture, NotCapturable> allocate_capture(db::Transaction& transaction,
                                                      const Payment& payment,
                                                      const NewCapture& wanted, Time now) {
    // The caller's copy may be older than the lock.
    const auto current = find_payment(transaction, payment.id, Lock::row).value();
    const auto captures = captures_of(transaction, current);
    if (auto refused = refusal_of(current, wanted, captures)) return *refused;
    const std::int64_t left = left_to_capture(current);
    const std::int64_t amount = wanted.amount.value_or(left);
    const int n = captures.empty() ? 1 : captures.back().n + 1;
    const auto rows = transaction.run(
        sql::InsertCapture{.capture_id = wanted.id,
                           .payment_id = current.id,
                           .n = n,
                           .key = capture_key(current.order_id, current.attempt, n),
                           .amount = amount,
                           .final = wanted.final || amount == left,  // nothing is left to keep
                           .correlation_id = wanted.correlation_id.str(),
                           .now = now});
    return to_capture(rows.only());
}

std::optional<Capture> find_capture(db::Transaction& transaction, const std::string& id) {
    return first_of(transaction.run(sql::FindCapture{.capture_id = id}));
}

std::optional<LockedCapture> lock_capture(db::Transaction& transaction, const std::string& id) {
    const auto found = find_capture(transaction, id);
    if (!found) return std::nullopt;
    auto payment = find_payment(transaction, found->payment_id, Lock::row).value();
    const auto rows = transaction.run(sql::LockCapture{.capture_id = id});
    return LockedCapture{to_capture(rows.only()), std::move(payment)};
}

std::vector<Capture> captures_of(db::Transaction& transaction, const Payment& payment) {
    std::vector<Capture> all;
    if (!payment.manual_capture) return all;
    for (const auto row : transaction.run(sql::CapturesOf{.payment_id = payment.id})) {
        all.push_back(to_capture(row));
    }
    return all;
}

std::optional<Capture> capture_under_way(db::Transaction& transaction, const Payment& payment) {
    for (Capture& one : captures_of(transaction, payment)) {
        if (!is_final(one.state)) return std::move(one);
    }
    return std::nullopt;
}

std::int64_t sum_of_succeeded(const std::vector<Capture>& captures) {
    std::int64_t sum = 0;
    for (const Capture& one : captures) {
        if (one.state == CaptureState::succeeded) sum += one.amount;
    }
    return sum;
}

bool advance(Capture& capture, CaptureState to) {
    if (capture.state == to || !may_move(capture.state, to)) return false;
    capture.state = to;
    return true;
}

void save(db::Transaction& transaction, const Capture& before, const Capture& after, Time now) {
    if (before == after) return;
    if (before.state != after.state && !may_move(before.state, after.state)) {
        throw std::logic_error(fmt::format("capture {} cannot go from {} to {}", before.key,
                                           to_text(before.state), to_text(after.state)));
    }
    const auto saved = transaction.run(sql::SaveCapture{.capture_id = after.id,
                                                        .state_before = to_text(before.state),
                                                        .state = to_text(after.state),
                                                        .note = if_any(after.note),
                                                        .reference = if_any(after.reference),
                                                        .amount = after.amount,
                                                        .now = now});
    if (saved.affected() == 1) return;
    throw std::logic_error("capture " + before.key + " was read without its lock, and has moved");
}

}  // namespace pawl::payments
