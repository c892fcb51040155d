#include "jobs/job_queue.hpp"

#include <algorithm>
#include <utility>

#include "base/fault.hpp"
#include "jobs/sql.hpp"

namespace pawl::jobs {
namespace {

// Longer than a transaction that stages or enqueues usually takes: its rows appear late, before the
// start of the next scan. Rows of longer ones are found by the rescan.
constexpr std::chrono::seconds late_commit_window(1);

}  // namespace

void JobQueue::LookBack::looked(Steady began, Steady ended, std::chrono::milliseconds every) {
    constexpr int pause_factor = 20;
    next = ended + std::max<std::chrono::nanoseconds>(every, (ended - began) * pause_factor);
}

JobQueue::JobQueue(JobQueueOptions options, db::SessionOptions session, const Clock& clock)
    : options_(options), clock_(clock), session_(std::move(session)) {}

Moved JobQueue::move(const Routes& routes, std::size_t jobs_max, Time now) {
    db::Texts kinds, types, targets;
    db::Flags whole, ordered;
    for (const Route& route : routes.routes) {
        kinds.add(route.kind);
        types.add(route.type);
        whole.add(route.whole);
        targets.add(route.target);
        ordered.add(route.ordered);
    }
    const Steady began = clock_.steady();
    const bool looks_back = staged_look_back_.due(began);
    const std::int64_t from = looks_back ? INT64_MIN : staged_from_;
    db::Transaction transaction(session_);
    const auto rows = transaction.run(sql::MoveJobs{.from_id = from,
                                                    .jobs_max = jobs_max,
                                                    .now = now,
                                                    .routed_kind = db::Texts(routes.kinds),
                                                    .kind = std::move(kinds),
                                                    .type = std::move(types),
                                                    .whole = std::move(whole),
                                                    .target = std::move(targets),
                                                    .ordered = std::move(ordered)});
    const auto row = rows.only();
    PAWL_FAULT_POINT(enqueuer_before_commit);
    transaction.commit();
    PAWL_FAULT_POINT(enqueuer_after_commit);

    const Steady ended = clock_.steady();
    if (looks_back) staged_look_back_.looked(began, ended, options_.look_back_every);
    const Moved moved{static_cast<std::size_t>(row.moved()),
                      static_cast<std::size_t>(row.inserted())};
    note_moved(row.newest_id(), looks_back && moved.jobs == jobs_max, ended);
    return moved;
}

void JobQueue::note_moved(std::optional<std::int64_t> last, bool more_behind, Steady now) {
    if (last) staged_newest_ = std::max(staged_newest_, *last);
    if (more_behind && *last < staged_from_) {
        // More late rows than this are a backlog of their own: continue with it.
        staged_from_ = staged_newest_ = staged_pending_ = *last;
    }
    if (now - staged_noted_ <= late_commit_window) return;
    staged_noted_ = now;
    staged_from_ = std::exchange(staged_pending_, staged_newest_);
}

SyncResult JobQueue::exchange(const std::vector<CompletedJob>& finished,
                              const std::vector<LeaseRenewal>& held,
                              const std::vector<ClaimRequest>& wants, Time now) {
    SyncResult answer;
    answer.claimed.resize(wants.size());
    db::Transaction transaction(session_);
    // Before claiming, so that a lease held here does not count as that of a dead worker.
    if (!held.empty()) keep(transaction, held, answer);
    if (!finished.empty()) finish(transaction, finished, now, answer);
    const std::set<Lane> not_yet = adopt(transaction, wants);
    claim_suspects(transaction, wants, now, answer);
    claim(transaction, wants, now, answer);
    for (std::size_t i = 0; i < wants.size(); ++i) {
        if (!wants[i].ordered || wants[i].room == 0) continue;
        if (not_yet.contains({wants[i].kind, wants[i].target})) continue;
        claim_in_order(transaction, wants[i], now, answer.claimed[i]);
    }
    in_doubt_ = true;
    transaction.commit();
    in_doubt_ = false;
    PAWL_FAULT_POINT(worker_after_claim);
    return answer;
}

void JobQueue::finish(db::Transaction& transaction, const std::vector<CompletedJob>& finished,
                      Time now, SyncResult& into) {
    db::Numbers ids, fencing_tokens;
    db::Texts targets, states, errors;
    db::Times run_at;
    db::Flags given_back;
    for (const CompletedJob& one : finished) {
        ids.add(one.key.id);
        targets.add(one.key.target);
        fencing_tokens.add(one.fencing_token);
        states.add(one.state);
        run_at.add(one.run_at);
        errors.add(one.error);
        given_back.add(one.given_back);
    }
    const auto rows = transaction.run(sql::FinishJobs{.id = std::move(ids),
                                                      .target = std::move(targets),
                                                      .lease = std::move(fencing_tokens),
                                                      .state = std::move(states),
                                                      .run_at = std::move(run_at),
                                                      .error = std::move(errors),
                                                      .given_back = std::move(given_back),
                                                      .now = now});
    const auto written = rows.only().written();
    // After a lost answer to COMMIT the same is written again, and may have been written.
    if (!in_doubt_) into.stale = finished.size() - static_cast<std::size_t>(written);
}

void JobQueue::keep(db::Transaction& transaction, const std::vector<LeaseRenewal>& held,
                    SyncResult& into) {
    db::Numbers ids, fencing_tokens;
    db::Texts targets;
    for (const LeaseRenewal& one : held) {
        ids.add(one.key.id);
        targets.add(one.key.target);
        fencing_tokens.add(one.fencing_token);
    }
    std::set<JobKey> kept;
    for (const auto row : transaction.run(sql::KeepJobs{.id = std::move(ids),
                          .target = std::move(targets),
                          .lease = std::move(fencing_tokens),
                          .lease_seconds = options_.lease.count()})) {
        kept.insert({row.id(), std::string(row.target())});
    }
    for (const LeaseRenewal& one : held) {
        if (!kept.contains(one.key)) into.lost.push_back(one);
    }
}

void JobQueue::bring_forward(const std::string& kind, const std::string& target, Time now) {
    constexpr std::int64_t jobs_max = 10000;
    db::Statement::run(
        session_,
        sql::BringForwardJobs{.kind = kind, .target = target, .now = now, .jobs_max = jobs_max});
}

// Claiming.

namespace {

// Maximum crashed jobs scanned in each lane: the expired ones are among its oldest.
constexpr std::int64_t crashed_scan_max = 2000;
// Maximum keys scanned per poll of an ordered lane. Keys whose first job waits for its next attempt
// are skipped.
constexpr std::int64_t keys_looked_at = 256;
// Maximum rows scanned per poll of each lane.
constexpr std::int64_t adopted_at_once = 5000;
constexpr Time the_beginning = Time(std::chrono::seconds(0));

struct Lanes {
    db::Texts kinds, targets;
    db::Numbers rooms;
    std::vector<std::size_t> wants;  // which ClaimRequest each is

