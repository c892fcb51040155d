#include "intents/retention/retention.hpp"

#include <utility>

#include "intents/retention/partitions.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

using std::chrono::hours;

// Rows of one step, so that none is long.
constexpr std::int64_t looked_at = 2000;

std::int64_t seconds(Duration duration) {
    return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

jobs::Chore dropping(const char* name, const char* table, Duration kept) {
    return {name, hours(1), [table, kept](db::Session& session, Time) {
                const sql::DropPartition drop{.table_name = table,
                                              .seconds_since_end = seconds(kept)};
                return db::Statement::run(session, drop).only().more();
            }};
}

// Goes over all of them, a step after the other.
jobs::Chore reaping_open() {
    return {"reap open deliveries", hours(1),
            [after = std::int64_t{0}](db::Session& session, Time) mutable {
                const sql::ReapOpenDeliveries reap{.after_delivery = std::exchange(after, 0),
                                                   .limit_rows = looked_at};
                const auto last = db::Statement::run(session, reap).only().last();
                after = last.value_or(0);
                return last.has_value();
            }};
}

bool purge_some(db::Session& session, const EventExpiry& one) {
    const sql::PurgeIntents purge{.provider = one.provider,
                                  .kept_seconds = seconds(one.after),
                                  .redelivered_seconds = seconds(one.delivered_again),
                                  .limit_rows = looked_at};
    return db::Statement::run(session, purge).only().purged() == looked_at;
}

}  // namespace

std::vector<jobs::Chore> delivery_chores(Duration kept, Duration rejections_kept) {
    return {{"make partitions", hours(6),
             [](db::Session& session, Time now) {
                 make_partitions(session, now);
                 return false;
             }},
            dropping("drop deliveries", "delivery_blocks", kept),
            dropping("drop rejections", "rejections", rejections_kept),
            reaping_open(),
            {"analyze partitions", hours(24), [](db::Session& session, Time) {
                 db::Statement::run(session, sql::AnalyzePartitioned{});
                 return false;
             }}};
}

std::vector<jobs::Chore> expiry_chores(std::vector<EventExpiry> providers) {
    if (providers.empty()) return {};
    std::size_t turn = 0;
    return {{"purge events", hours(1),
             [providers = std::move(providers), turn](db::Session& session, Time) mutable {
                 const std::size_t mine = turn;
                 turn = (mine + 1) % providers.size();  // also where this one fails
                 if (purge_some(session, providers[mine])) {
                     turn = mine;
                     return true;
                 }
                 return turn != 0;
             }}};
}

}  // namespace pawl::intents
