// Payments through the sandbox, a fifth of whose requests go wrong, while the server is killed once
// a second. For each order exactly one successful charge in the sandbox's own count, or none where
// it was declined; one credit; nothing without a future. PAWL_E2E_PAYMENTS=5000 is the whole proof
// (`make proof`), PAWL_E2E_SEED repeats a run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "base/rng.hpp"
#include "tests/e2e/pay_case.hpp"
#include "tests/e2e/sandbox_program.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* given = std::getenv(variable);
    return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

std::vector<std::string> a_fifth_goes_wrong() {
    return {"timeout_after=3:1500",
            "timeout_before=2:1500",
            "reset_before=2",
            "reset_after=3",
            "conflict=1",
            "rate_limit=1:1",
            "unavailable=2",
            "error_after=2",
            "decline=2",
            "webhook_first=1:500",
            "webhook_repeated=1:3"};
}

class PayCrash : public ::testing::Test {
  protected:
    std::string value(const std::string& sql) { return database.value(sql); }
    std::string unfinished() {
        return value("SELECT count(*) FROM workflow_runs WHERE status = 'running'");
    }
    TestDatabase database;
    Folder folder;
};

TEST_F(PayCrash, EachOrderIsChargedOnceWhileAFifthGoesWrongAndTheServerIsKilledOnceASecond) {
    const auto count = static_cast<int>(number_from("PAWL_E2E_PAYMENTS", 150));
    const std::uint64_t seed = number_from("PAWL_E2E_SEED", SecureRng().next() % 100000);
    std::printf("  PAWL_E2E_SEED=%llu PAWL_E2E_PAYMENTS=%d\n",
                static_cast<unsigned long long>(seed), count);
    ServerOptions options{.data_dir = folder / "data", .database_url = database.url()};
    options.config = copied_config(folder);
    options.port = free_port();
    const SandboxProgram sandbox(options.port, a_fifth_goes_wrong(), seed);
    point_gateway_at(options.config, sandbox, "1s");
    Server server(options);
    server.start();

    db::Session session(database.options());
    int begun = 0;
    int kills = 0;
    const int each_second = std::max(count / 8, 100);
    const auto give_up = std::chrono::steady_clock::now() + seconds(120 + count / 10);
    while (begun < count || unfinished() != "0") {
        const auto next_kill = std::chrono::steady_clock::now() + seconds(1);
        for (int i = 0; i < each_second && begun < count; ++i) {
            begin_payment(session, "o" + std::to_string(begun++));
        }
        std::this_thread::sleep_until(next_kill);
        ASSERT_LT(std::chrono::steady_clock::now(), give_up) << unfinished() << " unfinished";
        // Remaining runs wait for a lease to expire, or for their turn: kills continue meanwhile.
        server.kill_now();
        ++kills;
        server.start();
    }
    std::printf("  %d kills\n", kills);

    const auto counts = sandbox.counts();
    EXPECT_GT(counts.faults.size(), 5U);
    EXPECT_EQ(value("SELECT string_agg(DISTINCT state, ',') FROM payments WHERE state NOT IN "
                    "('succeeded', 'declined')"),
              "");
    for (int i = 0; i < count; ++i) {
        const std::string order = "o" + std::to_string(i);
        const std::string state =
            value("SELECT state FROM payments WHERE order_id = '" + order + "'");
        const auto found = counts.by_order.find(order);
        const std::int64_t charged = found == counts.by_order.end() ? 0 : found->second;
        EXPECT_EQ(charged, state == "succeeded" ? 1 : 0) << order << " is " << state;
    }
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), std::to_string(counts.charges));
    EXPECT_EQ(value("SELECT sum(amount) FROM balances"),
              std::to_string(counts.charges * order_amount));
    expect_proven_end(session, server);
}

}  // namespace
}  // namespace pawl::testing
