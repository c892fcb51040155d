#include "intents/partitions.hpp"

#include "intents/sql.hpp"

namespace pawl::intents {

int make_partitions(db::Session& session, Time now) {
    return static_cast<int>(
        db::Statement::run(session, sql::make_partitions, db::Params().time(now)).only().number(0));
}

}  // namespace pawl::intents
