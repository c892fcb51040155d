#include "controllers/health.hpp"

#include "controllers/http/problem.hpp"

namespace pawl::http {

Handler health() {
    return [](const RequestPtr&, const Responder& respond) {
        respond({200, "application/json", {}, R"({"status":"ok"})"});
    };
}

Handler readiness(std::vector<ReadyCheck> checks) {
    return [checks = std::move(checks)](const RequestPtr&, const Responder& respond) {
        bool ready = true;
        std::string list;
        for (const ReadyCheck& check : checks) {
            const std::string missing = check.what_is_missing();
            if (!list.empty()) list += ',';
            list += "{\"name\":" + json_quoted(check.name);
            list += missing.empty() ? ",\"ready\":true}"
                                    : ",\"ready\":false,\"detail\":" + json_quoted(missing) + "}";
            ready = ready && missing.empty();
        }
        std::string body = std::string("{\"ready\":") + (ready ? "true" : "false");
        respond({ready ? 200 : 503, "application/json", {}, body + ",\"checks\":[" + list + "]}"});
    };
}

}  // namespace pawl::http
