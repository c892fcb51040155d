// Ends connections whose server no longer answers. Every timeout of PostgreSQL is the server's: a
// server that hangs, or a network that drops every packet, would block a reader forever. A
// statement that takes longer than the server itself would have let it take is cut off here, by
// shutting the socket down under it. Made by the wiring and shared by all sessions; watches may
// begin and end on every thread.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <mutex>

#include "base/timer.hpp"

namespace pawl::db {

class Watchdog {
  public:
    explicit Watchdog(std::shared_ptr<Timer> timer) : timer_(std::move(timer)) {}
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // The program is stopping: every statement is cut by then, and no session connects after it.
    // Called once.
    void end_at(std::chrono::steady_clock::time_point time);
    // Connecting cannot be cut. While the last attempt of any session failed, none is begun that
    // might last past the end.
    bool may_connect() const;
    void note_connected(bool connected);

    // As long as it lives, and not longer than `limit`, the socket is left alone. The descriptor
    // must stay open and must not be reused until the watch is over.
    class Watch {
      public:
        Watch(std::shared_ptr<Watchdog> dog, int socket, std::chrono::milliseconds limit);
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

      private:
        const std::shared_ptr<Watchdog> dog_;  // nothing: unwatched
        std::list<int>::iterator place_;
        Timer::Deadline limit_;
    };

  private:
    const std::shared_ptr<Timer> timer_;
    mutable std::mutex mutex_;
    std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();
    bool away_ = false;  // the last attempt to connect failed
    std::list<int> sockets_;
    Timer::Deadline at_end_;  // declared last: the members that it uses outlive it
};

}  // namespace pawl::db
