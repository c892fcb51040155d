#include "controllers/admin/verify.hpp"

#include "intents/verify.hpp"

namespace pawl::http {

Reply run_verify(const Request&, db::Session& session) {
    // A session of its own: the whole journal is read, which takes longer than any request may.
    db::SessionOptions options = session.options();
    options.name = "verify";
    options.statement_timeout = std::chrono::minutes(10);
    db::Session patient(std::move(options));
    Reply reply;
    reply.body = intents::to_json(intents::verify(patient));
    return reply;
}

}  // namespace pawl::http
