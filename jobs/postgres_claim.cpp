// The claiming half of PostgresQueue.
#include <algorithm>

#include "jobs/postgres_queue.hpp"
#include "jobs/sql.hpp"

namespace pawl::jobs {
namespace {

constexpr std::chrono::seconds late_comers(1);
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
    job.lease = row.number(9);
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
