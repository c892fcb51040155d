#include "payments/state.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace pawl::payments {
namespace {

constexpr std::array all_states = {
    State::created,    State::calling,     State::unknown,   State::requires_action,
    State::processing, State::authorized,  State::succeeded, State::declined,
    State::failed,     State::canceled,    State::refunded,  State::partially_refunded,
    State::disputed,   State::needs_review};

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

bool closed_without_money(State state) {
    return state == State::declined || state == State::failed || state == State::canceled;
}
bool captured(State state) {
    return state == State::succeeded || state == State::partially_refunded ||
           state == State::refunded || state == State::disputed;
}
bool waits(State state) {
    return state == State::unknown || state == State::requires_action ||
           state == State::processing || state == State::authorized;
}

TEST(PaymentState, MoneyThatMovedIsNeverDenied) {
    for (const State from : all_states) {
        for (const State to : all_states) {
            if (from == to || !captured(to)) continue;
            EXPECT_TRUE(may_move(from, to)) << to_text(from) << " -> " << to_text(to);
        }
    }
}

TEST(PaymentState, CapturedPaymentNeedsReviewOnlyByTheReversalOfItsCapture) {
    for (const State from : all_states) {
        if (!captured(from)) continue;
        for (const State to : all_states) {
            EXPECT_EQ(may_move(from, to), from != to && (captured(to) || to == State::needs_review))
                << to_text(from) << " -> " << to_text(to);
        }
    }
}

TEST(PaymentState, AttemptEndedWithoutCaptureIsNotReopened) {
    for (const State from : {State::declined, State::failed, State::canceled}) {
        for (const State to : all_states) {
            EXPECT_EQ(may_move(from, to), captured(to) || to == State::needs_review)
                << to_text(from) << " -> " << to_text(to);
        }
    }
}

TEST(PaymentState, OpenAttemptWaitsInAnyOrderAndBeginsOnce) {
    for (const State from : all_states) {
        const bool open = from == State::created || from == State::calling || waits(from);
        EXPECT_FALSE(may_move(from, State::created)) << to_text(from);
        EXPECT_EQ(may_move(from, State::calling), from == State::created) << to_text(from);
        for (const State to : all_states) {
            if (from == to || to == State::created || to == State::calling || captured(to))
                continue;
            const bool reported = from == State::needs_review && to != State::unknown;
            if (open || from == State::needs_review) {
                EXPECT_EQ(may_move(from, to), open || reported)
                    << to_text(from) << " -> " << to_text(to);
            }
        }
    }
}

TEST(PaymentState, AnswersAreGivenOnceNothingIsExpectedSoon) {
    for (const State state : all_states) {
        const bool result = captured(state) || closed_without_money(state) ||
                            state == State::authorized || state == State::needs_review;
        EXPECT_EQ(is_settled(state), result) << to_text(state);
        EXPECT_EQ(is_answered(state),
                  result || state == State::requires_action || state == State::processing)
            << to_text(state);
        EXPECT_EQ(is_final(state), captured(state) || closed_without_money(state))
            << to_text(state);
    }
}

TEST(RefundStates, MayBounceAndSucceedAfterAll) {
    for (const RefundState from : all_refund_states) {
        const bool final_state = from == RefundState::succeeded || from == RefundState::failed;
        for (const RefundState to : all_refund_states) {
            const bool to_final = to == RefundState::succeeded || to == RefundState::failed;
            bool allowed = from != to && to != RefundState::created;
            if (to == RefundState::calling) allowed = from == RefundState::created;
            if (final_state) allowed = from != to && to_final;
            if (from == RefundState::needs_review) {
                allowed = to_final || to == RefundState::processing;
            }
            EXPECT_EQ(may_move(from, to), allowed) << to_text(from) << " -> " << to_text(to);
        }
    }
}

}  // namespace
}  // namespace pawl::payments
