// The queue in PostgreSQL: the tables staged_jobs and jobs. Reads both from where it found work
// last, because the rows before that are dead ones, which an old open transaction can keep from
// being removed for long; and looks back from the beginning every few seconds, for whoever came
// late. Owned by one thread, with a session of its own.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "base/clock.hpp"
#include "db/session.hpp"
#include "jobs/job_queue.hpp"

namespace pawl::jobs {

struct PostgresQueueOptions {
    std::chrono::seconds lease{30};
    std::chrono::milliseconds look_back_every{5000};
};

class PostgresQueue final : public JobQueue {
  public:
    PostgresQueue(PostgresQueueOptions options, db::SessionOptions session, const Clock& clock);

    Moved move(const Routes& routes, std::size_t jobs_max, Time now) override;
    Exchanged exchange(const std::vector<Finished>& finished, const std::vector<Held>& held,
                       const std::vector<Want>& wants, Time now) override;
    void bring_forward(const std::string& kind, const std::string& target, Time now) override;

  private:
    using Lane = std::pair<std::string, std::string>;
    using Steady = std::chrono::steady_clock::time_point;
    // When to look from the beginning again: what it costs may be up to a twentieth of the time.
    struct LookBack {
        Steady next{};
        bool due(Steady now) const { return now >= next; }
        void looked(Steady began, Steady ended, std::chrono::milliseconds every);
    };

    void note_moved(std::optional<std::int64_t> last, bool more_behind, Steady now);
    void finish(db::Transaction& transaction, const std::vector<Finished>& finished, Time now,
                Exchanged& into);
    void keep(db::Transaction& transaction, const std::vector<Held>& held, Exchanged& into);
    std::set<Lane> adopt(db::Transaction& transaction, const std::vector<Want>& wants);
    void claim(db::Transaction& transaction, const std::vector<Want>& wants, Time now,
               Exchanged& into);
    void claim_suspects(db::Transaction& transaction, const std::vector<Want>& wants, Time now,
                        Exchanged& into);
    void claim_in_order(db::Transaction& transaction, const Want& want, Time now,
                        std::vector<Job>& into);

    const PostgresQueueOptions options_;
    const Clock& clock_;
    db::Session session_;
    bool in_doubt_ = false;  // the last exchange may have landed

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
