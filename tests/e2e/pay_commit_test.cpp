// In-doubt commits of payments: a recovery point is committed and its answer is lost, or it never
// arrives, at each commit in turn. One charge, one credit.
#include <gtest/gtest.h>

#include <thread>

#include "base/rng.hpp"
#include "tests/e2e/database_proxy.hpp"
#include "tests/e2e/pay_case.hpp"
#include "tests/e2e/sandbox_program.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

TEST(PayCommit, LostWithOrWithoutItsAnswerAtAnyRecoveryPointItIsOneCharge) {
    constexpr int payments = 16;
    constexpr std::uint64_t longest_wait_ms = 40;  // a payment takes about that long
    const TestDatabase database;
    const Folder folder;
    DatabaseProxy proxy(database.url());
    ServerOptions options{.data_dir = folder / "data", .database_url = proxy.url()};
    options.config = copied_config(folder);
    options.port = free_port();
    const SandboxProgram sandbox(options.port, {});
    point_gateway_at(options.config, sandbox, "2s");
    shorten_leases(options.config, "3s");
    Server server(options);
    server.start();

    db::Session session(database.options());
    SeededRng rng(7);
    for (int i = 0; i < payments; ++i) {
        const std::string order = "o" + std::to_string(i);
        begin_payment(session, order);
        std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(longest_wait_ms)));
        i % 2 == 0 ? proxy.lose_next_commits_answer() : proxy.lose_next_commit();
        ASSERT_TRUE(eventually([&] {
            return database.value("SELECT state FROM payments WHERE order_id = '" + order + "'") ==
                   "succeeded";
        })) << order;
    }
    EXPECT_GE(proxy.commits_lost(), payments / 2);
    EXPECT_EQ(sandbox.counts().charges, payments);
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), std::to_string(payments));
    EXPECT_EQ(database.value("SELECT max(amount) FROM balances"), std::to_string(order_amount));
}

}  // namespace
}  // namespace pawl::testing
