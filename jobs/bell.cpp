#include "jobs/bell.hpp"

#include <pthread.h>

#include "base/log.hpp"
#include "db/listener.hpp"

namespace pawl::jobs {
namespace {

// Rung more often, the bell would cost more than the looks that it saves.
constexpr std::chrono::milliseconds between_rings(50);
constexpr std::chrono::milliseconds pause_after_failure(1000);
constexpr std::chrono::hours until_poked(1);
// How long a stop may have to wait for an ear.
constexpr std::chrono::milliseconds one_listen(200);

db::SessionOptions named(db::SessionOptions options, const char* name) {
    options.name = name;
    return options;
}

}  // namespace

Bell::Bell(db::SessionOptions session, std::string channel)
    : session_options_(named(std::move(session), "bell")), channel_(std::move(channel)) {}

Bell::~Bell() {
    stop();
}

void Bell::start() {
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "bell");
        run();
    });
}

void Bell::stop() {
    wake_.stop();
    if (thread_.joinable()) thread_.join();
}

void Bell::run() {
    db::Session session(session_options_);
    SecureRng chance;
    while (!wake_.stopping()) {
        if (!wake_.wait_for(until_poked) || wake_.stopping()) continue;
        try {
            db::notify(session, channel_);
            std::this_thread::sleep_for(between_rings);
        } catch (const db::Failure& failure) {
            log::debug("the bell was not heard", {{"why", failure.what()}});
            std::this_thread::sleep_for(jittered(pause_after_failure, chance));
        }
    }
}

Ear::Ear(db::SessionOptions session, std::string channel, std::function<void()> heard)
    : session_options_(named(std::move(session), "ear")),
      channel_(std::move(channel)),
      heard_(std::move(heard)) {}

Ear::~Ear() {
    stop();
}

void Ear::start() {
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "ear");
        run();
    });
}

void Ear::stop() {
    wake_.stop();
    if (thread_.joinable()) thread_.join();
}

void Ear::run() {
    db::Listener listener(session_options_, channel_);
    SecureRng chance;
    while (!wake_.stopping()) {
        try {
            if (listener.wait(one_listen)) heard_();
        } catch (const db::Failure& failure) {
            log::debug("an ear hears nothing", {{"why", failure.what()}});
            wake_.wait_for(jittered(pause_after_failure, chance));
        }
    }
}

}  // namespace pawl::jobs
