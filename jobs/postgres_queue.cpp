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
    std::vector<std::string> kinds, types, targets;
    std::vector<bool> whole, ordered;
    for (const Route& route : routes.routes) {
        kinds.push_back(route.kind);
        types.push_back(route.type);
        whole.push_back(route.whole);
        targets.push_back(route.target);
        ordered.push_back(route.ordered);
    }
    const Steady began = clock_.steady();
    const bool looks_back = staged_look_back_.due(began);
    const std::int64_t from = looks_back ? INT64_MIN : staged_from_;
    const auto params = db::Params()
                            .number(from)
                            .number(static_cast<std::int64_t>(jobs_max))
                            .time(now)
                            .texts(routes.kinds)
                            .texts(kinds)
                            .texts(types)
                            .flags(whole)
                            .texts(targets)
                            .flags(ordered);
    db::Transaction transaction(session_);
    const db::Rows rows = transaction.run(sql::move_jobs, params);
    const db::Row row = rows.only();
    PAWL_FAULT_POINT(enqueuer_before_commit);
    transaction.commit();
    PAWL_FAULT_POINT(enqueuer_after_commit);

    const Steady ended = clock_.steady();
    if (looks_back) staged_look_back_.looked(began, ended, options_.look_back_every);
    const Moved moved{static_cast<std::size_t>(row.number(0)),
                      static_cast<std::size_t>(row.number(1))};
    note_moved(row.maybe_number(2), looks_back && moved.jobs == jobs_max, ended);
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
    std::vector<std::int64_t> ids, leases;
    std::vector<std::string> targets, states;
    std::vector<std::optional<Time>> run_at;
    std::vector<std::optional<std::string>> errors;
    std::vector<bool> given_back;
    for (const Finished& one : finished) {
        ids.push_back(one.key.id);
        targets.push_back(one.key.target);
        leases.push_back(one.lease);
        states.push_back(one.state);
        run_at.push_back(one.run_at);
        errors.push_back(one.error);
        given_back.push_back(one.given_back);
    }
    db::Params params;
    params.numbers(ids).texts(targets).numbers(leases).texts(states).times(run_at).texts(errors);
    params.flags(given_back).time(now);
    const auto written = transaction.run(sql::finish_jobs, params).only().number(0);
    // After a lost answer to COMMIT the same is written again, and may have been written.
    if (!in_doubt_) into.stale = finished.size() - static_cast<std::size_t>(written);
}

void PostgresQueue::keep(db::Transaction& transaction, const std::vector<Held>& held,
                         Exchanged& into) {
    std::vector<std::int64_t> ids, leases;
    std::vector<std::string> targets;
    for (const Held& one : held) {
        ids.push_back(one.key.id);
        targets.push_back(one.key.target);
        leases.push_back(one.lease);
    }
    const auto params =
        db::Params().numbers(ids).texts(targets).numbers(leases).number(options_.lease.count());
    std::set<JobKey> kept;
    for (const db::Row row : transaction.run(sql::keep_jobs, params)) {
        kept.insert({row.number(0), row.str(1)});
    }
    for (const Held& one : held) {
        if (!kept.contains(one.key)) into.lost.push_back(one);
    }
}

void PostgresQueue::bring_forward(const std::string& kind, const std::string& target, Time now) {
    constexpr std::int64_t jobs_max = 10000;
    const auto params = db::Params().text(kind).text(target).time(now).number(jobs_max);
    db::Statement::run(session_, sql::bring_forward_jobs, params);
}

}  // namespace pawl::jobs
