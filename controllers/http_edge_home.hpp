// The IO thread that a request came in on, as a place to hand work back to. Whoever answers many
// requests at once wakes each thread once and not for every answer. Safe from every thread, also
// when Drogon is gone: then there is nobody left to answer.
#pragma once

#include <trantor/net/EventLoop.h>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "controllers/http.hpp"

namespace pawl::http {

// Answers may come from any thread, also after Drogon is gone: then they go nowhere.
struct Lifeline {
    std::shared_mutex mutex;
    bool open = true;
};

class LoopHome : public Home, public std::enable_shared_from_this<LoopHome> {
  public:
    LoopHome(trantor::EventLoop* loop, std::shared_ptr<Lifeline> lifeline)
        : loop_(loop), lifeline_(std::move(lifeline)) {}
    void post(std::function<void()> work) override;

  private:
    bool wake();
    void work_off();

    trantor::EventLoop* const loop_;
    const std::shared_ptr<Lifeline> lifeline_;
    std::mutex mutex_;
    std::vector<std::function<void()>> waiting_;
};

}  // namespace pawl::http
