#include "payments/state.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <utility>

namespace pawl::payments {
namespace {

constexpr std::array all_states = {State::created,
                                   State::calling,
                                   State::unknown,
                                   State::requires_action,
                                   State::processing,
                                   State::succeeded,
                                   State::declined,
                                   State::failed,
                                   State::canceled,
                                   State::refunded,
                                   State::partially_refunded,
                                   State::disputed,
                                   State::needs_review};

constexpr std::array all_refund_states = {
    RefundState::created,   RefundState::calling, RefundState::unknown,     RefundState::processing,
    RefundState::succeeded, RefundState::failed,  RefundState::needs_review};

TEST(PaymentState, EveryNameIsReadBack) {
    for (const State state : all_states) EXPECT_EQ(parse_state(to_text(state)), state);
    for (const RefundState state : all_refund_states) {
        EXPECT_EQ(parse_refund_state(to_text(state)), state);
    }
    EXPECT_FALSE(parse_state("paid"));
    EXPECT_FALSE(parse_refund_state("requires_action"));
}

// Every move that is allowed; whatever is not in this table is not.
TEST(PaymentState, MovesForwardOnlyButForTheNamedExceptions) {
    const std::set<std::pair<std::string, std::string>> allowed = {
        {"created", "calling"},
        {"created", "unknown"},
        {"created", "requires_action"},
        {"created", "processing"},
        {"created", "succeeded"},
        {"created", "declined"},
        {"created", "failed"},
        {"created", "canceled"},
        {"created", "needs_review"},
        {"calling", "unknown"},
        {"calling", "requires_action"},
        {"calling", "processing"},
        {"calling", "succeeded"},
        {"calling", "declined"},
        {"calling", "failed"},
        {"calling", "canceled"},
        {"calling", "needs_review"},
        {"unknown", "requires_action"},
        {"unknown", "processing"},
        {"unknown", "succeeded"},
        {"unknown", "declined"},
        {"unknown", "failed"},
        {"unknown", "canceled"},
        {"unknown", "needs_review"},
        {"requires_action", "processing"},
        {"requires_action", "succeeded"},
        {"requires_action", "declined"},
        {"requires_action", "failed"},
        {"requires_action", "canceled"},
        {"requires_action", "needs_review"},
        {"processing", "succeeded"},
        {"processing", "declined"},
        {"processing", "failed"},
        {"processing", "canceled"},
        {"processing", "needs_review"},
        {"needs_review", "succeeded"},
        {"needs_review", "declined"},
        {"needs_review", "failed"},
        {"needs_review", "canceled"},
        // Providers do settle late.
        {"declined", "succeeded"},
        {"canceled", "succeeded"},
        // What succeeded may be taken back.
        {"succeeded", "partially_refunded"},
        {"succeeded", "refunded"},
        {"succeeded", "disputed"},
        {"partially_refunded", "refunded"},
        {"partially_refunded", "disputed"},
        {"refunded", "disputed"}};
    for (const State from : all_states) {
        for (const State to : all_states) {
            const std::pair move{std::string(to_text(from)), std::string(to_text(to))};
            EXPECT_EQ(may_move(from, to), allowed.contains(move))
                << move.first << " -> " << move.second;
        }
    }
}

TEST(PaymentState, AWaitEndsWhereNothingOrOnlyAPersonMovesThePayment) {
    for (const State state : all_states) {
        const bool open = state <= State::processing;
        EXPECT_EQ(is_settled(state), !open) << to_text(state);
        EXPECT_EQ(is_final(state), !open && state != State::needs_review) << to_text(state);
    }
}

TEST(RefundStates, MoveForwardOnlyAndSuccessAndFailureAreFinal) {
    const std::set<std::pair<std::string, std::string>> allowed = {
        {"created", "calling"},        {"created", "unknown"},      {"created", "processing"},
        {"created", "succeeded"},      {"created", "failed"},       {"created", "needs_review"},
        {"calling", "unknown"},        {"calling", "processing"},   {"calling", "succeeded"},
        {"calling", "failed"},         {"calling", "needs_review"}, {"unknown", "processing"},
        {"unknown", "succeeded"},      {"unknown", "failed"},       {"unknown", "needs_review"},
        {"processing", "succeeded"},   {"processing", "failed"},    {"processing", "needs_review"},
        {"needs_review", "succeeded"}, {"needs_review", "failed"}};
    for (const RefundState from : all_refund_states) {
        for (const RefundState to : all_refund_states) {
            const std::pair move{std::string(to_text(from)), std::string(to_text(to))};
            EXPECT_EQ(may_move(from, to), allowed.contains(move))
                << move.first << " -> " << move.second;
        }
    }
}

}  // namespace
}  // namespace pawl::payments
