// A payment brought into one of its states, then one thing that arrives, then four hours. Owned by
// a test, for one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/matrix/sandbox_case.hpp"

namespace pawl::workflows {

// The columns of a cell.
struct Ending {
    std::string payment, order;
    std::int64_t captured = 0, returned = 0;
    std::int64_t account = 0;  // balance in USD
    std::string event;         // outcome of each event that arrived
    std::string attention;     // kinds of entries
    // Not in the table: what the payment API holds for the merchant.
    std::int64_t held = 0;
};

class MatrixCase : public SandboxCase {
  public:
    // `settles_soon`: what is processing succeeds within a second, else not while the case lasts.
    explicit MatrixCase(bool settles_soon);

    // Brings a payment of 5000 into the state. `calling` is left to `arrive`.
    void reach(payments::State state);
    // `calling`: it happens while the request is under way.
    void arrive(payments::State state, std::string_view what);
    Ending end();
    void expect_sound() { expect_books_hold(); }

  protected:
    friend struct Arrival;

    void answer_declined();
    void settle_there();
    void cancel();
    void capture_here();
    void days_pass(int days);
    void refund_here();
    void refund_there();
    void bounce();
    void dispute(std::string_view status);
    void resolve();
    void reverse();

    // The payment as the sandbox has it, with another amount received where one is given.
    std::string intent(std::int64_t received, const std::string& currency = "usd",
                       const std::string& id = "");
    std::string reference();
    void hear(const std::string& type, const std::string& object);
    payments::Payment current() { return payment(begun_.id); }
    bool charged_there() const { return moved_there("charged") > 0; }

    const bool settles_soon_;
    payments::Payment begun_;
    std::string refund_id_;   // at the payment API
    std::int64_t told_ = 0;   // moved there by what only an event reports
    bool withdrawn_ = false;  // what is disputed
    std::string refused_;     // why an act was refused
    int events_ = 0;
    int heard_before_ = 0;  // events that led to the state
};

// The names of all arrivals, in the order of the table.
const std::vector<std::string_view>& arrivals();

}  // namespace pawl::workflows
