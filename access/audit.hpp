// The audit log: who changed what, and why. Written inside the transaction of the change, so that
// there is no change without its row and no row without its change.
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
    std::string subject;         // what it was done to
    std::string reason;          // never empty
    std::string details = "{}";  // JSON
};

void record(db::Transaction& transaction, const AuditEntry& entry);

// An act whose transaction is entered again, because the answer to its COMMIT was lost, finds here
// that it is done, and with what result: the details of its own entry, which name the act by a
// member "act_id".
std::string new_act_id();
std::optional<std::string> find_act(db::Transaction& transaction, const std::string& subject,
                                    const std::string& act_id);
// A text member of such details; empty: there is none.
std::string detail(const std::string& details, const std::string& name);

struct AuditRow {
    std::int64_t id = 0;
    std::string at;
    AuditEntry entry;
};

// Newest first, before the given id (0: the newest).
std::vector<AuditRow> list_audit(db::Session& session, const db::TimeRange& range,
                                 std::int64_t before_id, std::int64_t limit);

}  // namespace pawl::access
