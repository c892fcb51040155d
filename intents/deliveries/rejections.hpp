// Store of rejected deliveries, for diagnosis by an operator: outside the commit path, on a private
// session, and capped by provider, because unauthenticated clients can send garbage. `record` never
// waits and is safe from every thread; deliveries over the cap or the queue are only counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/loop.hpp"
#include "base/metrics.hpp"
#include "db/session.hpp"
#include "providers/event.hpp"

namespace pawl::intents {

struct Rejection {
    ProviderName provider;
    providers::Delivery delivery;
    std::string diagnosis;
    std::string remote;
};

struct RejectionLimits {
    std::size_t bytes_a_day = 8 * 1024 * 1024;  // by provider
    std::size_t body_bytes = 64 * 1024;         // limit of one delivery; the rest is cut off
    std::size_t queue_max = 1000;
    std::size_t queue_bytes = std::size_t{8} * 1024 * 1024;  // limit of queued rejections
};

class Rejections {
  public:
    Rejections(RejectionLimits limits, db::SessionOptions session, Metrics& metrics);
    ~Rejections();  // stops

    void start() { loop_.start(); }
    // Stops waiting for an unavailable database from now on; returns at once.
    void drain() { draining_ = true; }
    void stop();  // writes what is queued, if the database lets it
    // Queues it; drops it if the queue or the provider's day is full.
    void record(Rejection rejection);

  private:
    struct Spent {
        Time since;
        std::size_t bytes = 0;
    };

    bool within_budget(const Rejection& rejection, std::size_t bytes);
    std::vector<Rejection> take_some();
    bool write_some();  // Returns false if none is queued. Throws db::Failure
    void drop_queued();

    const RejectionLimits limits_;
    Counter& dropped_;
    std::atomic<bool> draining_{false};
    std::mutex mutex_;
    std::deque<Rejection> queue_;
    std::size_t queued_bytes_ = 0;  // with the row that is being written
    std::map<ProviderName, Spent> spent_;
    bool stopping_ = false;
    db::Session session_;  // used by the loop, then by the thread that stops it
    Loop loop_;
};

}  // namespace pawl::intents
