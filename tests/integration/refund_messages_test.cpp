#include "jobs/postgres_queue.hpp"
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using namespace std::chrono_literals;

class RefundMessages : public Paying {
  protected:
    void refund(const payments::Payment& payment) {
        db::in_transaction(session, [&](db::Transaction& transaction) {
            const auto stored =
                payments::find_payment(transaction, payment.id, payments::Lock::row).value();
            auto allocated = payments::allocate_refund(
                transaction, stored,
                {"ref_" + payment.order_id, stored.amount.minor, CorrelationId("c")}, clock.now());
            start_refund(transaction, std::get<payments::Refund>(allocated), stored, clock.now());
        });
    }
};

TEST_F(RefundMessages, NameTheAccountSoThatOneThatIsStuckKeepsNoOtherAccountWaiting) {
    const auto a = begin("a", "test", 5000, "user:a");
    const auto b = begin("b", "test", 5000, "user:b");
    rounds();
    refund(a);
    rounds(1s);
    refund(b);
    rounds(1s);
    EXPECT_EQ(value("SELECT string_agg(payload->>'account', ' ' ORDER BY id) FROM staged_jobs "
                    "WHERE payload->>'type' = 'refund.succeeded'"),
              "user:a user:b");

    const SystemClock system_clock;
    jobs::PostgresQueue queue({}, database.options(), system_clock);
    queue.move({{"notify"}, {{"notify", "refund.", false, "shop", true}}}, 100, clock.now());
    // The first is held and never ends; the second is there to be had at the same time.
    const auto claimed = queue.exchange({}, {}, {{"notify", "shop", 8, 1, true}}, clock.now());
    EXPECT_EQ(claimed.claimed[0].size(), 2U);
}

}  // namespace
}  // namespace pawl::workflows
