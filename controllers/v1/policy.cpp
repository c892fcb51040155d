#include "controllers/v1/policy.hpp"

#include "controllers/v1/preconditions.hpp"
#include "controllers/v1/start_payment.hpp"
#include "controllers/v1/start_refund.hpp"

namespace pawl::http {
namespace {

void write_key(json::Writer& out) {
    out.key("key").begin_object().member("characters_min", 1).member("characters_max", 255);
    out.member("characters", "visible ASCII, without blanks");
    out.member("forms", "a structured-field string and the bare value are the same key");
    out.end_object();
}

void write_lifetime(json::Writer& out, Duration lifetime) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lifetime);
    out.member("lifetime", to_text(lifetime)).member("lifetime_seconds", seconds.count());
    out.member("lifetime_of_refunds", "as long as the payment");
    out.member("unfinished", "never expire");
}

void write_answers(json::Writer& out, const KeyPolicy& policy) {
    out.key("answers").begin_object().member("missing", 400).member("malformed", 400);
    out.member("other_request", policy.stripe ? 400 : 422).member("in_progress", 409).end_object();
}

void write_stored(json::Writer& out) {
    out.key("stored").begin_object();
    out.key("statuses").begin_array().number(201).number(202).end_array();
    out.key("headers").begin_array().string("Content-Type").string("Location").string("ETag");
    out.end_array().member("body", "byte for byte").end_object();
    out.key("not_stored").begin_array();
    for (const int status : {400, 401, 403, 404, 409, 412, 422, 429, 500, 503}) {
        out.number(status);
    }
    out.end_array();
}

}  // namespace

ApiHandler get_policy(const KeyPolicy& policy) {
    json::Writer out;
    out.begin_object().member("header", "Idempotency-Key");
    out.member("profile", policy.stripe ? "stripe" : "ietf");
    out.key("required_by").begin_array().string(payments_route).string(refunds_route).end_array();
    out.member("scope", "principal, method and route, key");
    out.member("fingerprint", "SHA-256 over method, target, content type and body bytes");
    write_key(out);
    write_lifetime(out, policy.lifetime);
    write_answers(out, policy);
    out.member("replayed_header", "Idempotent-Replayed");
    write_stored(out);
    out.member("wait_default_seconds", static_cast<std::int64_t>(wait_default.count()));
    out.member("wait_max_seconds", static_cast<std::int64_t>(wait_max.count())).end_object();
    return [body = out.take()](const Request&, db::Session&) -> HandlerResult {
        return json_reply(body);
    };
}

}  // namespace pawl::http
