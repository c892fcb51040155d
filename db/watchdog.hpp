// Ends connections whose server has gone silent. Every time-out of PostgreSQL is the server's: one
// that hangs, or a wire that loses everything, would keep whoever reads from it for ever. A
// statement that takes longer than the server itself would have let it take is cut off here, by
// shutting the socket down under it. One thread for the whole program; made by the wiring and
// shared by all sessions; watches may begin and end on every thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace pawl::db {

class Watchdog {
  public:
    Watchdog();
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // The program is stopping: every statement is cut by then, and no session connects after it.
    void end_at(std::chrono::steady_clock::time_point time);
    // Connecting cannot be cut. While the last attempt of any session failed, none is begun that
    // might last past the end.
    bool may_connect() const;
    void note_connected(bool connected);

  private:
    struct Watched {
        int socket;
        std::chrono::steady_clock::time_point until;
    };

  public:
    // As long as it lives, and not longer than `limit`, the socket is left alone. The descriptor
    // must stay open and be nobody else's until the watch is over.
    class Watch {
      public:
        Watch(std::shared_ptr<Watchdog> dog, int socket, std::chrono::milliseconds limit);
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

      private:
        std::shared_ptr<Watchdog> dog_;  // nothing: unwatched
        std::list<Watched>::iterator place_;
    };

  private:
    void run();

    mutable std::mutex mutex_;
    std::condition_variable ending_now_;
    std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();
    bool away_ = false;  // the last attempt to connect failed
    std::list<Watched> watched_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace pawl::db
