#include "payments/view.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace pawl::payments {
namespace {

Payment payment_in(State state, bool overpaid = false) {
    Payment payment;
    payment.state = state;
    payment.overpaid = overpaid;
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

TEST(OrderView, SaysInOneWordWhatBecameOfTheOrder) {
    struct Case {
        const char* name;
        std::vector<Payment> payments;
        const char* state;
    };
    const Case cases[] = {
        {"nothing tried", {}, "open"},
        {"declined", {payment_in(State::declined)}, "open"},
        {"tried again", {payment_in(State::declined), payment_in(State::calling)}, "in_progress"},
        {"payer must act", {payment_in(State::requires_action)}, "in_progress"},
        {"paid", {payment_in(State::canceled), payment_in(State::succeeded)}, "paid"},
        {"paid twice",
         {payment_in(State::succeeded, true), payment_in(State::refunded)},
         "refunded"},
        {"a person must look", {payment_in(State::needs_review)}, "needs_review"}};
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
