// GET /admin/v1/jobs, GET /admin/v1/jobs/{id}, POST /admin/v1/jobs/{id}/retry and /discard. An id
// is "42", or "42.shop" where a subscriber has the job. Free of Drogon; called on a thread that may
// wait.
#pragma once

#include <functional>

#include "base/clock.hpp"
#include "controllers/admin/admin.hpp"
#include "jobs/operating.hpp"

namespace pawl::http {

Reply get_jobs(const Request& request, db::Session& session);
Reply get_job(const Request& request, db::Session& session);
// `on_change` is called when a job may be ready to run.
SessionHandler act_on_job(jobs::Act act, const Clock& clock, std::function<void()> on_change);

}  // namespace pawl::http
