#include "sandbox/webhooks.hpp"

#include <algorithm>

#include "base/encoding.hpp"

namespace pawl::sandbox {

std::string stripe_signature(const crypto::HmacKey& key, Time at, std::string_view body) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at.time_since_epoch());
    const std::string timestamp = std::to_string(seconds.count());
    const std::string_view parts[] = {timestamp, ".", body};
    return "t=" + timestamp + ",v1=" + to_hex(key.sign(parts));
}

Webhooks::Webhooks(Options options, Schedule& schedule, const Clock& clock)
    : options_(std::move(options)),
      schedule_(schedule),
      clock_(clock),
      key_(crypto::Hash::sha256, options_.secret) {}

void Webhooks::send(const Event& event, std::chrono::milliseconds delay) {
    start(event, delay);
}

bool Webhooks::send_and_wait(const Event& event, std::chrono::milliseconds limit) {
    const auto delivery = start(event, {});
    if (!delivery) return false;
    std::unique_lock lock(mutex_);
    return acknowledged_.wait_for(lock, limit, [&] { return delivery->acknowledged; });
}

std::shared_ptr<Webhooks::Delivery> Webhooks::start(const Event& event,
                                                    std::chrono::milliseconds delay) {
    if (!options_.target) return nullptr;
    auto delivery = std::make_shared<Delivery>();
    delivery->event = event;
    {
        const std::lock_guard lock(mutex_);
        ++counts_.events;
    }
    schedule_.after(delay, [this, delivery] { attempt(delivery); });
    return delivery;
}

void Webhooks::attempt(const std::shared_ptr<Delivery>& delivery) {
    const std::string& body = delivery->event.body;
    // Signed again each time, as Stripe does: receivers refuse signatures that are minutes old.
    const Fields headers = {{"Content-Type", "application/json; charset=utf-8"},
                            {"User-Agent", "Pawl-Sandbox"},
                            {"Stripe-Signature", stripe_signature(key_, clock_.now(), body)}};
    const int status = post(*options_.target, headers, body, options_.within);
    const bool taken = status >= 200 && status < 300;
    ++delivery->attempts;
    {
        const std::lock_guard lock(mutex_);
        ++counts_.attempts;
        if (taken) ++counts_.acknowledged;
        delivery->acknowledged = taken;
    }
    acknowledged_.notify_all();
    if (taken) return;
    schedule_.after(pause_after(delivery->attempts), [this, delivery] { attempt(delivery); });
}

std::chrono::milliseconds Webhooks::pause_after(int attempts) const {
    constexpr int doublings_max = 16;
    const auto pause = options_.first_retry * (1 << std::min(attempts - 1, doublings_max));
    return std::min(pause, options_.longest_retry);
}

Webhooks::Counts Webhooks::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

}  // namespace pawl::sandbox
