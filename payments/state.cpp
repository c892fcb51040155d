#include "payments/state.hpp"

#include <array>
#include <cstddef>

namespace pawl::payments {
namespace {

constexpr std::array<std::string_view, 13> state_names = {
    "created",     "calling", "unknown",  "requires_action", "processing",         "succeeded",
    "declined",    "failed",  "canceled", "refunded",        "partially_refunded", "disputed",
    "needs_review"};

constexpr std::array<std::string_view, 7> refund_state_names = {
    "created", "calling", "unknown", "processing", "succeeded", "failed", "needs_review"};

template <class Enum, std::size_t size>
std::optional<Enum> parse(const std::array<std::string_view, size>& names, std::string_view text) {
    for (std::size_t i = 0; i < size; ++i) {
        if (names[i] == text) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

// How an attempt can end; what else is final is a success that was taken back.
bool is_result(State state) {
    return state == State::succeeded || state == State::declined || state == State::failed ||
           state == State::canceled;
}

// Declared in the order in which an attempt passes them.
bool is_open(State state) {
    return state <= State::processing;
}

bool may_leave_success(State from, State to) {
    if (to == State::disputed) return from != State::disputed;
    if (to == State::refunded) return from != State::refunded && from != State::disputed;
    return to == State::partially_refunded && from == State::succeeded;
}

}  // namespace

std::string_view to_text(State state) {
    return state_names[static_cast<std::size_t>(state)];
}

std::optional<State> parse_state(std::string_view text) {
    return parse<State>(state_names, text);
}

bool is_final(State state) {
    return !is_open(state) && state != State::needs_review;
}

bool is_settled(State state) {
    return !is_open(state);
}

bool may_move(State from, State to) {
    switch (from) {
        case State::created:
        case State::calling:
        case State::unknown:
        case State::requires_action:
        case State::processing:
            return is_open(to) ? to > from : is_result(to) || to == State::needs_review;
        case State::needs_review:
            return is_result(to);
        case State::declined:  // providers do settle late
        case State::canceled:
            return to == State::succeeded;
        case State::failed:
            return false;
        case State::succeeded:
        case State::partially_refunded:
        case State::refunded:
        case State::disputed:
            return may_leave_success(from, to);
    }
    return false;
}

std::string_view to_text(RefundState state) {
    return refund_state_names[static_cast<std::size_t>(state)];
}

std::optional<RefundState> parse_refund_state(std::string_view text) {
    return parse<RefundState>(refund_state_names, text);
}

bool is_final(RefundState state) {
    return state == RefundState::succeeded || state == RefundState::failed;
}

bool may_move(RefundState from, RefundState to) {
    if (is_final(from)) return false;
    if (from == RefundState::needs_review) return is_final(to);
    return to > from;  // declared in the order in which a refund passes them
}

}  // namespace pawl::payments
