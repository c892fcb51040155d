// Work for an IO thread, from every thread: answers leave on the thread of their connection. Many
// answers at once wake it once. Safe also after Drogon has ended: then no connection is left, and a
// posted task runs on the posting thread, to free its memory.
#pragma once

#include <trantor/net/EventLoop.h>

#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace pawl::http {

// Whether Drogon's threads are there. Answers may come from any thread, also after them.
struct Lifeline {
    std::shared_mutex mutex;
    bool open = true;
};

class Mailbox : public std::enable_shared_from_this<Mailbox> {
  public:
    Mailbox(trantor::EventLoop* loop, std::shared_ptr<Lifeline> lifeline)
        : loop_(loop), lifeline_(std::move(lifeline)) {}
    void post(std::function<void()> work);

  private:
    bool wake();
    void work_off();

    trantor::EventLoop* const loop_;  // may be used while the lifeline is open
    const std::shared_ptr<Lifeline> lifeline_;
    std::mutex mutex_;
    std::vector<std::function<void()>> waiting_;
};

}  // namespace pawl::http
