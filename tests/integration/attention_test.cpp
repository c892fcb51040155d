// The attention list: one item for each cause, oldest first, with a remedy; gauges count the open
// rows.
#include <gtest/gtest.h>

#include "access/pauses.hpp"
#include "intents/queries/attention.hpp"
#include "intents/queries/open_gauges.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

class Attention : public ::testing::Test {
  protected:
    std::vector<intents::AttentionItem> items() {
        return intents::list_attention(session, {SystemClock().now(), configured, {}, "", 100})
            ->items;
    }
    // The kinds, in their order.
    std::vector<std::string> kinds() {
        std::vector<std::string> all;
        for (const auto& item : items()) all.push_back(item.kind);
        return all;
    }
    void run(const std::string& workflow, const std::string& key, const std::string& status) {
        database.run(
            "INSERT INTO workflow_runs (workflow, key, signal_key, step, status, note, "
            "wake_at, correlation_id, created_at, updated_at) VALUES ('" +
            workflow + "', '" + key + "', '" + key + "', 'call', '" + status +
            "', 'no answer', now(), 'c', now(), now())");
    }
    void payment(const std::string& order, const std::string& gateway, const std::string& state) {
        database.run(
            "INSERT INTO orders (order_id, amount, currency, account, gateway, created_at, "
            "updated_at) VALUES ('" +
            order + "', 5, 'USD', 'user:1', '" + gateway + "', now(), now())");
        database.run(
            "INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, "
            "state, amount, currency, account, correlation_id, created_at, updated_at) "
            "VALUES ('pay_" +
            order + "', '" + order + "', 1, 'pay:" + order + ":1', '" + gateway + "', 'b', '" +
            state + "', 5, 'USD', 'user:1', 'c', now(), now())");
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    intents::Configured configured{{"sandbox"}, {"shop"}};
};

TEST_F(Attention, EmptyDatabaseHasNoItems) {
    EXPECT_EQ(kinds(), std::vector<std::string>());
}

TEST_F(Attention, QuarantinedEventsAreOneItemForEachReasonAndType) {
    testing::commit(session, {testing::deliver({testing::unreadable("no_rule", "a"),
                                                testing::unreadable("no_rule", "b"),
                                                testing::unreadable("bad_amount", "c")})});
    const auto all = items();
    ASSERT_EQ(all.size(), 2U);
    std::map<std::string, std::int64_t> counts;
    for (const auto& item : all) {
        EXPECT_EQ(item.kind, "quarantined");
        EXPECT_EQ(item.scope, "demo");
        EXPECT_NE(item.remedy.find("pawl intents retry demo " + item.example), std::string::npos)
            << item.remedy;
        counts[item.reason.value()] = item.count;
    }
    EXPECT_EQ(counts, (std::map<std::string, std::int64_t>{{"bad_amount", 1}, {"no_rule", 2}}));
}

TEST_F(Attention, ARemedyIsAnActThatEndsTheCause) {
    testing::commit(session, {testing::deliver({testing::unreadable("balance_overflow", "a"),
                                                testing::unreadable("system_account", "b"),
                                                testing::unreadable("clearing_account", "c")})});
    for (const auto& item : items()) {
        EXPECT_NE(item.remedy.find("pawl intents assign demo " + item.example + " --account"),
                  std::string::npos)
            << item.remedy;
        EXPECT_NE(item.remedy.find("dismiss"), std::string::npos) << item.remedy;
        EXPECT_EQ(item.remedy.find("provider file"), std::string::npos) << item.remedy;
    }
}

TEST_F(Attention, RemedyOfAnEventQuotesAnIdThatAShellWouldRun) {
    testing::commit(session, {testing::deliver({testing::unreadable("no_rule", "a")})});
    database.run("UPDATE webhook_intents SET event_id = 'x''; touch owned #'");
    const auto all = items();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_NE(all.front().remedy.find(R"(demo 'x'\''; touch owned #')"), std::string::npos)
        << all.front().remedy;
}

TEST_F(Attention, AParkedEventIsListedPastHalfOfItsDeadlineAndNotBefore) {
    testing::commit(session, {testing::deliver({testing::event(
                                 {.id = "r1", .effect = "refund/1", .needs = {"capture/1"}})})});
    EXPECT_EQ(kinds(), std::vector<std::string>());
    database.run("UPDATE effect_waits SET since = now() - interval '37 hours'");
    ASSERT_EQ(kinds(), std::vector<std::string>{"parked"});
    EXPECT_EQ(items().front().example, "r1");
    database.run("UPDATE effect_waits SET since = now() - interval '35 hours'");
    EXPECT_EQ(kinds(), std::vector<std::string>());
}

TEST_F(Attention, APausedProviderIsListedWithItsWaitingEventsUntilItIsResumed) {
    access::pause(session, "demo", "ana", "amounts look wrong");
    ASSERT_EQ(kinds(), std::vector<std::string>{"paused"});
    EXPECT_EQ(items().front().count, 0);
    testing::commit(session, {testing::deliver({testing::event({.id = "e1", .effect = "capture/1"}),
                                                testing::event({.id = "e2", .effect = "x/2"})})});
    ASSERT_EQ(kinds(), std::vector<std::string>{"paused"});
    const auto item = items().front();
    EXPECT_EQ(item.scope + " " + item.reason.value() + " " + item.example,
              "demo amounts look wrong e1");
    EXPECT_EQ(item.count, 2);
    EXPECT_NE(item.remedy.find("pawl providers resume demo"), std::string::npos) << item.remedy;
    access::resume(session, "demo", "ana", "they are right");
    EXPECT_EQ(kinds(), std::vector<std::string>());
}

TEST_F(Attention, PagesHoldEveryItemOnceAlsoThoseOfOneMoment) {
    for (const char* id : {"a", "b", "c"}) {
        payment(id, "gone", "processing");
        database.run(
            "UPDATE payments SET gateway = gateway || '-' || order_id WHERE gateway = "
            "'gone'");
    }
    testing::commit(session, {testing::deliver({testing::unreadable("no_rule", "a"),
                                                testing::unreadable("bad_amount", "b")})});
    database.run("UPDATE payments SET updated_at = '2026-01-01'");
    database.run("UPDATE webhook_intents SET received_at = '2026-01-01'");
    std::vector<std::string> seen;
    intents::AttentionFilter filter{SystemClock().now(), configured, {}, "", 2};
    for (int page = 0; page < 3; ++page) {
        const auto found = intents::list_attention(session, filter);
        ASSERT_TRUE(found);
        for (const auto& item : found->items) seen.push_back(item.kind + item.scope + *item.reason);
        EXPECT_EQ(found->next.has_value(), page < 2);
        filter.cursor = found->next.value_or("");
    }
    EXPECT_EQ(seen.size(), 5U);
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 5U);
    filter.cursor = "bm9uZQ";
    EXPECT_FALSE(intents::list_attention(session, filter));
}

