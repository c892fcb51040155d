#include "tests/e2e/pay_case.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <sstream>

#include "intents/verify/verify.hpp"
#include "payments/payments.hpp"
#include "workflows/charge/charge_order.hpp"

namespace pawl::testing {

void begin_payment(db::Session& session, const std::string& order, bool manual_capture) {
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const Time now = SystemClock().now();
        payments::Order wanted;
        wanted.id = order;
        wanted.amount = {order_amount, Currency::parse("USD").value()};
        wanted.account = AccountId("user:" + order);
        wanted.gateway = "sandbox";
        payments::put_order(transaction, wanted, std::nullopt, now);
        const auto stored = payments::find_order(transaction, order, payments::Lock::row);
        payments::NewPayment attempt{"pay_" + order, "", "sandbox-test", CorrelationId(order)};
        attempt.manual_capture = manual_capture;
        auto allocated = payments::allocate(transaction, *stored, attempt, now);
        workflows::start_charge(transaction, std::get<payments::Payment>(allocated), now);
    });
}

void expect_proven_end(db::Session& session, Server& server) {
    for (const auto& invariant : intents::verify(session)) {
        EXPECT_TRUE(invariant.breaches.empty()) << invariant.name;
    }
    server.signal(SIGTERM);
    EXPECT_TRUE(server.ended_within(std::chrono::seconds(20)));
}

void shorten_leases(const std::string& config_folder, const std::string& lease) {
    const std::string path = config_folder + "/pawl.toml";
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::string changed = text.str();
    const std::string from = "lease         = \"30s\"";
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos);
    changed.replace(at, from.size(), "lease = \"" + lease + "\"");
    std::ofstream(path) << changed;
}

}  // namespace pawl::testing
