// POST /admin/v1/verify: the books, proved. A read, although it is a POST: it costs something.
#pragma once

#include "controllers/admin/admin.hpp"

namespace pawl::http {

Reply run_verify(const Request& request, db::Session& session);

}  // namespace pawl::http
