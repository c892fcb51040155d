// Each state of a payment against everything that can arrive: what docs/payment-states.md says of
// each cell is what happens, and in no cell is money lost, doubled or left without an entry that
// waits for an operator.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "tests/matrix/matrix_case.hpp"

namespace pawl::workflows {
namespace {

using payments::State;

constexpr std::array states = {
    State::created,    State::calling,     State::unknown,   State::requires_action,
    State::processing, State::authorized,  State::succeeded, State::partially_refunded,
    State::refunded,   State::disputed,    State::declined,  State::failed,
    State::canceled,   State::needs_review};

std::string section_of(State state, const std::string& page) {
    const std::string heading = fmt::format("## `{}`\n", payments::to_text(state));
    const auto begins = page.find(heading);
    if (begins == std::string::npos) return "";
    const auto table = page.find("| arrives |", begins);
    const auto ends = page.find("\n\n", table);
    return page.substr(table, ends == std::string::npos ? std::string::npos : ends + 1 - table);
}

std::string row_of(std::string_view arrival, const Ending& ending) {
    return fmt::format("| {} | `{}` | {} | {} | {} | {} | {} | {} |\n", arrival, ending.payment,
                       ending.order, ending.captured, ending.returned, ending.account, ending.event,
                       ending.attention);
}

// Money that the payment API holds is on the account, or an event or an entry says why not.
void expect_nothing_lost(const Ending& ending, const std::string& cell) {
    if (ending.account == ending.held) return;
    const bool explained =
        !ending.attention.empty() || ending.event.find("parked") != std::string::npos;
    EXPECT_TRUE(explained) << cell << ": " << ending.held << " there, " << ending.account
                           << " here";
}

class PaymentStates : public ::testing::TestWithParam<State> {};

TEST_P(PaymentStates, EachArrivalEndsAsTheTableSays) {
    const State state = GetParam();
    std::string table =
        "| arrives | payment | order | captured | returned | account | event | attention |\n"
        "|---|---|---|---|---|---|---|---|\n";
    for (const std::string_view arrival : arrivals()) {
        MatrixCase cell(arrival == "answer: succeeded" || arrival == "webhook: succeeded");
        cell.reach(state);
        cell.arrive(state, arrival);
        const Ending ending = cell.end();
        table += row_of(arrival, ending);
        expect_nothing_lost(ending, fmt::format("{}, {}", payments::to_text(state), arrival));
        cell.expect_sound();
    }
    std::ostringstream page;
    page << std::ifstream(PAWL_SOURCE_DIR "/docs/payment-states.md").rdbuf();
    EXPECT_EQ(section_of(state, page.str()), table) << "docs/payment-states.md:\n" << table;
}

INSTANTIATE_TEST_SUITE_P(States, PaymentStates, ::testing::ValuesIn(states),
                         [](const auto& one) { return std::string(payments::to_text(one.param)); });

TEST(PaymentStatesPage, HasASectionForEachState) {
    for (int i = 0; payments::to_text(static_cast<State>(i)) != "needs_review"; ++i) {
        const State state = static_cast<State>(i);
        EXPECT_NE(std::find(states.begin(), states.end(), state), states.end())
            << payments::to_text(state);
    }
}

}  // namespace
}  // namespace pawl::workflows
