// The audit log: who changed what, and why. Written inside the transaction of the change, so that
// there is no change without its row and no row without its change.
#pragma once

#include <string>
#include <string_view>

#include "db/session.hpp"

namespace pawl::access {

struct AuditEntry {
    std::string principal;
    std::string action;   // intent.retry, provider.pause, ...
    std::string subject;  // what it was done to
    std::string reason;   // never empty
    std::string details = "{}";  // JSON
};

void record(db::Transaction& transaction, const AuditEntry& entry);

}  // namespace pawl::access
