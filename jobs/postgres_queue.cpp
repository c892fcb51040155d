#include "jobs/postgres_queue.hpp"

#include <algorithm>
#include <utility>

#include "base/fault.hpp"
#include "jobs/sql.hpp"

namespace pawl::jobs {
namespace {

// Longer than a transaction that stages or moves usually takes: its rows appear late, before the
// place where the next look begins. Those that take longer are found by looking back.
constexpr std::chrono::seconds late_comers(1);

}  // namespace

void PostgresQueue::LookBack::looked(Steady began, Steady ended, std::chrono::milliseconds every) {
    constexpr int share = 20;
    next = ended + std::max<std::chrono::nanoseconds>(every, (ended - began) * share);
}

PostgresQueue::PostgresQueue(PostgresQueueOptions options, db::SessionOptions session,
                             const Clock& clock)
    : options_(options), clock_(clock), session_(std::move(session)) {}

Moved PostgresQueue::move(const Routes& routes, std::size_t jobs_max, Time now) {
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

void PostgresQueue::note_moved(std::optional<std::int64_t> last, bool more_behind, Steady now) {
    if (last) staged_newest_ = std::max(staged_newest_, *last);
    if (more_behind && *last < staged_from_) {
        // So many came late that they are a backlog of their own: go on with it.
        staged_from_ = staged_newest_ = staged_pending_ = *last;
    }
    if (now - staged_noted_ <= late_comers) return;
    staged_noted_ = now;
    staged_from_ = std::exchange(staged_pending_, staged_newest_);
}

Exchanged PostgresQueue::exchange(const std::vector<Finished>& finished,
                                  const std::vector<Held>& held, const std::vector<Want>& wants,
                                  Time now) {
    Exchanged answer;
    answer.claimed.resize(wants.size());
    db::Transaction transaction(session_);
    // Before claiming, so that what we still hold is not taken for somebody's who went away.
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

void PostgresQueue::finish(db::Transaction& transaction, const std::vector<Finished>& finished,
                           Time now, Exchanged& into) {
    db::Numbers ids, leases;
    db::Texts targets, states, errors;
    db::Times run_at;
    db::Flags given_back;
    for (const Finished& one : finished) {
        ids.add(one.key.id);
        targets.add(one.key.target);
        leases.add(one.lease);
        states.add(one.state);
        run_at.add(one.run_at);
        errors.add(one.error);
        given_back.add(one.given_back);
    }
    const auto rows = transaction.run(sql::FinishJobs{.id = std::move(ids),
                                                      .target = std::move(targets),
                                                      .lease = std::move(leases),
                                                      .state = std::move(states),
                                                      .run_at = std::move(run_at),
                                                      .error = std::move(errors),
                                                      .given_back = std::move(given_back),
                                                      .now = now});
    const auto written = rows.only().written();
    // After a lost answer to COMMIT the same is written again, and may have been written.
    if (!in_doubt_) into.stale = finished.size() - static_cast<std::size_t>(written);
}

void PostgresQueue::keep(db::Transaction& transaction, const std::vector<Held>& held,
                         Exchanged& into) {
    db::Numbers ids, leases;
    db::Texts targets;
    for (const Held& one : held) {
        ids.add(one.key.id);
        targets.add(one.key.target);
        leases.add(one.lease);
    }
    std::set<JobKey> kept;
    for (const auto row :
         transaction.run(sql::KeepJobs{.id = std::move(ids),
                                       .target = std::move(targets),
                                       .lease = std::move(leases),
                                       .lease_seconds = options_.lease.count()})) {
        kept.insert({row.id(), std::string(row.target())});
    }
    for (const Held& one : held) {
        if (!kept.contains(one.key)) into.lost.push_back(one);
    }
}

void PostgresQueue::bring_forward(const std::string& kind, const std::string& target, Time now) {
    constexpr std::int64_t jobs_max = 10000;
    db::Statement::run(session_, sql::BringForwardJobs{.kind = kind,
                                                       .target = target,
                                                       .now = now,
                                                       .jobs_max = jobs_max});
}

}  // namespace pawl::jobs
