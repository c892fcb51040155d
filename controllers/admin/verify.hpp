// POST /admin/v1/verify: verifies the ledger, {"deep":true} from the beginning. It is a POST
// because it is expensive and moves the proven point. One at a time, on a thread and with a session
// of its own: reading large tables takes longer than any other request may.
#pragma once

#include "controllers/admin/admin.hpp"

namespace pawl::http {

// `session`: how to connect. `alone`: an executor of one thread, which must outlive the handler.
Handler run_verify(const AdminDeps& deps, const Operation& operation,
                   const db::SessionOptions& session, Executor& alone);

}  // namespace pawl::http
