#include "intents/retention.hpp"

#include <algorithm>
#include <memory>

#include "base/log.hpp"
#include "intents/partitions.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

using std::chrono::hours;

// A partition with more than so many rows that are still needed stays: moving them would hold up
// those who receive. That many unfinished events need a person first.
constexpr std::int64_t moved_max = 1000;
constexpr std::int64_t reaped_at_once = 500;
constexpr std::int64_t looked_at = 2000;

bool drop_one(db::Session& session, Time before) {
    const auto params = db::Params().time(before).number(moved_max);
    const db::Rows rows = db::Statement::run(session, sql::drop_delivery_partition, params);
    if (rows.empty()) return false;
    const bool dropped = rows[0].flag(2);
    const log::Fields about{{"partition", rows[0].text(0)}, {"still_needed", rows[0].number(1)}};
    if (dropped) {
        log::info("deliveries past their retention were dropped", about);
    } else {
        log::warn("deliveries past their retention are kept: too many events are unfinished",
                  about);
    }
    return dropped;
}

bool reap_kept(db::Session& session, Time before) {
    const auto params = db::Params().time(before).number(reaped_at_once);
    return db::Statement::run(session, sql::reap_kept_deliveries, params).only().number(0) ==
           reaped_at_once;
}

std::int64_t seconds(Duration duration) {
    return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

// How far it has come with each of them, the database remembers.
bool forget_some(db::Session& session, const Forgetting& one) {
    db::Params params;
    params.text(one.provider).number(seconds(one.after)).number(seconds(one.delivered_again));
    params.number(looked_at);
    return db::Statement::run(session, sql::forget_intents, params).only().flag(0);
}

}  // namespace

std::vector<jobs::Chore> delivery_chores(Duration kept) {
    return {{"make partitions", hours(6),
             [](db::Session& session, Time now) {
                 make_partitions(session, now);
                 return false;
             }},
            {"drop deliveries", hours(1),
             [kept](db::Session& session, Time now) { return drop_one(session, now - kept); }},
            {"reap kept deliveries", hours(1),
             [kept](db::Session& session, Time now) { return reap_kept(session, now - kept); }},
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
