#include "intents/retention.hpp"

#include <deque>
#include <utility>

#include "base/log.hpp"
#include "intents/partitions.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

using std::chrono::hours;

// Of each step, so that none is long: events looked at, and blocks of 8 kB.
constexpr std::int64_t kept_at_once = 100;
constexpr std::int64_t blocks_at_once = 100;
constexpr std::int64_t looked_at = 2000;

using Parts = std::deque<std::string>;

std::int64_t seconds(Duration duration) {
    return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

Parts parts_of(const db::Rows& rows) {
    Parts parts;
    for (const db::Row row : rows) parts.push_back(row.str(0));
    return parts;
}

void drop(db::Session& session, const std::string& part, Duration kept) {
    const auto params = db::Params().text(part).number(seconds(kept));
    const auto became =
        db::Statement::run(session, sql::drop_delivery_partition, params).only().maybe_text(0);
    if (!became) return;
    const log::Fields about{{"partition", part}, {"became", *became}};
    if (*became == "dropped") return log::info("deliveries past their retention are gone", about);
    log::warn("deliveries past their retention are kept for now", about);
}

// What is still needed is copied first, step by step. One that cannot be dropped keeps no other
// from it: it is tried again in the next round.
bool drop_some(db::Session& session, Duration kept, Parts& round) {
    const auto age = db::Params().number(seconds(kept));
    if (round.empty()) {
        round = parts_of(db::Statement::run(session, sql::expired_deliveries, age));
    }
    if (round.empty()) return false;
    const std::string part = round.front();
    round.pop_front();
    const auto params = db::Params().text(part).number(seconds(kept)).number(kept_at_once);
    if (db::Statement::run(session, sql::keep_deliveries, params).only().flag(0)) {
        round.push_front(part);
        return true;
    }
    drop(session, part, kept);
    return !round.empty();
}

struct Reaping {
    Parts round;
    std::int64_t block = 0;
};

// Goes over the blocks of all that no dropping takes away.
bool reap_some(db::Session& session, Duration kept, Reaping& at) {
    if (at.round.empty()) {
        at = {parts_of(db::Statement::run(session, sql::kept_deliveries)), 0};
    }
    if (at.round.empty()) return false;
    const std::string part = at.round.front();
    const std::int64_t from = std::exchange(at.block, 0);
    at.round.pop_front();
    db::Params params;
    params.text(part).number(seconds(kept)).number(from).number(blocks_at_once);
    const db::Rows rows = db::Statement::run(session, sql::reap_kept_deliveries, params);
    if (const auto next = rows.only().maybe_number(0)) {
        at.round.push_front(part);
        at.block = *next;
        return true;
    }
    return !at.round.empty();
}

// How far it has come with each of them, the database remembers.
bool forget_some(db::Session& session, const Forgetting& one) {
    db::Params params;
    params.text(one.provider).number(seconds(one.after)).number(seconds(one.delivered_again));
    params.number(looked_at);
    return db::Statement::run(session, sql::purge_intents, params).only().flag(0);
}

}  // namespace

std::vector<jobs::Chore> delivery_chores(Duration kept) {
    return {{"make partitions", hours(6),
             [](db::Session& session, Time now) {
                 make_partitions(session, now);
                 return false;
             }},
            {"drop deliveries", hours(1),
             [kept, round = Parts()](db::Session& session, Time) mutable {
                 return drop_some(session, kept, round);
             }},
            {"reap kept deliveries", hours(1),
             [kept, at = Reaping()](db::Session& session, Time) mutable {
                 return reap_some(session, kept, at);
             }},
            {"analyze deliveries", hours(24), [](db::Session& session, Time) {
                 db::Statement::run(session, sql::analyze_deliveries);
                 return false;
             }}};
}

std::vector<jobs::Chore> forgetting_chores(std::vector<Forgetting> providers) {
    if (providers.empty()) return {};
    std::size_t turn = 0;
    return {{"forget events", hours(1),
             [providers = std::move(providers), turn](db::Session& session, Time) mutable {
                 const std::size_t mine = turn;
                 turn = (mine + 1) % providers.size();  // also where this one fails
                 if (forget_some(session, providers[mine])) {
                     turn = mine;
                     return true;
                 }
                 return turn != 0;
             }}};
}

}  // namespace pawl::intents
