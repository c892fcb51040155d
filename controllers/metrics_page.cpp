#include "controllers/metrics_page.hpp"

namespace pawl::http {

Handler metrics_page(const Metrics& metrics) {
    return [&metrics](const RequestPtr&, const Responder& respond) {
        respond({200, "text/plain; version=0.0.4; charset=utf-8", {}, metrics.render()});
    };
}

}  // namespace pawl::http
