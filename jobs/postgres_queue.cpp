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
    std::vector<std::int64_t> ids, fencing_tokens;
    std::vector<std::string> targets, states;
    std::vector<std::optional<Time>> run_at;
    std::vector<std::optional<std::string>> errors;
    std::vector<bool> given_back;
    for (const Finished& one : finished) {
        ids.push_back(one.key.id);
        targets.push_back(one.key.target);
        fencing_tokens.push_back(one.fencing_token);
        states.push_back(one.state);
        run_at.push_back(one.run_at);
        errors.push_back(one.error);
        given_back.push_back(one.given_back);
    }
    db::Params params;
    params.numbers(ids)
        .texts(targets)
        .numbers(fencing_tokens)
        .texts(states)
        .times(run_at)
        .texts(errors);
    params.flags(given_back).time(now);
    const auto written = transaction.run(sql::finish_jobs, params).only().number(0);
    // After a lost answer to COMMIT the same is written again, and may have been written.
    if (!in_doubt_) into.stale = finished.size() - static_cast<std::size_t>(written);
}

void PostgresQueue::keep(db::Transaction& transaction, const std::vector<Held>& held,
                         Exchanged& into) {
    std::vector<std::int64_t> ids, fencing_tokens;
    std::vector<std::string> targets;
    for (const Held& one : held) {
        ids.push_back(one.key.id);
        targets.push_back(one.key.target);
        fencing_tokens.push_back(one.fencing_token);
    }
    const auto params = db::Params()
                            .numbers(ids)
                            .texts(targets)
                            .numbers(fencing_tokens)
                            .number(options_.lease.count());
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

// Claiming.

namespace {

// Of each lane. Those that are leased are among its oldest.
constexpr std::int64_t suspects_looked_at = 2000;
// Of an ordered lane, in one look. Keys whose first job waits for its next attempt are passed over.
constexpr std::int64_t keys_looked_at = 256;
// Of each lane, in one look.
constexpr std::int64_t adopted_at_once = 5000;
constexpr Time the_beginning = Time(std::chrono::seconds(0));

struct Lanes {
    std::vector<std::string> kinds, targets;
    std::vector<std::int64_t> rooms;
    std::vector<std::size_t> wants;  // which Want each is

    void add(const Want& want, std::size_t room, std::size_t index) {
        kinds.push_back(want.kind);
        targets.push_back(want.target);
        rooms.push_back(static_cast<std::int64_t>(room));
        wants.push_back(index);
    }
};

Job to_job(const db::Row& row) {
    Job job;
    job.key = {row.number(1), row.str(2)};
    job.kind = row.str(3);
    job.payload = row.str(4);
    job.correlation_id = CorrelationId(row.str(5));
    job.staged_at = row.time(6);
    job.attempt = row.number(7);
    job.crashes = row.number(8);
    job.fencing_token = row.number(9);
    return job;
}

}  // namespace

// Jobs from before their subscriber came to be told in order, or ceased to be. Answers with the
// lanes that may have more of them: nothing may overtake those.
std::set<PostgresQueue::Lane> PostgresQueue::adopt(db::Transaction& transaction,
                                                   const std::vector<Want>& wants) {
    const Steady began = clock_.steady();
    if (!adopting_look_.due(began)) return {};
    std::vector<std::string> kinds, targets;
    std::vector<bool> ordered;
    for (const Want& want : wants) {
        if (want.room == 0) continue;
        kinds.push_back(want.kind);
        targets.push_back(want.target);
        ordered.push_back(want.ordered);
    }
    if (kinds.empty()) return {};
    db::Params params;
    params.texts(kinds).texts(targets).flags(ordered).number(adopted_at_once);
    std::map<Lane, std::int64_t> adopted;
    for (const db::Row row : transaction.run(sql::adopt_jobs, params)) {
        ++adopted[{row.str(0), row.str(1)}];
    }
    std::set<Lane> more;
    for (const auto& [lane, jobs] : adopted) {
        if (jobs >= adopted_at_once) more.insert(lane);
    }
    if (more.empty()) adopting_look_.looked(began, clock_.steady(), options_.look_back_every);
    return more;
}

void PostgresQueue::claim(db::Transaction& transaction, const std::vector<Want>& wants, Time now,
                          Exchanged& into) {
    const Steady began = clock_.steady();
    const bool looks_back = look_back_.due(began);
    Lanes lanes;
    std::vector<Time> from;
    for (std::size_t i = 0; i < wants.size(); ++i) {
        const std::size_t suspects = into.claimed[i].size();
        if (wants[i].ordered || wants[i].room <= suspects) continue;
        lanes.add(wants[i], wants[i].room - suspects, i);
        const auto known = due_from_.find({wants[i].kind, wants[i].target});
        from.push_back(looks_back || known == due_from_.end() ? the_beginning : known->second);
    }
    if (lanes.wants.empty()) return;
    db::Params params;
    params.time(now).number(options_.lease.count()).texts(lanes.kinds).texts(lanes.targets);
    params.numbers(lanes.rooms).times(from);
    std::vector<Time> newest(lanes.wants.size(), the_beginning);
    for (const db::Row row : transaction.run(sql::claim_jobs, params)) {
        const auto lane = static_cast<std::size_t>(row.number(0) - 1);
        newest[lane] = std::max(newest[lane], row.time(10));
        into.claimed[lanes.wants[lane]].push_back(to_job(row));
    }
    if (looks_back) look_back_.looked(began, clock_.steady(), options_.look_back_every);
    for (std::size_t lane = 0; lane < lanes.wants.size(); ++lane) {
        const Want& want = wants[lanes.wants[lane]];
        // Where there was less than wanted, everything that was due has been taken.
        const bool full = into.claimed[lanes.wants[lane]].size() >= want.room;
        Time& known = due_from_[{want.kind, want.target}];
        const Time reached = (full ? newest[lane] : now) - late_comers;
        known = full && looks_back ? reached : std::max(known, reached);
    }
}

void PostgresQueue::claim_suspects(db::Transaction& transaction, const std::vector<Want>& wants,
                                   Time now, Exchanged& into) {
    const Steady began = clock_.steady();
    if (!suspects_look_.due(began)) return;
    Lanes lanes;
    for (std::size_t i = 0; i < wants.size(); ++i) {
        const std::size_t room = std::min(wants[i].room, wants[i].suspects);
        if (!wants[i].ordered && room > 0) lanes.add(wants[i], room, i);
    }
    if (lanes.wants.empty()) return;
    db::Params params;
    params.time(now).number(options_.lease.count()).texts(lanes.kinds).texts(lanes.targets);
    params.numbers(lanes.rooms).number(suspects_looked_at);
    const db::Rows rows = transaction.run(sql::claim_suspects, params);
    for (const db::Row row : rows) {
        const auto lane = static_cast<std::size_t>(row.number(0) - 1);
        into.claimed[lanes.wants[lane]].push_back(to_job(row));
    }
    // Where there was one there may be more.
    if (rows.empty()) suspects_look_.looked(began, clock_.steady(), options_.look_back_every);
}

void PostgresQueue::claim_in_order(db::Transaction& transaction, const Want& want, Time now,
                                   std::vector<Job>& into) {
    constexpr int looks_max = 8;
    std::string& after = key_after_[{want.kind, want.target}];
    const bool from_the_beginning = after.empty();
    for (int look = 0; look < looks_max && into.size() < want.room; ++look) {
        db::Params params;
        params.time(now).number(options_.lease.count()).text(want.kind).text(want.target);
        params.number(static_cast<std::int64_t>(want.room - into.size()));
        params.text(after).number(keys_looked_at);
        const auto suspects = static_cast<std::size_t>(std::count_if(
            into.begin(), into.end(), [](const Job& job) { return job.crashes > 0; }));
        params.number(static_cast<std::int64_t>(want.suspects - std::min(want.suspects, suspects)));
        const db::Rows rows = transaction.run(sql::claim_jobs_in_order, params);
        for (const db::Row row : rows) {
            if (!row.null(1)) into.push_back(to_job(row));
        }
        after = rows.empty() ? "" : rows[0].maybe_text(0).value_or("");
        if (after.empty() && from_the_beginning) return;
        if (after.empty()) break;
    }
}

}  // namespace pawl::jobs
