#include "jobs/wakeup_channel.hpp"

#include <thread>

namespace pawl::jobs {
namespace {

// More frequent notifications would cost more than the polling that they save.
constexpr std::chrono::milliseconds between_notifications(50);
constexpr std::chrono::milliseconds pause_after_failure(1000);
// A server that has gone without a word is noticed by keepalives, and by this at the latest.
constexpr std::chrono::minutes listen_max(1);

}  // namespace

WakeupNotifier::WakeupNotifier(db::SessionOptions session, std::string channel)
    : channel_(std::move(channel)),
      session_(db::named(std::move(session), "wakeup-notify")),
      loop_(
          "wakeup-notify", [this] { return send_notify(); }, pause_after_failure) {}

Loop::Pause WakeupNotifier::send_notify() {
    db::notify(session_, channel_);
    std::this_thread::sleep_for(between_notifications);
    return Loop::until_poked;
}

WakeupListener::WakeupListener(db::SessionOptions session, std::string channel,
                               std::function<void()> on_wakeup)
    : on_wakeup_(std::move(on_wakeup)),
      listener_(db::named(std::move(session), "wakeup-listen"), std::move(channel)),
      loop_(
          "wakeup-listen", [this] { return listen(); }, pause_after_failure) {}

WakeupListener::~WakeupListener() {
    stop();
}

Loop::Pause WakeupListener::listen() {
    if (listener_.wait(listen_max)) on_wakeup_();
    return Loop::Pause::zero();
}

void WakeupListener::drain() {
    loop_.drain();
    listener_.interrupt();
}

void WakeupListener::stop() {
    drain();
    loop_.join();
}

}  // namespace pawl::jobs
