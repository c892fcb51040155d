// The audit log: who changed what, and why. Written inside the transaction of the change, so that
// there is no change without its row and no row without its change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/session.hpp"

namespace pawl::access {

struct AuditEntry {
    std::string principal;
    std::string action;          // intent.retry, provider.pause, ...
    std::string subject;         // what it was done to
    std::string reason;          // never empty
    std::string details = "{}";  // JSON
};

void record(db::Transaction& transaction, const AuditEntry& entry);

struct AuditRow {
    std::int64_t id = 0;
    std::string at;
    AuditEntry entry;
};

// Newest first, before the given id (0: the newest).
std::vector<AuditRow> list_audit(db::Session& session, std::int64_t before_id, std::int64_t limit);

}  // namespace pawl::access
