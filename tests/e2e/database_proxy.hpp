// A wire between the program and its database that a test can cut, hold, or cut at the very moment
// at which a COMMIT is on its way. Its own thread carries the bytes; the test may call everything
// from its thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>

#include "base/process.hpp"

namespace pawl::testing {

class DatabaseProxy {
  public:
    explicit DatabaseProxy(std::string url);  // of the database, reached by its socket
    ~DatabaseProxy();

    const std::string& url() const { return url_; }  // the same database, through the wire

    enum class Mode {
        carry,
        hold,      // connections stay, nothing moves: a host that hangs
        hold_old,  // nothing moves on the connections that are open now; new ones work
        refuse,    // connections are cut, new ones too
    };
    void set(Mode mode);

    // Once: the next COMMIT does not arrive, or arrives and its answer does not come back; in both
    // cases the connection is cut.
    void lose_next_commit() { commit_ = Commit::lose; }
    void lose_next_commits_answer() { commit_ = Commit::lose_answer; }
    int commits_lost() const { return commits_lost_; }

  private:
    enum class Commit { carry, lose, lose_answer };
    struct Pair {
        process::Fd program;
        process::Fd database;
        bool held = false;
        bool cut_at_answer = false;
        bool over = false;
    };

    void run();
    void accept_one();
    void carry_from_program(Pair& pair);
    void carry_from_database(Pair& pair);

    std::string socket_path_;
    std::string url_;
    process::Fd listener_;
    std::atomic<Mode> mode_{Mode::carry};
    std::atomic<bool> hold_open_ones_{false};
    std::atomic<Commit> commit_{Commit::carry};
    std::atomic<int> commits_lost_{0};
    std::atomic<bool> ending_{false};
    std::list<Pair> pairs_;
    std::thread thread_;
};

}  // namespace pawl::testing
