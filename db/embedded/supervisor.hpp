// The thread that keeps the server running: starts it, notices its end within milliseconds, starts
// it again (at most every five seconds, for as long as it takes), and stops it. Owned by the
// EmbeddedCluster; its public functions are called by the cluster's owner, the rest is its
// thread's.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include "base/process.hpp"
#include "base/result.hpp"
#include "db/embedded/options.hpp"
#include "db/embedded/place.hpp"
#include "db/embedded/programs.hpp"
#include "db/embedded/server.hpp"

namespace pawl::db::cluster {

class Supervisor {
  public:
    // Returns when the first start has succeeded or failed.
    static Result<std::unique_ptr<Supervisor>> start(Place place, Programs programs,
                                                     EmbeddedOptions options);
    ~Supervisor();  // stop()
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    void stop();                                      // returns when the server has ended
    pid_t server_pid() const { return server_pid_; }  // 0 while it is down
    int restarts() const { return restarts_; }

  private:
    Supervisor(Place place, Programs programs, EmbeddedOptions options);
    void run(std::promise<Result<void>>& first);
    Result<Server> start_server();
    Result<Server> restart_server();
    void watch(Server& server);
    bool stopped_within(std::chrono::milliseconds pause) const;

    Place place_;
    Programs programs_;
    EmbeddedOptions options_;
    process::Fd wake_;
    std::atomic<bool> stopping_{false};
    std::atomic<pid_t> server_pid_{0};
    std::atomic<int> restarts_{0};
    std::thread thread_;
};

}  // namespace pawl::db::cluster
