// The queue of jobs in PostgreSQL: staged jobs (`staged_jobs`), and jobs that workers claim
// (`jobs`). Reads both from where it found work last, because the rows before that are dead ones,
// which an old open transaction can keep from being removed for long; and rescans from the
// beginning every few seconds, for rows that committed late. Every call throws db::Failure if the
// database is unreachable; the same call may then be made again. Owned by one thread, with a
// session of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "db/session.hpp"
#include "jobs/job.hpp"

namespace pawl::jobs {

// Jobs of `kind` whose payload's "type" matches become a job for each target. A kind with no route
// at all is enqueued as it is; one with routes of which none matches is done at once.
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
    std::size_t ready = 0;  // due or waiting for their next attempt
};

// A lane is the bulkhead of one handler: a kind, or one target of it.
struct ClaimRequest {
    std::string kind;
    std::string target;
    std::size_t room = 0;      // limit
    std::size_t suspects = 0;  // limit of jobs whose last lease expired without a result
    bool ordered = false;
};

struct CompletedJob {
    JobKey key;
    std::int64_t fencing_token = 0;
    std::string state;  // ready, done or dead
    std::optional<Time> run_at;
    std::optional<std::string> error;
    bool given_back = false;  // not begun: the attempt does not count
};

struct LeaseRenewal {
    JobKey key;
    std::int64_t fencing_token = 0;
};

struct SyncResult {
    std::vector<std::vector<Job>> claimed;  // for each ClaimRequest, in order
    std::size_t stale = 0;                  // writes refused: another worker had the lease
    std::vector<LeaseRenewal> lost;         // leases that could not be renewed
};

struct JobQueueOptions {
    std::chrono::seconds lease{30};
    std::chrono::milliseconds look_back_every{5000};
};

class JobQueue {
  public:
    JobQueue(JobQueueOptions options, db::SessionOptions session, const Clock& clock);

    // Moves at most `jobs_max` staged jobs: exactly those that it locked.
    Moved move(const Routes& routes, std::size_t jobs_max, Time now);
    // Writes results, renews leases and claims more jobs, in one transaction.
    SyncResult exchange(const std::vector<CompletedJob>& finished,
                        const std::vector<LeaseRenewal>& held,
                        const std::vector<ClaimRequest>& wants, Time now);
    // Makes a target's backed-off jobs due now; called when its circuit breaker closes.
    void bring_forward(const std::string& kind, const std::string& target, Time now);

  private:
    using Lane = std::pair<std::string, std::string>;
    using Steady = std::chrono::steady_clock::time_point;
    // The next rescan from the beginning; it may cost up to a twentieth of the time.
    struct LookBack {
        Steady next{};
        bool due(Steady now) const { return now >= next; }
        void looked(Steady began, Steady ended, std::chrono::milliseconds every);
    };

    void note_moved(std::optional<std::int64_t> last, bool more_behind, Steady now);
    void finish(db::Transaction& transaction, const std::vector<CompletedJob>& finished, Time now,
                SyncResult& into);
    void keep(db::Transaction& transaction, const std::vector<LeaseRenewal>& held,
              SyncResult& into);
    std::set<Lane> adopt(db::Transaction& transaction, const std::vector<ClaimRequest>& wants);
    void claim(db::Transaction& transaction, const std::vector<ClaimRequest>& wants, Time now,
               SyncResult& into);
    void claim_suspects(db::Transaction& transaction, const std::vector<ClaimRequest>& wants,
                        Time now, SyncResult& into);
    void claim_in_order(db::Transaction& transaction, const ClaimRequest& want, Time now,
                        std::vector<Job>& into);

    const JobQueueOptions options_;
    const Clock& clock_;
    db::Session session_;
    bool in_doubt_ = false;  // the last exchange is in doubt

    LookBack staged_look_back_;
    std::int64_t staged_from_ = 0;     // taken up to here, a moment ago
    std::int64_t staged_pending_ = 0;  // taken up to here, perhaps only just
    std::int64_t staged_newest_ = 0;
    Steady staged_noted_{};

    LookBack look_back_;
    LookBack suspects_look_;
    LookBack adopting_look_;
    std::map<Lane, Time> due_from_;
    std::map<Lane, std::string> key_after_;
};

}  // namespace pawl::jobs
