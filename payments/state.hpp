// The states of a payment and of a refund, and which may follow which. Once something is captured,
// the state follows from the sums under the payment's root (payments/sums.hpp). Pure.
#pragma once

#include <optional>
#include <string_view>

namespace pawl::payments {

// In the order in which an attempt passes them; is_open() compares.
enum class State {
    created,
    calling,
    unknown,
    requires_action,
    processing,
    authorized,
    succeeded,
    declined,
    failed,
    canceled,
    refunded,
    partially_refunded,
    disputed,
    needs_review,
};

std::string_view to_text(State state);
std::optional<State> parse_state(std::string_view text);

bool is_open(State state);      // the attempt can still be executed, or captured
bool is_captured(State state);  // money has moved; derived from the sums
// Ended without a capture; only money that moves late changes it.
bool ended_without_capture(State state);
bool is_final(State state);  // captured or lost
// A result: `POST .../payments` answers 201.
bool is_settled(State state);
// `POST .../payments` stops waiting: a result, or the payer or the gateway must act first.
bool is_answered(State state);
bool may_move(State from, State to);

enum class RefundState { created, calling, unknown, processing, succeeded, failed, needs_review };

std::string_view to_text(RefundState state);
std::optional<RefundState> parse_refund_state(std::string_view text);
bool is_final(RefundState state);
bool is_settled(RefundState state);  // final, or an operator is needed
bool is_answered(RefundState state);
bool may_move(RefundState from, RefundState to);

}  // namespace pawl::payments
