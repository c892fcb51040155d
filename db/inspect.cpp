#include "db/inspect.hpp"

#include "db/sql.hpp"

namespace pawl::db {

std::map<std::string, std::string> durability(Session& session) {
    std::map<std::string, std::string> settings;
    for (const Row row : Statement::run(session, sql::durability)) {
        settings[row.str(0)] = row.str(1);
    }
    return settings;
}

std::int64_t lock_table_size(const std::map<std::string, std::string>& settings) {
    return std::stoll(settings.at("max_locks_per_transaction")) *
           (std::stoll(settings.at("max_connections")) +
            std::stoll(settings.at("max_prepared_transactions")));
}

std::vector<ChangedCollation> changed_collations(Session& session) {
    std::vector<ChangedCollation> changed;
    for (const Row row : Statement::run(session, sql::changed_collations)) {
        changed.push_back({row.str(0), row.str(1), row.str(2), row.str(3)});
    }
    return changed;
}

std::vector<std::string> rights_beyond_runtime(Session& session) {
    std::vector<std::string> rights;
    for (const Row row : Statement::run(session, sql::rights_beyond_runtime)) {
        rights.push_back(row.str(0));
    }
    return rights;
}

std::chrono::milliseconds clock_difference(Session& session, const Clock& clock) {
    session.connect();  // or its time would be counted as a difference
    const auto params = Params().time(clock.now());
    return std::chrono::milliseconds(
        Statement::run(session, sql::clock_difference, params).only().number(0));
}

}  // namespace pawl::db
