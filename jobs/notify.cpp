#include "jobs/notify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "base/json.hpp"
#include "jobs/retry_after.hpp"

namespace pawl::jobs {
namespace {

constexpr int http_gone = 410;
constexpr int http_too_many = 429;
constexpr int http_unavailable = 503;
// Limit of an answer: its status matters; a little of its text helps an operator.
constexpr std::size_t reply_bytes_max = 64 * 1024;
constexpr std::size_t reply_bytes_shown = 200;

// 4xx answers that concern the subscriber itself: authentication, address, load. All others concern
// the one message, and the next one may be accepted.
constexpr std::array about_the_subscriber = {401, 402, 403, 404, 405, 407, 408, 421, 425, 426, 429};

bool blames_subscriber(int status) {
    if (status < 400 || status >= 500) return true;
    return std::find(about_the_subscriber.begin(), about_the_subscriber.end(), status) !=
           about_the_subscriber.end();
}

JobResult judge_reply(const outbound::HttpReply& reply, Time now) {
    if (reply.status >= 200 && reply.status < 300) return Done{};
    if (reply.status == http_gone) {
        return DeadLetter{"the subscriber answered 410 Gone: unsubscribed"};
    }
    if (reply.status >= 300 && reply.status < 400) {
        return Retry{
            fmt::format("the subscriber answered {}; redirects are not followed", reply.status),
            std::nullopt};
    }
    const bool may_ask = reply.status == http_too_many || reply.status == http_unavailable;
    return Retry{fmt::format("the subscriber answered {}: {}", reply.status,
                             std::string_view(reply.body).substr(0, reply_bytes_shown)),
                 may_ask ? retry_after(reply, now) : std::nullopt, blames_subscriber(reply.status)};
}

struct Sender {
    Subscriber subscriber;
    outbound::MessageSigner signer;
    const Clock& clock;
    std::shared_ptr<const std::atomic<bool>> hurry;

    JobResult operator()(const Job& job) const {
        outbound::HttpRequest request;
        request.method = "POST";
        request.url = subscriber.url;
        request.body = message_body(job);
        request.headers = signer.sign(message_id(job), clock.now(), request.body);
        request.headers.emplace_back("content-type", "application/json");
        request.headers.emplace_back("user-agent", "Pawl");
        request.headers.emplace_back("pawl-correlation-id", job.correlation_id.str());
        request.headers.emplace_back("pawl-attempt", std::to_string(job.attempt));
        request.within = subscriber.timeout;
        request.connect_within = std::min(subscriber.timeout, request.connect_within);
        request.allow_private = subscriber.allow_private;
        request.reply_bytes_max = reply_bytes_max;
        request.status_is_enough = true;
        request.unwanted = hurry.get();
        const outbound::HttpResult outcome = outbound::send(request);
        return judge(outcome, clock.now());
    }
};

}  // namespace

std::string message_id(const Job& job) {
    return fmt::format("msg_{:x}_{}", job.staged_at.time_since_epoch().count(), job.key.id);
}

std::string message_body(const Job& job) {
    json::Writer body;
    std::string type;
    json::Writer data;
    data.begin_object();
    if (const auto document = json::Document::parse(job.payload)) {
        for (const json::Value& member : document->root().children()) {
            if (member.key() == "type") {
                type = member.text().value_or("");
            } else {
                data.key(member.key()).raw(member.raw());
            }
        }
    }
    data.end_object();
    body.begin_object().member("id", message_id(job)).member("type", type);
    body.member("occurred_at", to_rfc3339(job.staged_at));
    body.member("correlation_id", job.correlation_id.str());
    body.key("data").raw(data.take()).end_object();
    return body.take();
}

JobResult judge(const outbound::HttpResult& outcome, Time now) {
    if (const auto* reply = std::get_if<outbound::HttpReply>(&outcome)) {
        return judge_reply(*reply, now);
    }
    const auto& failure = std::get<outbound::HttpFailure>(outcome);
    return Retry{failure.what, std::nullopt};
}

Routes routes_to(const std::vector<Subscriber>& subscribers) {
    Routes routes;
    routes.kinds.emplace_back(notify_kind);
    for (const Subscriber& subscriber : subscribers) {
        for (const std::string& event : subscriber.events) {
            const bool whole = !event.ends_with('*');
            routes.routes.push_back({notify_kind, event.substr(0, event.size() - (whole ? 0 : 1)),
                                     whole, subscriber.name, subscriber.ordered});
        }
    }
    return routes;
}

Result<LaneSpec> lane_for(const Subscriber& subscriber, const Clock& clock) {
    auto signer = outbound::MessageSigner::create(subscriber.secrets);
    if (!signer) {
        return invalid(
            fmt::format("subscriber \"{}\": {}", subscriber.name, signer.error().message));
    }
    LaneSpec lane;
    lane.kind = notify_kind;
    lane.target = subscriber.name;
    const auto hurry = std::make_shared<std::atomic<bool>>(false);
    lane.handler = Sender{subscriber, std::move(*signer), clock, hurry};
    lane.hurry = [hurry] { *hurry = true; };
    lane.concurrency = subscriber.concurrency;
    lane.held_max = 2 * subscriber.concurrency;
    lane.ordered = subscriber.ordered;
    return lane;
}

}  // namespace pawl::jobs
