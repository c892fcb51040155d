// A batch of a file of captures, and a webhook of a payment in it, in every order in which their
// statements can meet: the payment is credited once, and neither waits for the other in a circle.
#include <functional>

#include "tests/integration/import_case.hpp"
#include "tests/integration/interleaving.hpp"

namespace pawl::intents {
namespace {

using testing::Schedule;

class ImportLocks : public ::testing::Test {
  protected:
    using Party = std::function<std::vector<DeliveryResult>(db::Session&)>;

    void meet(const char* name, CaptureShape shape, const testing::Said& webhook,
              const std::set<std::string>& ends, const std::vector<testing::Said>& before = {}) {
        std::set<std::string> seen;
        testing::in_every_order(
            name, ground, Schedule::Leave::many_switches, [&](Schedule& schedule) {
                for (const testing::Said& one : before) {
                    testing::commit(ground.look, {testing::deliver({testing::event(one)})});
                }
                ground.sides[0]->begin([shape](db::Session& session) {
                    import_batch(session,
                                 as_file({imported_line("p", shape, 20), imported_line("q")}),
                                 {"import/x", "ana", "cut-over", "f"}, SystemClock().now());
                    return std::vector<DeliveryResult>();
                });
                ground.sides[1]->begin({testing::deliver({testing::event(webhook)})});
                testing::StepLog step_log = testing::drive(ground.sides, schedule);
                seen.insert(end());
                EXPECT_TRUE(ends.contains(end())) << end() << " after " << step_log.text();
                return step_log;
            });
        EXPECT_EQ(seen, ends);
    }
    // The balance, and the events.
    std::string end() {
        return ground.database.value(
            "SELECT (SELECT sum(amount) FROM balances) || (SELECT string_agg(' ' || event_id || "
            "' ' || outcome, '' ORDER BY event_id) FROM webhook_intents)");
    }
    testing::Ground ground;
};

const testing::Said capture{.id = "evt_c", .effect = "capture/p", .at = 900};
const testing::Said total{.id = "evt_c", .effect = "capture/p", .total = true, .at = 900};

// Where the webhook is first, the line is skipped, its returns included.
TEST_F(ImportLocks, CaptureIsCreditedByOneOfTheTwo) {
    meet("a capture", CaptureShape::one, capture,
         {"180 evt_c duplicate_effect", "200 evt_c applied"});
    meet("a running total", CaptureShape::total, total,
         {"180 evt_c duplicate_effect", "200 evt_c applied"});
}

TEST_F(ImportLocks, RefundIsDecidedByItsTimeInEveryOrder) {
    meet("a newer refund", CaptureShape::one, refund_of("p", "r", 30, imported_at + 1),
         {"150 evt_r applied"});
    meet("an older refund", CaptureShape::total, refund_of("p", "r", 30, imported_at),
         {"180 evt_r quarantined"});
}

TEST_F(ImportLocks, ParkedRefundIsReleasedByWhicheverPostsTheCapture) {
    meet("a parked refund", CaptureShape::one, capture,
         {"150 evt_c duplicate_effect evt_r applied", "170 evt_c applied evt_r applied"},
         {refund_of("p", "r", 30, imported_at + 1)});
}

}  // namespace
}  // namespace pawl::intents
