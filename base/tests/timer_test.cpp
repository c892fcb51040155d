// One thread, many deadlines: what is called, when, in which order, and what cancelling promises.
#include "base/timer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

namespace pawl {
namespace {

using namespace std::chrono_literals;

Timer::Steady after(std::chrono::milliseconds pause) {
    return std::chrono::steady_clock::now() + pause;
}

TEST(Timer, CallsAtItsTimeAndNotBefore) {
    Timer timer;
    std::promise<Timer::Steady> called;
    const auto time = after(30ms);
    const auto deadline =
        timer.at(time, [&] { called.set_value(std::chrono::steady_clock::now()); });
    EXPECT_GE(called.get_future().get(), time);
}

TEST(Timer, CallsInTheOrderOfTheTimesHoweverTheyWereGiven) {
    Timer timer;
    std::vector<int> order;  // of the timer's thread, until `all` is there
    std::promise<void> all;
    std::vector<Timer::Deadline> deadlines;
    const auto begin = after(50ms);
    for (const int n : {3, 1, 4, 0, 2}) {
        deadlines.push_back(timer.at(begin + n * 5ms, [&, n] {
            order.push_back(n);
            if (n == 4) all.set_value();
        }));
    }
    all.get_future().wait();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Timer, AnEarlierTimeIsNotKeptWaitingByALaterOne) {
    Timer timer;
    std::promise<void> called;
    const auto late = timer.at(after(1h), [] {});
    std::this_thread::sleep_for(20ms);  // the thread sleeps until then by now
    const auto early = timer.at(after(1ms), [&] { called.set_value(); });
    EXPECT_EQ(called.get_future().wait_for(20s), std::future_status::ready);
}

TEST(Timer, DoesNotCallACanceledReplacedOrReleasedDeadline) {
    Timer timer;
    std::atomic<int> calls{0};
    const auto count = [&] { ++calls; };
    auto cancelled = timer.at(after(20ms), count);
    cancelled.cancel();
    auto replaced = timer.at(after(20ms), count);
    replaced = timer.at(after(1h), count);
    { const auto let_go = timer.at(after(20ms), count); }
    std::promise<void> later;
    const auto last = timer.at(after(60ms), [&] { later.set_value(); });
    later.get_future().wait();
    EXPECT_EQ(calls, 0);
}

TEST(Timer, CancellingWaitsForACallThatIsUnderWay) {
    Timer timer;
    std::promise<void> begun;
    std::promise<void> go_on;
    std::atomic<bool> over{false};
    auto deadline = timer.at(after(0ms), [&] {
        begun.set_value();
        go_on.get_future().wait();
        over = true;
    });
    begun.get_future().wait();
    auto cancelled = std::async(std::launch::async, [&] {
        deadline.cancel();
        return over.load();
    });
    EXPECT_EQ(cancelled.wait_for(20ms), std::future_status::timeout);
    go_on.set_value();
    EXPECT_TRUE(cancelled.get());
}

TEST(Timer, ACallMayResetItsOwnDeadline) {
    Timer timer;
    Timer::Deadline deadline;
    std::promise<void> third;
    int calls = 0;
    std::function<void()> again = [&] {
        if (++calls == 3) return third.set_value();
        deadline = timer.at(after(1ms), again);
    };
    std::promise<void> set;
    const auto first = timer.at(after(0ms), [&] {
        deadline = timer.at(after(1ms), again);
        set.set_value();
    });
    set.get_future().wait();
    third.get_future().wait();
    EXPECT_EQ(calls, 3);
}

TEST(Timer, ManyThreadsMaySetAndCancelAtOnce) {
    Timer timer;
    std::atomic<int> late{0};
    std::vector<std::future<void>> threads;
    for (int t = 0; t < 4; ++t) {
        threads.push_back(std::async(std::launch::async, [&] {
            for (int i = 0; i < 300; ++i) {
                auto alive = std::make_shared<std::atomic<bool>>(true);
                auto deadline = timer.at(after(i % 3 * 1ms), [&late, alive] {
                    if (!*alive) ++late;
                });
                if (i % 2 == 0) std::this_thread::yield();
                deadline.cancel();
                *alive = false;
            }
        }));
    }
    for (auto& thread : threads) thread.get();
    EXPECT_EQ(late, 0) << "calls after they had been cancelled";
}

}  // namespace
}  // namespace pawl
