#include "payments/view.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace pawl::payments {
namespace {

Payment payment_in(State state, std::int64_t captured = 0, std::int64_t returned = 0) {
    Payment payment;
    payment.state = state;
    payment.captured = captured;
    payment.returned = returned;
    payment.amount = {5000, Currency::parse("USD").value()};
    return payment;
}

std::string state_of_order_with(const std::vector<Payment>& payments) {
    Order order;
    order.amount = {5000, Currency::parse("USD").value()};
    const std::string text = order_json(order, payments);
    const auto document = json::Document::parse(text);
    return document->root().at(json::Pointer::parse("/state").value())->text().value();
}

TEST(OrderView, StatesTheOrdersResultInOneWord) {
    struct Case {
        const char* name;
        std::vector<Payment> payments;
        const char* state;
    };
    const Case cases[] = {
        {"nothing tried", {}, "open"},
        {"declined", {payment_in(State::declined)}, "open"},
        {"tried again", {payment_in(State::declined), payment_in(State::calling)}, "open"},
        {"a part paid", {payment_in(State::succeeded, 4000)}, "partly_paid"},
        {"two parts paid",
         {payment_in(State::succeeded, 4000), payment_in(State::succeeded, 1000)},
         "paid"},
        {"paid", {payment_in(State::canceled), payment_in(State::succeeded, 5000)}, "paid"},
        {"paid twice",
         {payment_in(State::succeeded, 5000), payment_in(State::succeeded, 5000)},
         "overpaid"},
        {"a part went back",
         {payment_in(State::partially_refunded, 5000, 100)},
         "partially_refunded"},
        {"all of it went back", {payment_in(State::refunded, 5000, 5000)}, "refunded"},
        {"disputed", {payment_in(State::disputed, 5000, 5000)}, "disputed"},
        {"an operator must look", {payment_in(State::needs_review)}, "open"}};
    for (const Case& one : cases) {
        EXPECT_EQ(state_of_order_with(one.payments), one.state) << one.name;
    }
}

TEST(PaymentView, IsStrictJsonWhateverItHolds) {
    Payment payment = payment_in(State::requires_action);
    payment.note = "a \"quoted\" note\n";
    payment.next_action = R"({"type": "redirect_to_url"})";
    const std::string text = payment_json(payment);
    const auto document = json::Document::parse(text);
    ASSERT_TRUE(document) << text;
    const auto action = document->root().at(json::Pointer::parse("/next_action/type").value());
    EXPECT_EQ(action->text(), "redirect_to_url");
    const auto reference = document->root().at(json::Pointer::parse("/reference").value());
    EXPECT_EQ(reference->kind(), json::Kind::null);
}

}  // namespace
}  // namespace pawl::payments
