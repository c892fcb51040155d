// Authorizations through the sandbox, a fifth of whose requests go wrong, while the server is
// killed once a second: a third is captured whole, a third in two parts, a third voided. Each
// capture that succeeded was executed once by the sandbox's own count, each that failed not at all,
// and the books have what it has. PAWL_E2E_SEED repeats a run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "base/rng.hpp"
#include "payments/captures.hpp"
#include "tests/e2e/pay_case.hpp"
#include "tests/e2e/sandbox_program.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"
#include "workflows/capture/capture_payment.hpp"
#include "workflows/charge/charge_order.hpp"

namespace pawl::testing {
namespace {

using payments::Payment;
using std::chrono::seconds;

enum class Plan { whole, parts, voided };
constexpr std::int64_t first_part = 2000, last_part = 1500;

void capture(db::Transaction& transaction, const Payment& payment, std::int64_t amount,
             bool final) {
    const Time now = SystemClock().now();
    const payments::NewCapture wanted{payments::new_capture_id(), amount, final,
                                      payment.correlation_id};
    const auto made = payments::allocate_capture(transaction, payment, wanted, now);
    if (const auto* one = std::get_if<payments::Capture>(&made)) {
        workflows::start_capture(transaction, *one, payment, now);
    }
}

// The next thing that a shop would ask for. Returns true once there is nothing left to ask.
bool pursue(db::Transaction& transaction, const Payment& payment, Plan plan) {
    if (payments::ended_without_capture(payment.state)) return true;
    const bool captured = payment.captured > 0;
    if (payments::is_closed(payment) && captured) return true;
    if (payment.state != payments::State::authorized && !captured) return false;
    if (payments::capture_under_way(transaction, payment) || payment.cancel_requested) return false;
    if (plan == Plan::voided) {
        workflows::request_cancel(transaction, payment, SystemClock().now());
    } else if (plan == Plan::whole) {
        capture(transaction, payment, order_amount, true);
    } else {
        capture(transaction, payment, captured ? last_part : first_part, captured);
    }
    return false;
}

class PayCapture : public ::testing::Test {
  protected:
    std::string value(const std::string& sql) { return database.value(sql); }
    // Returns the number of orders that have not come to their end.
    int pursue_all(db::Session& session, int orders) {
        int open = 0;
        for (int i = 0; i < orders; ++i) {
            const std::string order = "o" + std::to_string(i);
            bool ended = false;
            db::in_transaction(session, [&](db::Transaction& transaction) {
                const auto all = payments::payments_of(transaction, order);
                ended = pursue(transaction, all.back(), static_cast<Plan>(i % 3));
            });
            if (!ended) ++open;
        }
        return open;
    }
    // Compares an order with its plan, and its captures with the sandbox's own count.
    static std::int64_t captured_of(db::Session& session, int i,
                                    const SandboxProgram::Counts& counts) {
        db::Transaction transaction(session);
        const auto payment = payments::payments_of(transaction, "o" + std::to_string(i)).back();
        const std::int64_t wanted[] = {order_amount, first_part + last_part, 0};
        EXPECT_EQ(payment.captured, wanted[i % 3]) << payment.key;
        EXPECT_EQ(payment.capturable, 0) << payment.key;
        for (const auto& one : payments::captures_of(transaction, payment)) {
            const auto found = counts.captures_by_key.find(one.key);
            const std::int64_t executed = found == counts.captures_by_key.end() ? 0 : found->second;
            EXPECT_EQ(executed, one.state == payments::CaptureState::succeeded ? 1 : 0) << one.key;
        }
        return payment.captured;
    }
    TestDatabase database;
    Folder folder;
};

std::vector<std::string> a_fifth_goes_wrong() {
    return {
        "timeout_after=5:1500", "timeout_before=3:1500", "reset_before=2", "reset_after=4",
        "conflict=1",           "unavailable=1",         "error_after=3",  "webhook_first=1:500"};
}

TEST_F(PayCapture, EachCaptureIsExecutedOnceWhileAFifthGoesWrongAndTheServerIsKilledOnceASecond) {
    constexpr int orders = 45;
    const char* given = std::getenv("PAWL_E2E_SEED");
    const std::uint64_t seed =
        given != nullptr ? std::strtoull(given, nullptr, 10) : SecureRng().next() % 100000;
    std::printf("  PAWL_E2E_SEED=%llu\n", static_cast<unsigned long long>(seed));
    ServerOptions options{.data_dir = folder / "data", .database_url = database.url()};
    options.config = copied_config(folder);
    options.port = free_port();
    const SandboxProgram sandbox(options.port, a_fifth_goes_wrong(), seed);
    point_gateway_at(options.config, sandbox, "1s");
    shorten_leases(options.config, "3s");
    Server server(options);
    server.start();

    db::Session session(database.options());
    for (int i = 0; i < orders; ++i) begin_payment(session, "o" + std::to_string(i), true);
    const auto give_up = std::chrono::steady_clock::now() + seconds(240);
    int kills = 0;
    for (int open = orders; open > 0;) {
        std::this_thread::sleep_for(seconds(1));
        ASSERT_LT(std::chrono::steady_clock::now(), give_up)
            << open << " open: " << value("SELECT string_agg(state, ',') FROM payments");
        open = pursue_all(session, orders);
        server.kill_now();
        ++kills;
        server.start();
    }
    ASSERT_TRUE(eventually([&] {
        return value("SELECT count(*) FROM workflow_runs WHERE status = 'running'") == "0";
    }));
    std::printf("  %d kills\n", kills);

    const auto counts = sandbox.counts();
    EXPECT_GT(counts.faults.size(), 4U);
    EXPECT_EQ(value("SELECT count(*) FROM workflow_runs WHERE status = 'needs_review'"), "0");
    std::int64_t captured = 0;
    for (int i = 0; i < orders; ++i) captured += captured_of(session, i, counts);
    EXPECT_EQ(counts.usd_charged, captured);
    EXPECT_EQ(value("SELECT sum(amount) FROM balances"), std::to_string(captured));
    expect_proven_end(session, server);
}

}  // namespace
}  // namespace pawl::testing
