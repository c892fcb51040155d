#include "intents/retention/partitions.hpp"

#include <array>
#include <utility>

#include "intents/sql.hpp"

namespace pawl::intents {

// A server that runs for weeks without a restart never writes to a default partition, from which
// rows cannot be dropped with their table.
int make_partitions(db::Session& session, Time now) {
    constexpr std::array<std::pair<const char*, std::int64_t>, 3> ahead{
        {{"delivery_blocks", 8}, {"rejections", 14}, {"jobs_done", 14}}};
    int made = 0;
    for (const auto& [table, count] : ahead) {
        const auto params = db::Params().text(table).time(now).number(count);
        while (db::Statement::run(session, sql::make_partition, params).only().flag(0)) ++made;
    }
    return made;
}

}  // namespace pawl::intents
