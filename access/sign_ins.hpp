// Rejected sign-ins at the admin API: an audit row and a log line for each, ten a minute at most.
// The next row has the number of those that were left out. Safe from every thread; `note` waits for
// the database.
#pragma once

#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "db/pool.hpp"

namespace pawl::access {

struct RejectedSignIn {
    std::string reason;     // of the rejection
    std::string principal;  // of the token; empty: it is unknown
    std::string request;    // method and path
    std::string remote;     // address and port of the client
};

class RejectedSignIns {
  public:
    static constexpr int rows_a_minute = 10;

    RejectedSignIns(db::Pool& pool, const Clock& clock) : pool_(pool), clock_(clock) {}

    void note(const RejectedSignIn& rejected);

  private:
    // Returns the number of those left out before; -1: this one is left out, too.
    std::int64_t admit();

    db::Pool& pool_;
    const Clock& clock_;
    std::mutex mutex_;
    Time minute_began_{};
    int rows_ = 0;  // of this minute
    std::int64_t left_out_ = 0;
};

}  // namespace pawl::access
