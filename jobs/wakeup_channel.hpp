// LISTEN/NOTIFY between processes: a process that stages jobs sends NOTIFY after its commit, in a
// statement of its own and at most once in 50 ms; a process that enqueues or works listens. Polling
// is authoritative; NOTIFY only reduces latency. Each object has a thread and a session.
#pragma once

#include <functional>
#include <string>

#include "base/loop.hpp"
#include "db/listener.hpp"
#include "db/session.hpp"

namespace pawl::jobs {

inline constexpr const char* staged_channel = "pawl_staged";
inline constexpr const char* ready_channel = "pawl_ready";

class WakeupNotifier {
  public:
    WakeupNotifier(db::SessionOptions session, std::string channel);
    void notify() { loop_.poke(); }
    void start() { loop_.start(); }
    void drain() { loop_.drain(); }  // returns at once
    void stop() { loop_.join(); }

  private:
    Loop::Pause send_notify();

    const std::string channel_;
    db::Session session_;  // of the loop
    Loop loop_;
};

class WakeupListener {
  public:
    WakeupListener(db::SessionOptions session, std::string channel,
                   std::function<void()> on_wakeup);
    ~WakeupListener();  // stops
    void start() { loop_.start(); }
    void drain();  // returns at once
    void stop();

  private:
    Loop::Pause listen();

    const std::function<void()> on_wakeup_;
    db::Listener listener_;  // of the loop
    Loop loop_;
};

}  // namespace pawl::jobs
