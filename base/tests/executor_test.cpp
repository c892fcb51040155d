// A pool that grows with its tasks, up to its limit.
#include "base/executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

namespace pawl {
namespace {

// Tasks that wait until they are released, so that each needs a thread.
class Held {
  public:
    std::function<void()> task() {
        return [this] {
            ++begun_;
            go_.wait();
        };
    }
    bool begin(int count) {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (begun_ < count && std::chrono::steady_clock::now() < give_up) {
            std::this_thread::yield();
        }
        return begun_ == count;
    }
    void let_go() { promise_.set_value(); }

  private:
    std::atomic<int> begun_{0};
    std::promise<void> promise_;
    std::shared_future<void> go_{promise_.get_future()};
};

TEST(Executor, EachTaskGetsAThreadOfItsOwnWhileThereAreFewerThanTheLimit) {
    Held held;
    Executor executor("test", 3, 10);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(executor.post(held.task()));
    EXPECT_TRUE(held.begin(3));
    EXPECT_EQ(executor.depth(), 2U);
    held.let_go();
    executor.stop();
    EXPECT_TRUE(held.begin(5));
}

TEST(Executor, MakesNoThreadBeforeTheFirstTaskAndNoneWhereOneIsIdle) {
    Executor executor("test", 8, 10);
    EXPECT_EQ(executor.threads(), 0U);
    for (int i = 0; i < 20; ++i) {
        std::promise<void> done;
        ASSERT_TRUE(executor.post([&] { done.set_value(); }));
        done.get_future().wait();
        while (executor.idle() == 0) std::this_thread::yield();
    }
    EXPECT_EQ(executor.threads(), 1U);
}

TEST(Executor, RefusesWhatDoesNotFitAndWhatComesAfterItsStop) {
    Held held;
    Executor executor("test", 1, 1);
    EXPECT_TRUE(executor.post(held.task()));
    EXPECT_TRUE(held.begin(1));
    EXPECT_TRUE(executor.post([] {}));
    EXPECT_FALSE(executor.post([] {}));
    held.let_go();
    executor.stop();
    EXPECT_FALSE(executor.post([] {}));
}

}  // namespace
}  // namespace pawl
