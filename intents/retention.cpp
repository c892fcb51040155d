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
constexpr Time the_beginning = Time(std::chrono::seconds(0));

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

struct Reached {
    Time time = the_beginning;
    std::string provider, event_id;
};

// Goes on where the last step ended, and begins again when it has been through.
bool forget_some(db::Session& session, Time now, const std::vector<Forgetting>& providers,
                 Reached& reached) {
    std::vector<std::string> names;
    std::vector<Time> befores;
    for (const Forgetting& one : providers) {
        names.push_back(one.provider);
        befores.push_back(now - one.after);
    }
    db::Params params;
    params.texts(names).times(befores).time(reached.time).text(reached.provider);
    params.text(reached.event_id).number(looked_at);
    const db::Rows rows = db::Statement::run(session, sql::forget_intents, params);
    reached = {};
    if (rows.empty()) return false;
    reached = {rows[0].time(0), rows[0].str(1), rows[0].str(2)};
    return true;
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
    const auto reached = std::make_shared<Reached>();
    return {{"forget events", hours(1),
             [providers = std::move(providers), reached](db::Session& session, Time now) {
                 return forget_some(session, now, providers, *reached);
             }}};
}

}  // namespace pawl::intents
