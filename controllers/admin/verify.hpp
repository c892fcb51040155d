// POST /admin/v1/verify: the books, proved, {"deep":true} from the beginning. A POST although it
// changes nothing but the proven point: it costs something. One at a time, on a thread and with a
// session of its own: large tables are read, which takes longer than any other request may.
#pragma once

#include "controllers/admin/admin.hpp"

namespace pawl::http {

// `session`: how to connect. `alone`: an executor of one thread, which must outlive the handler.
Handler run_verify(const AdminDeps& deps, const Operation& operation,
                   const db::SessionOptions& session, Executor& alone);

}  // namespace pawl::http