    void add(const ClaimRequest& want, std::size_t room, std::size_t index) {
        kinds.add(want.kind);
        targets.add(want.target);
        rooms.add(static_cast<std::int64_t>(room));
        wants.push_back(index);
    }
};

Job to_job(const sql::ClaimedJobRow& row) {
    Job job;
    job.key = {row.id(), std::string(row.target())};
    job.kind = row.kind();
    job.payload = row.payload();
    job.correlation_id = CorrelationId(std::string(row.correlation_id()));
    job.staged_at = row.staged_at();
    job.attempt = row.attempts();
    job.crashes = row.crashes();
    job.fencing_token = row.lease();
    return job;
}

}  // namespace

// Applies a changed `ordered` setting to earlier jobs. Returns the lanes that may have more of
// them: no job may overtake those.
std::set<JobQueue::Lane> JobQueue::adopt(db::Transaction& transaction,
                                         const std::vector<ClaimRequest>& wants) {
    const Steady began = clock_.steady();
    if (!adopting_look_.due(began)) return {};
    db::Texts kinds, targets;
    db::Flags ordered;
    for (const ClaimRequest& want : wants) {
        if (want.room == 0) continue;
        kinds.add(want.kind);
        targets.add(want.target);
        ordered.add(want.ordered);
    }
    if (kinds.empty()) return {};
    std::map<Lane, std::int64_t> adopted;
    for (const auto row : transaction.run(sql::AdoptJobs{.kind = std::move(kinds),
                          .target = std::move(targets),
                          .ordered = std::move(ordered),
                          .jobs_max = adopted_at_once})) {
        ++adopted[{std::string(row.kind()), std::string(row.target())}];
    }
    std::set<Lane> more;
    for (const auto& [lane, jobs] : adopted) {
        if (jobs >= adopted_at_once) more.insert(lane);
    }
    if (more.empty()) adopting_look_.looked(began, clock_.steady(), options_.look_back_every);
    return more;
}

void JobQueue::claim(db::Transaction& transaction, const std::vector<ClaimRequest>& wants, Time now,
                     SyncResult& into) {
    const Steady began = clock_.steady();
    const bool looks_back = look_back_.due(began);
    Lanes lanes;
    db::Times from;
    for (std::size_t i = 0; i < wants.size(); ++i) {
        const std::size_t suspects = into.claimed[i].size();
        if (wants[i].ordered || wants[i].room <= suspects) continue;
        lanes.add(wants[i], wants[i].room - suspects, i);
        const auto known = due_from_.find({wants[i].kind, wants[i].target});
        from.add(looks_back || known == due_from_.end() ? the_beginning : known->second);
    }
    if (lanes.wants.empty()) return;
    std::vector<Time> newest(lanes.wants.size(), the_beginning);
    for (const auto row : transaction.run(sql::ClaimJobs{.now = now,
                          .lease_seconds = options_.lease.count(),
                          .kind = std::move(lanes.kinds),
                          .target = std::move(lanes.targets),
                          .room = std::move(lanes.rooms),
                          .due_from = std::move(from)})) {
        const auto lane = static_cast<std::size_t>(row.nr() - 1);
        newest[lane] = std::max(newest[lane], row.claimed_job().run_at());
        into.claimed[lanes.wants[lane]].push_back(to_job(row.claimed_job()));
    }
    if (looks_back) look_back_.looked(began, clock_.steady(), options_.look_back_every);
    for (std::size_t lane = 0; lane < lanes.wants.size(); ++lane) {
        const ClaimRequest& want = wants[lanes.wants[lane]];
        // Where there was less than wanted, everything that was due has been taken.
        const bool full = into.claimed[lanes.wants[lane]].size() >= want.room;
        Time& known = due_from_[{want.kind, want.target}];
        const Time reached = (full ? newest[lane] : now) - late_commit_window;
        known = full && looks_back ? reached : std::max(known, reached);
    }
}

void JobQueue::claim_suspects(db::Transaction& transaction, const std::vector<ClaimRequest>& wants,
                              Time now, SyncResult& into) {
    const Steady began = clock_.steady();
    if (!suspects_look_.due(began)) return;
    Lanes lanes;
    for (std::size_t i = 0; i < wants.size(); ++i) {
        const std::size_t room = std::min(wants[i].room, wants[i].suspects);
        if (!wants[i].ordered && room > 0) lanes.add(wants[i], room, i);
    }
    if (lanes.wants.empty()) return;
    const auto rows = transaction.run(sql::ClaimSuspects{.now = now,
                                                         .lease_seconds = options_.lease.count(),
                                                         .kind = std::move(lanes.kinds),
                                                         .target = std::move(lanes.targets),
                                                         .room = std::move(lanes.rooms),
                                                         .rows_max = crashed_scan_max});
    for (const auto row : rows) {
        const auto lane = static_cast<std::size_t>(row.nr() - 1);
        into.claimed[lanes.wants[lane]].push_back(to_job(row.claimed_job()));
    }
    // Where there was one there may be more.
    if (rows.empty()) suspects_look_.looked(began, clock_.steady(), options_.look_back_every);
}

void JobQueue::claim_in_order(db::Transaction& transaction, const ClaimRequest& want, Time now,
                              std::vector<Job>& into) {
    constexpr int looks_max = 8;
    std::string& after = key_after_[{want.kind, want.target}];
    const bool from_the_beginning = after.empty();
    for (int look = 0; look < looks_max && into.size() < want.room; ++look) {
        const auto suspects = static_cast<std::size_t>(std::count_if(
            into.begin(), into.end(), [](const Job& job) { return job.crashes > 0; }));
        const auto rows = transaction.run(sql::ClaimJobsInOrder{
            .now = now,
            .lease_seconds = options_.lease.count(),
            .kind = want.kind,
            .target = want.target,
            .room = want.room - into.size(),
            .after_key = after,
            .keys_max = keys_looked_at,
            .suspects_max = want.suspects - std::min(want.suspects, suspects)});
        for (const auto row : rows) {
            if (const auto job = row.claimed_job()) into.push_back(to_job(*job));
        }
        after = rows.empty() ? "" : rows[0].last_key().value_or("");
        if (after.empty() && from_the_beginning) return;
        if (after.empty()) break;
    }
}

}  // namespace pawl::jobs
