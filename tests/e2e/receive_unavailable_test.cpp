// Answers to a provider during the server's own errors. Never a 2xx, never a 4xx, never silence.
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "tests/e2e/receive_case.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

TEST(ReceiveUnavailable, AnUnavailableDatabaseIsA503UntilItIsBack) {
    ReceiveServer shared;
    DemoSender sender(shared.server.port());
    ASSERT_EQ(sender.send({.id = "e1"}).status, 200);
    {
        const Closed closed(shared.database);
        for (int i = 0; i < 3; ++i) expect_unavailable(sender.send({.id = "e2"}));
    }
    EXPECT_TRUE(eventually([&] { return sender.send({.id = "e2"}).status == 200; }));
    EXPECT_EQ(shared.database.value("SELECT amount FROM balances"), "200");
}

TEST(ReceiveUnavailable, AFullQueueIsA503AtOnce) {
    ReceiveServer shared("queue_max = 4\ncommitters = 1\nbatch_max = 1\n",
                         "before_commit=sleep:1000");
    std::vector<DemoSender> waiting;
    for (int i = 0; i < 4; ++i) {
        waiting.emplace_back(shared.server.port());
        waiting.back().begin({.id = "w" + std::to_string(i)});
    }
    const auto queued = [&] {
        return HttpClient(shared.server.admin_port())
                   .get("/metrics")
                   .body.find("pawl_queue_depth 3") != std::string::npos;
    };
    ASSERT_TRUE(eventually(queued));
    DemoSender late(shared.server.port());
    const auto answer = late.send({.id = "late"});
    expect_unavailable(answer);
    EXPECT_EQ(answer.code(), "busy");
    EXPECT_LT(answer.took.count(), 500);
    // One a second is committed here, whichever came first; the others may become too late.
    int served = 0;
    for (DemoSender& one : waiting) {
        const int status = one.answer().status;
        EXPECT_TRUE(status == 200 || status == 503) << status;
        served += status == 200 ? 1 : 0;
    }
    EXPECT_GE(served, 1);
}

// Thrown away it would have to be done again, and be too late again.
TEST(ReceiveUnavailable, AnEventCommittedTooLateIsADuplicateOnRedelivery) {
    ReceiveServer shared("", "before_commit=sleep:2500@1");
    DemoSender sender(shared.server.port());
    expect_unavailable(sender.send({.id = "late"}));
    EXPECT_TRUE(
        eventually([&] { return shared.database.value("SELECT count(*) FROM transfers") == "1"; }));
    EXPECT_EQ(sender.send({.id = "late"}).body, answer_body("late", "done", "applied", true));
    EXPECT_EQ(shared.database.value("SELECT amount FROM balances"), "100");
}

// One committer takes the first delivery, then all others: two pauses of the fault point, and more
// than a second left until the answers are due. On one account and with two committers a batch that
// meets another's first balance is committed again, with a third pause.
TEST(ReceiveUnavailable, SigtermDrainsWhatIsInFlight) {
    ReceiveServer shared("committers = 1\nanswer_timeout = \"1800ms\"\n",
                         "before_commit=sleep:300");
    std::vector<DemoSender> in_flight;
    for (int i = 0; i < 8; ++i) {
        const std::string n = std::to_string(i);
        in_flight.emplace_back(shared.server.port());
        ASSERT_TRUE(in_flight.back().begin({.id = "f" + n, .account = "user:" + n}));
    }
    DemoSender idle(shared.server.port());
    ASSERT_EQ(idle.client().get("/healthz").status, 200);
    const auto received = [&] {
        return HttpClient(shared.server.admin_port())
                   .get("/metrics")
                   .body.find("verdict=\"authentic\"} 8") != std::string::npos;
    };
    ASSERT_TRUE(eventually(received));
    shared.server.signal(SIGTERM);
    for (auto& sender : in_flight) {
        const auto answer = sender.answer();
        EXPECT_EQ(answer.status, 200) << answer.body;
    }
    EXPECT_TRUE(shared.server.ended_within(patience));
    EXPECT_EQ(shared.server.how_it_ended(), "exited with 0");
    EXPECT_EQ(shared.database.value("SELECT count(*) FROM webhook_intents"), "8");
    EXPECT_EQ(idle.send({.id = "after"}).status, 0) << "it listens after its end";
}

// A delivery during the stop is processed, answered 503, or refused at connect.
TEST(ReceiveUnavailable, NoDeliveryIsAnswered200AndLostDuringTheStop) {
    ReceiveServer shared("", "before_commit=sleep:20");
    std::atomic<int> accepted{0};
    std::atomic<int> strange{0};
    std::atomic<bool> over{false};
    std::vector<std::thread> senders;
    for (int i = 0; i < 6; ++i) {
        senders.emplace_back([&, i] {
            DemoSender sender(shared.server.port());
            for (int n = 0; !over; ++n) {
                const std::string id = std::to_string(i) + "-" + std::to_string(n);
                const auto answer = sender.send({.id = id});
                if (answer.status == 200) ++accepted;
                if (answer.status != 200 && answer.status != 503 && answer.status != 0) ++strange;
                if (answer.took > std::chrono::seconds(3)) ++strange;
            }
        });
    }
    EXPECT_TRUE(eventually([&] { return accepted > 50; }));
    shared.server.signal(SIGTERM);
    EXPECT_TRUE(shared.server.ended_within(patience));
    over = true;
    for (auto& thread : senders) thread.join();
    EXPECT_EQ(strange, 0);
    const auto rows = std::stoi(shared.database.value("SELECT count(*) FROM webhook_intents"));
    EXPECT_GE(rows, accepted) << "an event was acknowledged and is not there";
}

TEST(ReceiveUnavailable, ASecondSigtermEndsItAtOnce) {
    ReceiveServer shared("", "before_commit=sleep:20000");
    DemoSender sender(shared.server.port());
    ASSERT_TRUE(sender.begin({.id = "e1"}));
    const auto received = [&] {
        return HttpClient(shared.server.admin_port())
                   .get("/metrics")
                   .body.find("verdict=\"authentic\"} 1") != std::string::npos;
    };
    ASSERT_TRUE(eventually(received));
    shared.server.signal(SIGTERM);
    ASSERT_TRUE(eventually([&] {
        return shared.server.said().find("a second signal ends at once") != std::string::npos;
    }));
    EXPECT_FALSE(shared.server.ended_within(std::chrono::milliseconds(300)));
    const auto began = std::chrono::steady_clock::now();
    shared.server.signal(SIGTERM);
    EXPECT_TRUE(shared.server.ended_within(std::chrono::seconds(5)));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
    EXPECT_EQ(shared.server.how_it_ended(), "exited with 143");
}

}  // namespace
}  // namespace pawl::testing
