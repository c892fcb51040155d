// The listening sockets that Drogon opened, one for each listener and IO loop. Drogon can only
// close them together with every connection; the edge closes them first, so that no connection is
// accepted while requests finish. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace pawl::http {

class Listening {
  public:
    void add(int fd);  // just before it listens, on its IO loop
    // Returns false if fewer sockets were listening in time.
    bool wait_for(std::size_t count, std::chrono::milliseconds within);
    void close();

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<int> fds_;
};

void close_listening(int fd);  // the descriptor itself stays open, and accepts nothing

// Socket option of accepted sockets: sent data that is not acknowledged for so long ends the
// connection.
void give_up_on_silent_peers(int fd);

void redirect_drogons_log();

}  // namespace pawl::http
