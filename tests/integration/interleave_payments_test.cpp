// Two transactions about one order, in every order in which their statements can meet: steps of its
// runs, requests of clients, operators. All of them lock run, order, payment, capture or refund in
// this order, so none waits for another in a circle.
#include <gtest/gtest.h>

#include <functional>

#include "intents/accept/accept.hpp"
#include "payments/captures.hpp"
#include "payments/refunds.hpp"
#include "tests/integration/interleaving.hpp"
#include "tests/support/counting_gateway.hpp"
#include "workflows/capture/capture_payment.hpp"
#include "workflows/charge/charge_order.hpp"
#include "workflows/engine/engine.hpp"
#include "workflows/operating.hpp"
#include "workflows/refund/refund_payment.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

using testing::Schedule;
using ClaimedRun = Run;  // `Run` is a member of gtest's classes

class OrderLocks : public ::testing::Test {
  protected:
    using Party = std::function<void(db::Session&)>;

    OrderLocks() {
        auto counting = std::make_unique<testing::CountingGateway>("test");
        gateway = counting.get();
        gateways.emplace("test", std::move(counting));
        EngineOptions options;
        options.lanes["test"] = {4, 0};
        engine = std::make_unique<Engine>(
            options,
            std::vector<Workflow>{charge_order(parts), capture_payment(parts),
                                  refund_payment(parts)},
            sessions, clock, metrics);
    }

    // In every order of their steps the two end without a circle, and the order like `ends`.
    void meet(const char* name, const std::function<void()>& before, const Party& a, const Party& b,
              const std::set<std::string>& ends) {
        testing::in_every_order(
            name, ground, Schedule::Leave::many_switches, [&](Schedule& schedule) {
                before();
                remember_runs();
                for (std::size_t side = 0; side < 2; ++side) {
                    ground.sides[side]->begin([party = side == 0 ? a : b](db::Session& session) {
                        party(session);
                        return std::vector<intents::DeliveryResult>();
                    });
                }
                testing::StepLog step_log = testing::drive(ground.sides, schedule);
                EXPECT_TRUE(ends.contains(end())) << end() << " after " << step_log.text();
                return step_log;
            });
    }

    // Read before the two begin: their own statements are steps.
    void remember_runs() {
        constexpr db::Query all{"test_runs", "SELECT key, run_id, lease FROM workflow_runs"};
        runs.clear();
        for (const auto& row : db::Statement::run(ground.look, all).named()) {
            ClaimedRun& claimed = runs[row.at("key")];
            claimed.id = std::stoll(row.at("run_id"));
            claimed.fencing_token = std::stoll(row.at("lease"));
        }
    }

    std::string end() {
        return ground.database.value(
            "SELECT concat_ws(', ', "
            "(SELECT string_agg(key || ' ' || state, ', ' ORDER BY key) FROM payments), "
            "(SELECT string_agg(key || ' ' || state, ', ' ORDER BY key) FROM captures), "
            "(SELECT 'and a cancel' FROM captures JOIN payments USING (payment_id) "
            "WHERE cancel_requested LIMIT 1), "
            "(SELECT string_agg(key || ' ' || state, ', ' ORDER BY key) FROM refunds), "
            "(SELECT sum(amount) FROM balances))");
    }

    payments::Payment begin_payment(bool manual_capture = false) {
        payments::Payment begun;
        db::in_transaction(ground.look, [&](db::Transaction& transaction) {
            payments::Order order;
            order.id = "o1";
            order.amount = {5000, Currency::parse("USD").value()};
            order.account = AccountId("user:1");
            order.gateway = "test";
            payments::put_order(transaction, order, std::nullopt, clock.now());
            begun = std::get<payments::Payment>(next_attempt(transaction, manual_capture).value());
            start_charge(transaction, begun, clock.now());
        });
        return begun;
    }
    void rounds() {
        while (engine->run_once() != 0) {
        }
    }
    void pay() {
        begin_payment();
        rounds();
    }
    void begin_refund(const std::string& id, std::int64_t amount) {
        ask_for_refund(id, amount)(ground.look);
    }
    // As if the gateway had just answered "succeeded" to the run under `key`.
    void stand_at_settle(const std::string& key, std::int64_t moved) {
        const std::string of_key = " WHERE key = '" + key + "'";
        ground.database.run(
            "INSERT INTO external_calls (key, key_sent, gateway, operation, run_id, method, path, "
            "content_type, request, outcome, sends, first_sent_at, reference, moved, currency, "
            "created_at) SELECT key, key, 'test', 'test', run_id, 'POST', '/', '', '', "
            "'succeeded', 1, now(), 'ref_' || key, " +
            std::to_string(moved) + ", 'USD', now() FROM workflow_runs" + of_key +
            " ON CONFLICT DO NOTHING;"
            "UPDATE workflow_runs SET step = 'settle', status = 'running', wake_at = now()" +
            of_key + ";UPDATE refunds SET state = 'calling'" + of_key);
    }

