// `GET /metrics`: counters and gauges for Prometheus. A handler; any thread.
#pragma once

#include "base/metrics.hpp"
#include "controllers/http/http.hpp"

namespace pawl::http {

Handler metrics_page(const Metrics& metrics);  // which must outlive the server

}  // namespace pawl::http
