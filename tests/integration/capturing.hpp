// Fixture of the tests of authorized payments: a payment of 5000 in books that report captures as a
// running total, and its captures. For one thread.
#pragma once

#include "tests/integration/paying.hpp"

namespace pawl::workflows {

class Capturing : public Paying {
  protected:
    using Allocated = std::variant<payments::Capture, payments::NotCapturable>;

    Capturing() { gateway->report_captures(CaptureShape::total); }

    payments::Payment begin_manual(const std::string& order = "o1") {
        return begin(order, "test", 5000, "user:1", true);
    }
    payments::Payment authorized(const std::string& order = "o1") {
        const auto begun = begin_manual(order);
        rounds();
        EXPECT_EQ(state(begun.id), "authorized");
        return payment(begun.id);
    }
    Allocated try_capture(const payments::Payment& of,
                          std::optional<std::int64_t> amount = std::nullopt, bool final = true);
    payments::Capture begin_capture(const payments::Payment& of,
                                    std::optional<std::int64_t> amount = std::nullopt,
                                    bool final = true) {
        return std::get<payments::Capture>(try_capture(of, amount, final));
    }
    std::string refusal(const payments::Payment& of,
                        std::optional<std::int64_t> amount = std::nullopt) {
        const auto refused = try_capture(of, amount);
        const auto* why = std::get_if<payments::NotCapturable>(&refused);
        return why == nullptr ? "" : why->code;
    }
    payments::Capture capture(const std::string& id);
    std::string capture_state(const std::string& id) {
        return std::string(payments::to_text(capture(id).state));
    }
    bool cancel(const payments::Payment& payment);
    std::string run_of(const std::string& key) {
        return value("SELECT status FROM workflow_runs WHERE key = '" + key + "'");
    }
    // The amount that another payment of the order may ask for.
    std::int64_t due(const std::string& order = "o1");
    // The gateway's own report of all that was captured so far.
    void report(const std::string& event_id, const payments::Payment& about, std::int64_t total) {
        webhook(event_id, about, total, true);
    }
};

}  // namespace pawl::workflows
