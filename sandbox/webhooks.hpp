// Sends events as webhooks in Stripe's scheme, and retries until they are answered 2xx. Safe from
// every thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "sandbox/http_post.hpp"
#include "sandbox/objects.hpp"
#include "sandbox/schedule.hpp"

namespace pawl::sandbox {

class Webhooks {
  public:
    struct Options {
        std::optional<Target> target;  // empty: no webhooks
        std::string secret;
        std::chrono::milliseconds first_retry{200};
        std::chrono::milliseconds longest_retry{5000};
        std::chrono::milliseconds within{5000};  // for one answer
    };
    struct Counts {
        std::int64_t events = 0;  // repetitions included
        std::int64_t attempts = 0;
        std::int64_t acknowledged = 0;
    };

    Webhooks(Options options, Schedule& schedule, const Clock& clock);

    void send(const Event& event, std::chrono::milliseconds delay);
    // Returns false if it was not acknowledged within the limit; retries continue.
    bool send_and_wait(const Event& event, std::chrono::milliseconds limit);
    Counts counts() const;

  private:
    struct Delivery {
        Event event;
        int attempts = 0;
        bool acknowledged = false;  // under mutex_
    };
    void attempt(const std::shared_ptr<Delivery>& delivery);
    std::chrono::milliseconds pause_after(int attempts) const;
    std::shared_ptr<Delivery> start(const Event& event, std::chrono::milliseconds delay);

    const Options options_;
    Schedule& schedule_;
    const Clock& clock_;
    const crypto::HmacKey key_;
    mutable std::mutex mutex_;
    std::condition_variable acknowledged_;
    Counts counts_;
};

// "t=1614265330,v1=...": over "{t}.{body}", the whole secret being the key.
std::string stripe_signature(const crypto::HmacKey& key, Time at, std::string_view body);

}  // namespace pawl::sandbox