    std::optional<payments::Allocated> next_attempt(db::Transaction& transaction,
                                                    bool manual_capture = false) {
        const auto order = payments::find_order(transaction, "o1", payments::Lock::row);
        if (!order) return std::nullopt;
        const std::string id = "pay_" + std::to_string(order->attempts + 1);
        payments::NewPayment wanted{id, "", "test", CorrelationId("c")};
        wanted.manual_capture = manual_capture;
        return payments::allocate(transaction, *order, wanted, clock.now());
    }

    // A worker that has claimed the run under `key`, at its step `settle`.
    Party settle(const std::string& key) {
        return [this, key](db::Session& session) {
            ClaimedRun claimed = runs.at(key);
            const Workflow of = key.starts_with("pay:")       ? charge_order(parts)
                                : key.starts_with("capture:") ? capture_payment(parts)
                                                              : refund_payment(parts);
            const auto& step = std::get<LocalStep>(of.find("settle")->does);
            db::in_transaction(session, [&](db::Transaction& transaction) {
                const auto held = transaction.run(sql::HoldRun{
                    .run_id = claimed.id, .lease = claimed.fencing_token, .lease_seconds = 30});
                if (held.empty()) return;  // an operator has taken the run over
                claimed.state = held[0].state();
                static_cast<void>(step(transaction, StepContext{claimed, {}, clock.now()}));
            });
        };
    }
    Party ask_for_refund(const std::string& id, std::int64_t amount) {
        return [this, id, amount](db::Session& session) {
            db::in_transaction(session, [&](db::Transaction& transaction) {
                const auto payment = payments::find_payment(transaction, "pay_1").value();
                const auto made = payments::allocate_refund(
                    transaction, payment, {id, amount, CorrelationId("c")}, clock.now());
                const auto* refund = std::get_if<payments::Refund>(&made);
                if (refund != nullptr) start_refund(transaction, *refund, payment, clock.now());
            });
        };
    }
    Party ask_for_capture(const std::string& id, std::int64_t amount) {
        return [this, id, amount](db::Session& session) {
            db::in_transaction(session, [&](db::Transaction& transaction) {
                const auto payment = payments::find_payment(transaction, "pay_1").value();
                const auto made = payments::allocate_capture(
                    transaction, payment, {id, amount, false, CorrelationId("c")}, clock.now());
                const auto* capture = std::get_if<payments::Capture>(&made);
                if (capture != nullptr) start_capture(transaction, *capture, payment, clock.now());
            });
        };
    }
    Party ask_for_payment() {
        return [this](db::Session& session) {
            db::in_transaction(session, [&](db::Transaction& transaction) {
                const auto made = next_attempt(transaction).value();
                const auto* payment = std::get_if<payments::Payment>(&made);
                if (payment != nullptr) start_charge(transaction, *payment, clock.now());
            });
        };
    }
    Party ask_for_cancel() {
        return [this](db::Session& session) {
            db::in_transaction(session, [&](db::Transaction& transaction) {
                const auto payment = payments::find_payment(transaction, "pay_1").value();
                request_cancel(transaction, payment, clock.now());
            });
        };
    }
    Party operate(RunAct act) {
        return [this, act](db::Session& session) {
            RunInstruction instruction;
            instruction.act = act;
            instruction.run_id = runs.at("pay:o1:1").id;
            instruction.principal = "ana";
            instruction.reason = "test";
            // Refused is fine, where the worker was faster.
            static_cast<void>(apply_operator_action(session, instruction, clock.now()));
        };
    }

    testing::Ground ground;
    db::Pool sessions{ground.database.options(), 2};
    ManualClock clock{SystemClock().now()};
    Metrics metrics;
    Gateways gateways;
    testing::CountingGateway* gateway = nullptr;
    WorkflowDeps parts{gateways, intents::post_money,
                       metrics.counter("pawl_external_calls_total", "", {"gateway", "outcome"})};
    std::unique_ptr<Engine> engine;
    std::map<std::string, ClaimedRun> runs;  // by key
};

TEST_F(OrderLocks, APaymentThatSettlesAgainAndANewRefundOfIt) {
    meet("a payment that settles again and a new refund of it",
         [&] {
             pay();
             stand_at_settle("pay:o1:1", 5000);
         },
         settle("pay:o1:1"), ask_for_refund("ref_1", 3000),
         {"pay:o1:1 succeeded, refund:o1:1 created, 5000"});
}

