// A server is suspended (SIGSTOP) between the commit that records a send and the send, for longer
// than its lease. Another one finishes the payment. The first resumes: it sends nothing, writes
// nothing, and counts the rejected write.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/http_client.hpp"
#include "tests/e2e/pay_case.hpp"
#include "tests/e2e/sandbox_program.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

TEST(PayLease, AServerStoppedPastItsLeaseSendsNothingMoreAndWritesNothing) {
    const TestDatabase database;
    const Folder folder;
    ServerOptions options{.data_dir = folder / "a", .database_url = database.url()};
    options.config = copied_config(folder);
    options.port = free_port();
    const SandboxProgram sandbox(options.port, {});
    point_gateway_at(options.config, sandbox, "2s");
    shorten_leases(options.config, "3s");

    ServerOptions stopping = options;
    stopping.port = 0;
    stopping.data_dir = folder / "b";
    stopping.faults = "after_pin_before_call=stop";
    Server first(stopping);
    first.start();
    db::Session session(database.options());
    begin_payment(session, "o1");
    const auto value = [&](const std::string& sql) { return database.value(sql); };
    ASSERT_TRUE(eventually([&] { return value("SELECT sum(sends) FROM external_calls") == "1"; }));
    EXPECT_EQ(sandbox.counts().charges, 0);

    Server second(options);
    second.start();
    ASSERT_TRUE(eventually([&] { return value("SELECT state FROM payments") == "succeeded"; }));
    EXPECT_EQ(sandbox.counts().charges, 1);
    const std::string before = value("SELECT json_agg((p.xmin::text, p)) FROM payments p");

    first.signal(SIGCONT);
    EXPECT_TRUE(eventually([&] {
        return HttpClient(first.admin_port())
                   .get("/metrics")
                   .body.find("\npawl_stale_writes_rejected_total 1\n") != std::string::npos;
    }));
    EXPECT_EQ(sandbox.sends_of("pay:o1:1"), 1);
    EXPECT_EQ(value("SELECT json_agg((p.xmin::text, p)) FROM payments p"), before);
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "1");
}

}  // namespace
}  // namespace pawl::testing
