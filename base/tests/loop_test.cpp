// A named thread that repeats a step: when rounds begin, and when no more do.
#include "base/loop.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <future>
#include <memory>
#include <stdexcept>

namespace pawl {
namespace {

using namespace std::chrono_literals;

// Rounds that a test waits for, one by one.
class Rounds {
  public:
    void add() {
        {
            const std::lock_guard lock(mutex_);
            ++count_;
        }
        changed_.notify_all();
    }
    bool reach(int count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 20s, [&] { return count_ >= count; });
    }
    int count() {
        const std::lock_guard lock(mutex_);
        return count_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
};

TEST(Loop, begins_at_once_and_then_after_the_pause_that_the_step_asks_for) {
    Rounds rounds;
    Loop loop("test", [&] {
        rounds.add();
        return 1ms;
    });
    loop.start();
    EXPECT_TRUE(rounds.reach(5));
}

TEST(Loop, is_woken_by_poke_and_by_nothing_else) {
    Rounds rounds;
    Loop loop("test", [&] {
        rounds.add();
        return Loop::until_poked;
    });
    loop.start();
    ASSERT_TRUE(rounds.reach(1));
    for (int i = 2; i < 10; ++i) {
        EXPECT_EQ(rounds.count(), i - 1);
        loop.poke();
        ASSERT_TRUE(rounds.reach(i));
    }
}

TEST(Loop, misses_no_poke_during_a_round) {
    Rounds rounds;
    std::promise<void> poked;
    Loop loop("test", [&] {
        if (rounds.count() == 0) poked.get_future().wait();
        rounds.add();
        return Loop::until_poked;
    });
    loop.start();
    loop.poke();
    poked.set_value();
    EXPECT_TRUE(rounds.reach(2));
}

TEST(Loop, begins_no_round_once_it_drains_even_when_poked) {
    Rounds rounds;
    Loop loop("test", [&] {
        rounds.add();
        return Loop::until_poked;
    });
    loop.start();
    ASSERT_TRUE(rounds.reach(1));
    loop.drain();
    loop.poke();
    loop.join();
    EXPECT_EQ(rounds.count(), 1);
}

TEST(Loop, continues_after_a_round_that_threw_and_pauses_first) {
    Rounds rounds;
    const auto began = std::chrono::steady_clock::now();
    Loop loop(
        "test",
        [&]() -> Loop::Pause {
            rounds.add();
            throw std::runtime_error("the database is unavailable");
        },
        40ms);
    loop.start();
    loop.poke();  // must not make it spin
    EXPECT_TRUE(rounds.reach(3));
    EXPECT_GE(std::chrono::steady_clock::now() - began, 40ms);  // twice a half of it at least
}

TEST(Loop, a_long_pause_does_not_hold_up_its_end) {
    Rounds rounds;
    Loop loop(
        "test",
        [&]() -> Loop::Pause {
            rounds.add();
            if (rounds.count() == 1) throw std::runtime_error("first");
            return 1h;
        },
        24h);
    loop.start();
    ASSERT_TRUE(rounds.reach(1));
    loop.join();
}

TEST(Loop, may_end_itself_and_is_waited_for) {
    Rounds rounds;
    std::unique_ptr<Loop> loop;
    loop = std::make_unique<Loop>("test", [&] {
        rounds.add();
        if (rounds.count() == 3) loop->drain();
        return 0us;
    });
    loop->start();
    loop->wait();
    EXPECT_EQ(rounds.count(), 3);
}

TEST(Loop, has_a_name_that_the_system_shows) {
    std::promise<std::string> name;
    Loop loop("a-name-longer-than-fifteen", [&] {
        char text[32] = {};
        pthread_getname_np(pthread_self(), text, sizeof text);
        name.set_value(text);
        return Loop::until_poked;
    });
    loop.start();
    EXPECT_EQ(name.get_future().get(), "a-name-longer-t");
}

}  // namespace
}  // namespace pawl
