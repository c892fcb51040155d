// The sender with a server that refuses, fails, or is down for a while.
#include <gtest/gtest.h>

#include <set>

#include "settings/tests/config_folder.hpp"
#include "tools/send/payments.hpp"
#include "tools/send/sender.hpp"
#include "tools/tests/scripted_server.hpp"

namespace pawl::app {
namespace {

using namespace std::chrono_literals;
using test::http_answer;
using test::ScriptedServer;

const std::string applied = R"({"outcome":"applied","duplicate":false})";

SenderOptions quick(std::size_t connections = 1) {
    SenderOptions options;
    options.connections = connections;
    options.retry_for = 5s;
    return options;
}

Tally send(const std::string& url, std::size_t count, const SenderOptions& options) {
    const test::ConfigFolder folder;
    const auto provider =
        providers::Provider::create(folder.load().settings.providers.at(0).config).value();
    const Target target = parse_target(url).value();
    const Requests requests(provider, target);
    const SystemClock clock;
    std::size_t number = 0;
    const auto next = [&]() -> std::optional<providers::Outgoing> {
        if (number == count) return std::nullopt;
        const Payment payment = make_payment({1, 10}, number++);
        return providers::Outgoing{
            payment.event_id, wording_for(provider.config()).value()(payment), {}};
    };
    Sender sender(options, look_up(target).value(), requests, next, clock);
    return sender.run([](const Tally&) {});
}

TEST(Sender, ManyDeliveriesOverFewConnections) {
    std::set<std::string> seen;
    ScriptedServer server([&](const std::string& request) {
        seen.insert(request);
        return http_answer(200, applied);
    });
    const Tally tally = send(server.url(), 500, quick(4));
    EXPECT_EQ(tally.acknowledged, 500U);
    EXPECT_EQ(tally.outcome("applied"), 500U);
    EXPECT_EQ(tally.latencies_us.size(), 500U);
    EXPECT_EQ(tally.requests, 500U);
    EXPECT_EQ(seen.size(), 500U);
}

// Whatever went wrong the first time: the same bytes again.
TEST(Sender, AnUnacknowledgedDeliveryIsResentByteForByte) {
    const std::optional<std::string> troubles[] = {
        http_answer(503, "", "Retry-After: 0\r\n"),
        http_answer(500, ""),
        http_answer(409, ""),
        std::nullopt,
        "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut off",
        "garbage\r\n\r\n"};
    for (const auto& trouble : troubles) {
        std::vector<std::string> requests;
        ScriptedServer server([&](const std::string& request) -> std::optional<std::string> {
            requests.push_back(request);
            if (requests.size() > 1) return http_answer(200, applied);
            return trouble;
        });
        SenderOptions options = quick();
        options.answer_within = 300ms;
        const Tally tally = send(server.url(), 1, options);
        EXPECT_EQ(tally.acknowledged, 1U);
        EXPECT_EQ(tally.retries, 1U);
        EXPECT_EQ(tally.unavailable + tally.troubled + tally.broken, 1U);
        ASSERT_EQ(requests.size(), 2U);
        EXPECT_EQ(requests[0], requests[1]);
    }
}

TEST(Sender, ARefusalIsFinal) {
    ScriptedServer server(
        [](const std::string&) { return http_answer(401, R"({"code":"wrong_secret"})"); });
    const Tally tally = send(server.url(), 3, quick());
    EXPECT_EQ(tally.refused, (std::map<std::string, std::size_t>{{"401 wrong_secret", 3}}));
    EXPECT_EQ(tally.requests, 3U);
    EXPECT_EQ(tally.answered(), 3U);
}

TEST(Sender, GivesUpAfterTryingForLongEnough) {
    ScriptedServer server([](const std::string&) { return http_answer(503, ""); });
    SenderOptions options = quick();
    options.retry_for = 250ms;
    const Tally tally = send(server.url(), 1, options);
    EXPECT_EQ(tally.lost, 1U);
    EXPECT_EQ(tally.acknowledged, 0U);
    EXPECT_GE(tally.retries, 1U);
}

TEST(Sender, WaitsForAServerThatIsDown) {
    ScriptedServer server([](const std::string&) { return http_answer(200, applied); }, false);
    std::thread later([&] {
        std::this_thread::sleep_for(400ms);
        server.open();
    });
    const Tally tally = send(server.url(), 50, quick(4));
    later.join();
    EXPECT_EQ(tally.acknowledged, 50U);
    EXPECT_TRUE(tally.reached);
}

TEST(Sender, ReportsAClosedPort) {
    ScriptedServer server([](const std::string&) { return http_answer(200, applied); }, false);
    SenderOptions options = quick();
    options.retry_for = 100ms;
    const Tally tally = send(server.url(), 5, options);
    EXPECT_FALSE(tally.reached);
    EXPECT_EQ(tally.answered(), 0U);
}

TEST(Sender, ContinuesWhenTheServerClosesAfterEachAnswer) {
    ScriptedServer server(
        [](const std::string&) { return http_answer(200, applied, "Connection: close\r\n"); });
    EXPECT_EQ(send(server.url(), 20, quick(2)).acknowledged, 20U);
}

TEST(Sender, KeepsToItsPace) {
    ScriptedServer server([](const std::string&) { return http_answer(200, applied); });
    SenderOptions options = quick(2);
    options.per_second = 100;
    const Tally tally = send(server.url(), 31, options);
    EXPECT_EQ(tally.acknowledged, 31U);
    EXPECT_GE(tally.seconds, 0.3);
}

}  // namespace
}  // namespace pawl::app
