#include "intents/import/standing.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "ledger/book.hpp"

namespace pawl::intents {
namespace {

EffectKey key_of_capture(const ImportedPayment& line) {
    const EffectKey root = line.root();
    return line.captures == CaptureShape::total ? total_key(root, line.captured.minor) : root;
}

bool is_capture_of(const ImportedPayment& line, const RootTransfer& one) {
    return one.key == key_of_capture(line) && ledger::is_clearing(one.debit) &&
           one.credit == line.account && one.amount == line.captured &&
           one.occurred_at == line.time;
}

bool is_return_of(const ImportedPayment& line, const RootTransfer& one) {
    return one.key == total_key(line.refund_total(), line.returned) &&
           ledger::is_clearing(one.credit) && one.debit == line.account &&
           one.amount == Money{line.returned, line.captured.currency} &&
           one.occurred_at == line.time;
}

// The first movements of the root are those of one import of this very line.
bool begins_with(const ImportedPayment& line, const std::vector<RootTransfer>& all) {
    const bool returns = line.returned > 0;
    if (all.size() < (returns ? 2U : 1U)) return false;
    const RootTransfer& capture = all.front();
    if (capture.entry_id.empty() || !is_capture_of(line, capture)) return false;
    if (!returns) return all.size() == 1 || all[1].entry_id != capture.entry_id;
    return all[1].entry_id == capture.entry_id && is_return_of(line, all[1]);
}

// Sum of the root's movements to accounts, in the line's currency and without fees.
std::string net_of(const RootState& state, const Currency& currency) {
    std::int64_t net = 0;
    for (const RootTransfer& one : state.transfers) {
        const bool fee =
            one.debit.str().starts_with("fees:") || one.credit.str().starts_with("fees:");
        if (fee || one.amount.currency != currency) continue;
        const std::int64_t moved =
            ledger::is_clearing(one.debit) ? one.amount.minor : -one.amount.minor;
        if (__builtin_add_overflow(net, moved, &net)) return "more than 64 bits";
    }
    return std::to_string(net);
}

}  // namespace

Judgement judge_line(const ImportedPayment& line, const RootState& state) {
    if (begins_with(line, state.transfers)) {
        return {Standing::imported, "imported", "was imported before"};
    }
    if (!state.transfers.empty()) {
        const Currency& currency = line.captured.currency;
        return {Standing::moved, "has_movements",
                fmt::format("has {} movements already, {} {} in all; the file has {} captured and "
                            "{} returned",
                            state.transfers.size(), net_of(state, currency), currency.code(),
                            line.captured.minor, line.returned)};
    }
    if (!state.payment_id.empty()) {
        return {Standing::own, "own_payment",
                fmt::format("is {}, a payment of Pawl's own", state.payment_id)};
    }
    if (state.account_is_absolute) {
        return {Standing::refused, "account_is_absolute",
                fmt::format("the balance of {} is set by its provider; remove the line",
                            line.account.str())};
    }
    if (state.refund_total_known) {
        return {Standing::refused, "refund_total_known",
                fmt::format("{} was posted without its payment; remove the line, and post it with "
                            "`pawl transfers post`",
                            line.refund_total().str())};
    }
    return {};
}

bool is_posted_by(const std::string& entry_id, const ImportedPayment& line,
                  const RootState& state) {
    return begins_with(line, state.transfers) && state.transfers.front().entry_id == entry_id;
}

}  // namespace pawl::intents
