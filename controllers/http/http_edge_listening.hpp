// The listening sockets that Drogon opened for us, one for each listener and IO loop. Drogon can
// only close them together with every connection; we close them first, so that nothing new is
// accepted while what has begun is finished. Any thread.
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

// For each accepted socket: what has been sent and not been taken for so long ends the connection.
void give_up_on_silent_peers(int fd);

void send_drogons_log_to_ours();

}  // namespace pawl::http
