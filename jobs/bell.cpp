#include "jobs/bell.hpp"

#include <thread>

namespace pawl::jobs {
namespace {

// Rung more often, the bell would cost more than the looks that it saves.
constexpr std::chrono::milliseconds between_rings(50);
constexpr std::chrono::milliseconds pause_after_failure(1000);
// A server that has gone without a word is noticed by keepalives, and by this at the latest.
constexpr std::chrono::minutes listen_max(1);

}  // namespace

Bell::Bell(db::SessionOptions session, std::string channel)
    : channel_(std::move(channel)),
      session_(db::named(std::move(session), "bell")),
      loop_(
          "bell", [this] { return notify(); }, pause_after_failure) {}

Loop::Pause Bell::notify() {
    db::notify(session_, channel_);
    std::this_thread::sleep_for(between_rings);
    return Loop::until_poked;
}

Ear::Ear(db::SessionOptions session, std::string channel, std::function<void()> heard)
    : heard_(std::move(heard)),
      listener_(db::named(std::move(session), "ear"), std::move(channel)),
      loop_(
          "ear", [this] { return listen(); }, pause_after_failure) {}

Ear::~Ear() {
    stop();
}

Loop::Pause Ear::listen() {
    if (listener_.wait(listen_max)) heard_();
    return Loop::Pause::zero();
}

void Ear::drain() {
    loop_.drain();
    listener_.interrupt();
}

void Ear::stop() {
    drain();
    loop_.join();
}

}  // namespace pawl::jobs
