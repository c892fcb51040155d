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

TEST(Loop, BeginsAtOnceAndThenAfterThePauseThatTheStepAsksFor) {
    Rounds rounds;
    Loop loop("test", [&] {
        rounds.add();
        return 1ms;
    });
    loop.start();
    EXPECT_TRUE(rounds.reach(5));
}

TEST(Loop, IsWokenByPokeAndByNothingElse) {
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

TEST(Loop, MissesNoPokeDuringARound) {
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

TEST(Loop, BeginsNoRoundOnceItDrainsEvenWhenPoked) {
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

TEST(Loop, ContinuesAfterARoundThatThrewAndPausesFirst) {
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

TEST(Loop, ALongPauseDoesNotHoldUpItsEnd) {
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

TEST(Loop, MayEndItselfAndIsWaitedFor) {
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

TEST(Loop, HasANameThatTheSystemShows) {
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