TEST_F(Attention, RunsPaymentsAndJobsThatNeedAnOperatorAreListed) {
    run("charge_order", "pay:o1:1", "needs_review");
    payment("o1", "sandbox", "needs_review");
    EXPECT_EQ(kinds(), std::vector<std::string>{"needs_review"})
        << "its payment is not another item";
    payment("o2", "sandbox", "needs_review");
    payment("o3", "gone", "processing");
    database.run(
        "INSERT INTO jobs (id, target, kind, state, payload, correlation_id, run_at, "
        "staged_at, done_at, attempts, last_error) VALUES (7, 'shop', 'notify', 'dead', "
        "'{}', 'c', now(), now(), now(), 9, 'timeout'), (8, 'old', 'notify', 'ready', "
        "'{}', 'c', now(), now(), NULL, 0, NULL)");
    const auto found = kinds();
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()),
              (std::set<std::string>{"dead_jobs", "dead_subscriber", "gateway_gone", "needs_review",
                                     "payment"}));
    for (const auto& item : items()) {
        if (item.kind == "dead_jobs") {
            EXPECT_NE(item.remedy.find("7.shop"), std::string::npos);
        }
        if (item.kind == "dead_subscriber") {
            EXPECT_EQ(item.reason, "subscriber not configured");
        }
        if (item.kind == "gateway_gone") {
            EXPECT_EQ(item.example, "pay_o3");
        }
    }
}

TEST_F(Attention, AnOverpaidOrderIsListedUntilTheExcessWentBack) {
    payment("o1", "sandbox", "succeeded");
    payment("o2", "sandbox", "succeeded");
    database.run("UPDATE orders SET state = 'overpaid', captured = 8 WHERE order_id = 'o1'");
    database.run("UPDATE orders SET state = 'paid', captured = 5 WHERE order_id = 'o2'");
    ASSERT_EQ(kinds(), std::vector<std::string>{"overpaid"});
    EXPECT_EQ(items().front().scope + " " + items().front().example, "sandbox o1");
    EXPECT_NE(items().front().remedy.find("GET /v1/orders/o1"), std::string::npos);
    database.run("UPDATE orders SET state = 'partially_refunded', returned = 2 WHERE captured = 8");
    EXPECT_EQ(kinds(), std::vector<std::string>{"overpaid"}) << "1 of the excess is still there";
    database.run("UPDATE orders SET returned = 3 WHERE captured = 8");
    EXPECT_EQ(kinds(), std::vector<std::string>());
}

TEST_F(Attention, GaugesCountOpenRowsAndDropClosedOnes) {
    testing::commit(session, {testing::deliver({testing::unreadable("no_rule", "a")})});
    payment("o3", "gone", "processing");
    run("charge_order", "pay:o3:1", "running");
    Metrics metrics;
    const auto chore = intents::measuring_open(metrics, configured.gateways);
    chore.step(session, SystemClock().now());
    const std::string page = metrics.render();
    for (const char* line : {R"(pawl_intents_open{provider="demo",status="quarantined"} 1)",
                             R"(pawl_payments_open{gateway="gone",state="processing"} 1)",
                             "pawl_runs_without_gateway 1"}) {
        EXPECT_NE(page.find(line), std::string::npos) << line << "\n" << page;
    }
    database.run("UPDATE payments SET state = 'failed'");
    database.run("UPDATE workflow_runs SET status = 'done', wake_at = NULL, done_at = now()");
    chore.step(session, SystemClock().now());
    EXPECT_NE(metrics.render().find(R"(pawl_payments_open{gateway="gone",state="processing"} 0)"),
              std::string::npos);
    EXPECT_NE(metrics.render().find("pawl_runs_without_gateway 0"), std::string::npos);
}

TEST_F(Attention, AGaugeShowsThePausedProvider) {
    Metrics metrics;
    const auto chore = intents::measuring_open(metrics, configured.gateways);
    access::pause(session, "demo", "ana", "amounts look wrong");
    chore.step(session, SystemClock().now());
    EXPECT_NE(metrics.render().find(R"(pawl_provider_paused{provider="demo"} 1)"),
              std::string::npos);
    access::resume(session, "demo", "ana", "they are right");
    chore.step(session, SystemClock().now());
    EXPECT_NE(metrics.render().find(R"(pawl_provider_paused{provider="demo"} 0)"),
              std::string::npos);
}

}  // namespace
}  // namespace pawl
