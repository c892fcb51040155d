#include "base/metrics.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace pawl {
namespace {

TEST(Metrics, RendersHelpTypeAndLabels) {
    Metrics metrics;
    metrics.counter("pawl_deliveries_total", "Deliveries by verdict.", {"provider", "verdict"})
        .with({"demo", "say \"no\"\n\\"})
        .add(3);
    metrics.gauge("pawl_db_up", "1 while the database answers.").alone().set(1);
    metrics.gauge_from("pawl_queue_depth", "Waiting.", [] { return 7.5; });
    EXPECT_EQ(metrics.render(),
              "# HELP pawl_db_up 1 while the database answers.\n"
              "# TYPE pawl_db_up gauge\n"
              "pawl_db_up 1\n"
              "# HELP pawl_deliveries_total Deliveries by verdict.\n"
              "# TYPE pawl_deliveries_total counter\n"
              "pawl_deliveries_total{provider=\"demo\",verdict=\"say \\\"no\\\"\\n\\\\\"} 3\n"
              "# HELP pawl_queue_depth Waiting.\n"
              "# TYPE pawl_queue_depth gauge\n"
              "pawl_queue_depth 7.5\n");
}

TEST(Metrics, GaugesThatAreReadHaveLabels) {
    Metrics metrics;
    double since = 1;
    metrics.gauges_from("pawl_since", "Seconds.", {"provider"}, [&since] {
        return Metrics::Samples{{{"a"}, since}, {{"b"}, 2 * since}};
    });
    since = 3;
    EXPECT_EQ(metrics.render(),
              "# HELP pawl_since Seconds.\n"
              "# TYPE pawl_since gauge\n"
              "pawl_since{provider=\"a\"} 3\n"
              "pawl_since{provider=\"b\"} 6\n");
}

TEST(Metrics, HistogramBucketsAreCumulativeAndBoundsBelongToTheirBucket) {
    Metrics metrics;
    auto& family = metrics.histogram("pawl_receive_seconds", "Time.", {0.1, 1}, {"p"});
    for (const double seconds : {0.05, 0.1, 0.5, 3.0}) family.with({"a"}).observe(seconds);
    EXPECT_EQ(metrics.render(),
              "# HELP pawl_receive_seconds Time.\n"
              "# TYPE pawl_receive_seconds histogram\n"
              "pawl_receive_seconds_bucket{p=\"a\",le=\"0.1\"} 2\n"
              "pawl_receive_seconds_bucket{p=\"a\",le=\"1\"} 3\n"
              "pawl_receive_seconds_bucket{p=\"a\",le=\"+Inf\"} 4\n"
              "pawl_receive_seconds_sum{p=\"a\"} 3.65\n"
              "pawl_receive_seconds_count{p=\"a\"} 4\n");
}

TEST(Metrics, AFamilyWithoutLabelsIsOnThePageBeforeAnythingHappened) {
    Metrics metrics;
    metrics.counter("pawl_stale_writes_rejected_total", "Fenced writes.");
    EXPECT_NE(metrics.render().find("\npawl_stale_writes_rejected_total 0\n"), std::string::npos);
}

TEST(Metrics, LabelCombinationsAreBounded) {
    Metrics metrics;
    auto& family = metrics.counter("c", "C.", {"x"});
    for (int i = 0; i < 5000; ++i) family.with({std::to_string(i)}).add();
    EXPECT_EQ(family.with({"other"}).value(), 4000U);
}

TEST(Metrics, CountsFromManyThreadsAddUp) {
    Metrics metrics;
    auto& family = metrics.counter("c", "C.", {"x"});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&family] {
            for (int i = 0; i < 10000; ++i) family.with({std::to_string(i % 3)}).add();
        });
    }
    for (auto& thread : threads) thread.join();
    std::uint64_t total = 0;
    for (const char* x : {"0", "1", "2"}) total += family.with({x}).value();
    EXPECT_EQ(total, 40000U);
}

}  // namespace
}  // namespace pawl
