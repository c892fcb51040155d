// The states of a payment and of a refund, and which may follow which: forward only, with named
// exceptions. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace pawl::payments {

enum class State {
    created,
    calling,
    unknown,
    requires_action,
    processing,
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

// Nothing moves it any more, but for the named exceptions (providers do settle late).
bool is_final(State state);
// What `POST .../payments` waits for: final, or a person is needed.
bool is_settled(State state);
bool may_move(State from, State to);

enum class RefundState { created, calling, unknown, processing, succeeded, failed, needs_review };

std::string_view to_text(RefundState state);
std::optional<RefundState> parse_refund_state(std::string_view text);
bool is_final(RefundState state);
bool may_move(RefundState from, RefundState to);

}  // namespace pawl::payments
