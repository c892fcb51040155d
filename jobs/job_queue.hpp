// Where staged jobs go, and where workers get theirs from. PostgreSQL is the default
// (postgres_queue); a broker can be another: `move` then publishes what it locked before it
// deletes it, and `exchange` acknowledges, extends and fetches. One object belongs to one thread.
// Every call throws db::Failure where the other side is out of reach; the same call may then be
// made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/job.hpp"

namespace pawl::jobs {

// Jobs of `kind` whose payload's "type" fits become a job for each target. A kind with no route at
// all is moved as it is; one with routes of which none fits is done at once: nobody wants it.
struct Route {
    std::string kind;
    std::string type;  // exact, or the beginning where `whole` is false
    bool whole = true;
    std::string target;
    bool ordered = false;  // one after the other for each account
};

struct Routes {
    std::vector<std::string> kinds;  // those that are routed, also where there is no route
    std::vector<Route> routes;
};

struct Moved {
    std::size_t jobs = 0;   // staged ones that are staged no more
    std::size_t ready = 0;  // that somebody has to carry out
};

// A lane is what one handler serves: a kind, or one target of it.
struct Want {
    std::string kind;
    std::string target;
    std::size_t room = 0;      // at most so many
    std::size_t suspects = 0;  // of those whose last worker ended without a word
    bool ordered = false;
};

struct Finished {
    JobKey key;
    std::int64_t fencing_token = 0;
    std::string state;  // ready, done or dead
    std::optional<Time> run_at;
    std::optional<std::string> error;
    bool given_back = false;  // not begun: the attempt does not count
};

struct Held {
    JobKey key;
    std::int64_t fencing_token = 0;
};

struct Exchanged {
    std::vector<std::vector<Job>> claimed;  // for each Want, in order
    std::size_t stale = 0;                  // writes refused: somebody else had the lease
    std::vector<Held> lost;                 // of those to be kept
};

class JobQueue {
  public:
    virtual ~JobQueue() = default;

    // Moves at most so many staged jobs: exactly those that it locked.
    virtual Moved move(const Routes& routes, std::size_t jobs_max, Time now) = 0;
    // Writes what has ended, keeps the leases of what has not, and claims more: one transaction.
    virtual Exchanged exchange(const std::vector<Finished>& finished, const std::vector<Held>& held,
                               const std::vector<Want>& wants, Time now) = 0;
    // Those of a target that wait for a later attempt may run now: it has come back.
    virtual void bring_forward(const std::string& kind, const std::string& target, Time now) = 0;
};

}  // namespace pawl::jobs