TEST_F(OrderLocks, TwoRefundsOfOnePaymentThatSettle) {
    meet("two refunds of one payment that settle",
         [&] {
             pay();
             begin_refund("ref_1", 3000);
             begin_refund("ref_2", 2000);
             stand_at_settle("refund:o1:1", 3000);
             stand_at_settle("refund:o1:2", 2000);
         },
         settle("refund:o1:1"), settle("refund:o1:2"),
         {"pay:o1:1 refunded, refund:o1:1 succeeded, refund:o1:2 succeeded, 0"});
}

TEST_F(OrderLocks, ARefundThatSettlesAndANewOne) {
    meet("a refund that settles and a new one",
         [&] {
             pay();
             begin_refund("ref_1", 3000);
             stand_at_settle("refund:o1:1", 3000);
         },
         settle("refund:o1:1"), ask_for_refund("ref_2", 2000),
         {"pay:o1:1 partially_refunded, refund:o1:1 succeeded, refund:o1:2 created, 2000"});
}

TEST_F(OrderLocks, AnOperatorsNewAttemptAndARequestForOne) {
    meet("an operator's new attempt and a request for one",
         [&] {
             gateway->faults = {testing::Fault::timeout_before};
             pay();
         },
         operate(RunAct::new_attempt), ask_for_payment(), {"pay:o1:1 canceled, pay:o1:2 created"});
}

TEST_F(OrderLocks, AnOperatorsNewAttemptAndThePaymentThatSettles) {
    meet("an operator's new attempt and the payment that settles",
         [&] {
             gateway->faults = {testing::Fault::timeout_before};
             pay();
             stand_at_settle("pay:o1:1", 5000);
             ground.database.run(
                 "UPDATE external_calls SET outcome = 'succeeded', moved = 5000, currency = 'USD', "
                 "reference = 'ref_1'");
         },
         operate(RunAct::new_attempt), settle("pay:o1:1"),
         {"pay:o1:1 canceled, pay:o1:2 created", "pay:o1:1 succeeded, 5000"});
}

TEST_F(OrderLocks, ACancelAndThePaymentThatSettles) {
    meet("a cancel and the payment that settles",
         [&] {
             begin_payment();
             stand_at_settle("pay:o1:1", 5000);
         },
         settle("pay:o1:1"), ask_for_cancel(),
         {"pay:o1:1 succeeded, 5000", "pay:o1:1 succeeded, refund:o1:1 created, 5000"});
}

TEST_F(OrderLocks, TwoCapturesOfOnePayment) {
    meet("two captures of one payment",
         [&] {
             begin_payment(true);
             rounds();
         },
         ask_for_capture("cap_1", 3000), ask_for_capture("cap_2", 3000),
         {"pay:o1:1 authorized, capture:o1:1:1 created"});
}

TEST_F(OrderLocks, ACaptureAndACancelExcludeEachOther) {
    meet("a capture and a cancel",
         [&] {
             begin_payment(true);
             rounds();
         },
         ask_for_capture("cap_1", 3000), ask_for_cancel(),
         {"pay:o1:1 authorized, capture:o1:1:1 created", "pay:o1:1 authorized"});
}

TEST_F(OrderLocks, ACaptureThatSettlesAndACancel) {
    meet("a capture that settles and a cancel",
         [&] {
             begin_payment(true);
             rounds();
             ask_for_capture("cap_1", 5000)(ground.look);
             stand_at_settle("capture:o1:1:1", 5000);
             ground.database.run("UPDATE external_calls SET reference = 'ref_pay:o1:1'");
         },
         settle("capture:o1:1:1"), ask_for_cancel(),
         {"pay:o1:1 succeeded, capture:o1:1:1 succeeded, 5000"});
}

// Under the locks of a step rows that refer to the order and to the payment can be written at once.
TEST_F(OrderLocks, KeepNoForeignKeyWaiting) {
    pay();
    db::in_transaction(ground.look, [&](db::Transaction& transaction) {
        ASSERT_TRUE(payments::find_payment(transaction, "pay_1", payments::Lock::row));
        ground.database.run(
            "SET lock_timeout = '1s';"
            "INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, state, "
            "amount, currency, account, correlation_id, created_at, updated_at) "
            "VALUES ('pay_9', 'o1', 9, 'pay:o1:9', 'test', 'test', 'failed', 1, 'USD', 'user:1', "
            "'c', now(), now());"
            "INSERT INTO captures (capture_id, payment_id, n, key, state, amount, final, "
            "correlation_id, created_at, updated_at) "
            "VALUES ('cap_1', 'pay_1', 1, 'capture:o1:1:1', 'created', 1, true, 'c', now(), "
            "now())");
    });
    EXPECT_EQ(ground.database.value("SELECT count(*) FROM captures"), "1");
}

}  // namespace
}  // namespace pawl::workflows
