// The audit log: each change with its principal and its reason. A row is written inside the
// transaction of its change: neither exists without the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/session.hpp"
#include "db/time_range.hpp"

namespace pawl::access {

struct AuditEntry {
    std::string principal;
    std::string action;          // intent.retry, provider.pause, ...
    std::string subject;         // the object of the change
    std::string reason;          // never empty
    std::string details = "{}";  // JSON
};

void record(db::Transaction& transaction, const AuditEntry& entry);

// Finds the audit entry of an act by its member "act_id", with the details of its result. An act
// whose transaction is entered again, because the answer to its COMMIT was lost, is thereby found
// done.
std::string new_act_id();
std::optional<std::string> find_act(db::Transaction& transaction, const std::string& subject,
                                    const std::string& act_id);
// Returns a text member of such details; empty if it is missing.
std::string detail(const std::string& details, const std::string& name);

struct AuditRow {
    std::int64_t id = 0;
    std::string at;
    AuditEntry entry;
};

// The latest entry about a subject.
std::optional<AuditRow> last_act(db::Transaction& transaction, const std::string& subject);

// Newest first, before the given id (0: the newest).
std::vector<AuditRow> list_audit(db::Session& session, const db::TimeRange& range,
                                 std::int64_t before_id, std::int64_t limit);

}  // namespace pawl::access
