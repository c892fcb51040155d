#include "payments/state.hpp"

#include <array>
#include <cstddef>

namespace pawl::payments {
namespace {

constexpr std::array<std::string_view, 14> state_names = {
    "created",   "calling",     "unknown", "requires_action", "processing", "authorized",
    "succeeded", "declined",    "failed",  "canceled",        "refunded",   "partially_refunded",
    "disputed",  "needs_review"};

constexpr std::array<std::string_view, 7> refund_state_names = {
    "created", "calling", "unknown", "processing", "succeeded", "failed", "needs_review"};

template <class Enum, std::size_t size>
std::optional<Enum> parse(const std::array<std::string_view, size>& names, std::string_view text) {
    for (std::size_t i = 0; i < size; ++i) {
        if (names[i] == text) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_text(State state) {
    return state_names[static_cast<std::size_t>(state)];
}

std::optional<State> parse_state(std::string_view text) {
    return parse<State>(state_names, text);
}

bool is_open(State state) {
    return state <= State::authorized;
}

bool is_captured(State state) {
    return state == State::succeeded || state == State::refunded ||
           state == State::partially_refunded || state == State::disputed;
}

bool ended_without_capture(State state) {
    return state == State::declined || state == State::failed || state == State::canceled;
}

bool is_final(State state) {
    return is_captured(state) || ended_without_capture(state);
}

bool is_settled(State state) {
    return !is_open(state) || state == State::authorized;
}

bool is_answered(State state) {
    return is_settled(state) || state == State::requires_action || state == State::processing;
}

bool may_move(State from, State to) {
    if (from == to || to == State::created) return false;
    if (to == State::calling) return from == State::created;
    if (to == State::unknown) return is_open(from);
    if (is_open(to)) return is_open(from) || from == State::needs_review;
    if (is_captured(to)) return true;  // a reported capture is recorded, whatever the state
    // An operator may reverse the only capture; the card was charged all the same.
    if (is_captured(from)) return to == State::needs_review;
    if (to == State::needs_review) return true;  // also money in another currency that moved late
    return is_open(from) || from == State::needs_review;
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

bool is_settled(RefundState state) {
    return is_final(state) || state == RefundState::needs_review;
}

bool is_answered(RefundState state) {
    return is_settled(state) || state == RefundState::processing;
}

bool may_move(RefundState from, RefundState to) {
    if (from == to || to == RefundState::created) return false;
    if (to == RefundState::calling) return from == RefundState::created;
    if (is_final(to)) return true;  // a refund may bounce, or succeed after all
    if (is_final(from)) return false;
    return from != RefundState::needs_review || to == RefundState::processing;
}

}  // namespace pawl::payments
