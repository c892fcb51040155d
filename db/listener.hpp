// LISTEN and NOTIFY on one channel. Notifications are hints: one may be lost with a connection, and
// a receiver also polls. A Listener has a connection of its own and is owned by one thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "db/session.hpp"

namespace pawl::db {

class Listener {
  public:
    Listener(SessionOptions options, std::string channel);
    ~Listener();

    // Returns true if a notification came, or may have been missed (the connection is new). Throws
    // Failure.
    bool wait(std::chrono::milliseconds longest);
    void interrupt();  // from any thread, permanently: every wait returns at once

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// A statement of its own: inside a business transaction it would make every commit wait for every
// other one's.
void notify(Session& session, const std::string& channel);

}  // namespace pawl::db
