#include "controllers/v1/openapi.hpp"

#include "controllers/openapi_embedded.hpp"

namespace pawl::http {

Handler openapi() {
    return [](const RequestPtr&, const Responder& respond) {
        respond({200, "application/json", {}, std::string(openapi_document)});
    };
}

}  // namespace pawl::http
