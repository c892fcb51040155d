#include "intents/partitions.hpp"

#include "intents/sql.hpp"

namespace pawl::intents {

int make_partitions(db::Session& session, Time now) {
    // Eight weeks ahead: a server that nobody restarts for long still never writes to the default
    // partition, from which rows cannot be dropped by the week.
    constexpr std::int64_t weeks_ahead = 8;
    const auto params = db::Params().time(now).number(weeks_ahead);
    return static_cast<int>(
        db::Statement::run(session, sql::make_partitions, params).only().number(0));
}

}  // namespace pawl::intents
