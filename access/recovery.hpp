// Recovery: a state of the database after commits were lost, by a restore or a failover. While it
// is on, no call to a payment API is sent before the gateway has been asked about it. An operator
// begins and ends it, each with an audit row in the same transaction. On the caller's session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "db/session.hpp"

namespace pawl::access {

struct Recovery {
    std::int64_t id = 0;
    Time began_at{};  // by the database's clock
    std::string began_by, reason;
    std::optional<Time> recorded_to{};  // the last commit that the tables had; nullopt: none
    Time covers_to{};  // losses that servers have recorded up to here are dealt with
    std::optional<Time> ended_at{};

    bool is_on() const { return !ended_at; }
};

// The one that is on, or the last one; nullopt if there was none.
std::optional<Recovery> last_recovery(db::Session& session);

struct NewRecovery {
    std::string principal, reason;
    std::string evidence{};           // what shows that commits were lost, for the audit row
    std::optional<Time> lost_from{};  // the first commit that is known to be lost
    std::optional<Time> lost_to{};  // the last lost commit, by the clock of the server that made it
};
// Begins one, or restarts the one that is on: after another loss, earlier questions count no more.
// Returns whether it is a new one. From its return on every server asks before it sends.
bool begin_recovery(db::Session& session, const NewRecovery& begun);
// Returns false if none is on (ended by another operator meanwhile).
bool end_recovery(db::Session& session, const std::string& principal, const std::string& reason);

}  // namespace pawl::access
