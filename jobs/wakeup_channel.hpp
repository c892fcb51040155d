// The signal between processes: who stages rings, who moves hears. Rung by a statement of its own
// after the commit, at most once in a while however often it is asked for. A WakeupNotifier and a
// WakeupListener each have a thread and a session. Nothing depends on them: whoever hears also
// looks by himself.
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
