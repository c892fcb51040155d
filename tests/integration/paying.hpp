// An engine with the shipped workflows, a gateway that counts, and a clock that stands still: what
// tests of paying share. For one thread.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "intents/accept/accept.hpp"
#include "intents/verify/verify.hpp"
#include "payments/payments.hpp"
#include "payments/refunds.hpp"
#include "tests/support/counting_gateway.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"
#include "workflows/capture/capture_payment.hpp"
#include "workflows/charge/charge_order.hpp"
#include "workflows/engine/engine.hpp"
#include "workflows/operating.hpp"
#include "workflows/refund/refund_payment.hpp"

namespace pawl::workflows {

class Paying : public ::testing::Test {
  protected:
    Paying();
    ~Paying() override;

    testing::CountingGateway& add_gateway(const std::string& name);
    // Another process: an engine of its own, with sessions of its own.
    std::unique_ptr<Engine> another_engine();

    payments::Payment begin(const std::string& order, const std::string& gateway = "test",
                            std::int64_t amount = 5000, const std::string& account = "user:1",
                            bool manual_capture = false);
    // A payment of 5000 that was charged and credited.
    payments::Payment paid(const std::string& order = "o1");
    // Its refund, allocated and started; NotRefundable where the ceiling does not allow it.
    std::variant<payments::Refund, payments::NotRefundable> begin_refund(
        const payments::Payment& payment, std::int64_t amount);
    // Sets every clock `time` forward.
    void let_pass(Duration time);
    // Runs rounds, with the clock `later` forward, until none claims a run; returns all claims.
    std::size_t rounds(Duration later = Duration{});
    void pass_until_settled(const std::string& payment_id, Duration step, int steps_max = 200);
    // A process that ends in the middle of a step: nothing after the point happens.
    void crash_at(const std::string& where);
    // As if the process that held them had ended a while ago.
    void let_leases_run_out();

    payments::Payment payment(const std::string& id);
    std::string state(const std::string& id) {
        return std::string(payments::to_text(payment(id).state));
    }
    payments::Refund refund(const std::string& id);
    std::string refund_state(const std::string& id) {
        return std::string(payments::to_text(refund(id).state));
    }
    std::string value(const std::string& sql) { return database.value(sql); }
    std::int64_t balance(const std::string& account = "user:1");
    void expect_books_hold();
    // The provider's own webhook about a payment, as the shipped capture rule reads it.
    void webhook(const std::string& event_id, const payments::Payment& about,
                 std::int64_t amount = 5000, bool total = false);
    // A signal for the run under `key`, as a rule without a movement sends it; `amount`: how much.
    void signal(const std::string& key, std::optional<std::int64_t> amount = std::nullopt);
    void signal(const std::string& key, const std::optional<Money>& moved,
                const std::string& reference);
    // An operator's decision about the call under `key`.
    Result<RunChange> resolve_call(const std::string& key, const std::string& outcome,
                                   const std::string& reference, bool force = false);
    std::uint64_t stale_writes() {
        return metrics.counter("pawl_stale_writes_rejected_total", "").alone().value();
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    db::Pool sessions{database.options(), 4};
    ManualClock clock;
    Metrics metrics;
    Gateways gateways;
    testing::CountingGateway* gateway = nullptr;
    std::unique_ptr<WorkflowDeps> parts;
    std::unique_ptr<Engine> engine;
    std::unique_ptr<db::Pool> other_sessions;
};

}  // namespace pawl::workflows
