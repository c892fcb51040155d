#include "db/inspect.hpp"

#include "db/sql.hpp"

namespace pawl::db {

std::map<std::string, std::string> durability(Session& session) {
    std::map<std::string, std::string> settings;
    for (const auto row : Statement::run(session, sql::Durability{})) {
        settings[std::string(row.name())] = row.setting();
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
    for (const auto row : Statement::run(session, sql::ChangedCollations{})) {
        changed.push_back({std::string(row.name()), std::string(row.recorded()),
                           std::string(row.actual()), std::string(row.indexes())});
    }
    return changed;
}

std::vector<std::string> rights_beyond_runtime(Session& session) {
    std::vector<std::string> rights;
    for (const auto row : Statement::run(session, sql::RightsBeyondRuntime{})) {
        rights.emplace_back(row.beyond());
    }
    return rights;
}

std::chrono::milliseconds clock_difference(Session& session, const Clock& clock) {
    session.connect();  // or its time would be counted as a difference
    const auto rows = Statement::run(session, sql::ClockDifference{.our_time = clock.now()});
    return std::chrono::milliseconds(rows.only().milliseconds());
}

}  // namespace pawl::db
