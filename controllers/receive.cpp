#include "controllers/receive.hpp"

#include <utility>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/rng.hpp"
#include "controllers/http/problem.hpp"
#include "intents/accept/quarantine_log.hpp"

namespace pawl::http {
namespace {

using intents::DeliveryResult;
using intents::EventResult;
using providers::Provider;

// Returns the id that relates the workflow, calls, jobs, log lines and outgoing headers of one
// delivery.
CorrelationId new_correlation_id() {
    thread_local SeededRng rng(SecureRng().next());  // uniqueness is enough; it need not be secret
    return CorrelationId(uuid_v4(rng));
}

// Moves the delivery out of the request: a body may be a megabyte.
providers::Delivery take_delivery(Request& request) {
    return {std::move(request.method), std::move(request.target), std::move(request.headers),
            std::move(request.body), request.received_at};
}

void write_event(json::Writer& out, std::string_view provider, const EventResult& answer) {
    out.begin_object().member("provider", provider).member("event_id", answer.event_id.str());
    out.member("status", ledger::status_of(answer.outcome));
    out.member("outcome", ledger::to_text(answer.outcome));
    // The reason for parking, quarantine or no movement; money that moved needs no explanation.
    const bool unmoved =
        !ledger::is_done(answer.outcome) || answer.outcome == ledger::Outcome::ignored;
    if (unmoved && !answer.note.empty()) out.member("note", answer.note);
    out.member("duplicate", answer.duplicate).end_object();
}

void write_refused(json::Writer& out, std::string_view provider, const std::string& diagnosis) {
    out.begin_object().member("provider", provider).member("status", "refused");
    out.member("code", diagnosis).end_object();
}

// `refusals` has an entry for each item as it was sent; empty: it is the next one of `answer`.
std::string body_of(std::string_view provider, const DeliveryResult& answer, bool batch,
                    const std::vector<std::string>& refusals) {
    json::Writer out;
    if (!batch) {
        write_event(out, provider, answer.front());
        return out.take();
    }
    std::size_t next = 0;
    out.begin_object().key("events").begin_array();
    for (const std::string& refusal : refusals) {
        if (refusal.empty()) {
            write_event(out, provider, answer[next++]);
        } else {
            write_refused(out, provider, refusal);
        }
    }
    out.end_array().end_object();
    return out.take();
}

// Removes the items that are not authentic or of the other mode: they get no slot. Returns the
// rejection of each, for the answer.
std::vector<std::string> take_out_refused(std::vector<providers::Event>& events) {
    std::vector<std::string> refusals;
    for (const providers::Event& event : events) refusals.push_back(event.refusal);
    std::erase_if(events, [](const providers::Event& event) { return !event.refusal.empty(); });
    return refusals;
}

// Retry-After where only an operator can remedy the cause.
constexpr int retry_after_operator_s = 300;

void log_test_event(std::string_view provider, const EventResult& answer) {
    log::warn("test event stored without a movement: the server is in live mode",
              {{"provider", provider},
               {"event_id", answer.event_id.str()},
               {"note", answer.note},
               {"remedy",
                "to take test events, start with PAWL_MODE=test, or mode = \"test\" under "
                "[server] in pawl.toml; a database that holds live money needs a separate "
                "PAWL_DATA_DIR or PAWL_DATABASE_URL for that"}});
}

void log_live_delivery(std::string_view provider) {
    log::error("live event answered 503: the server is in test mode",
               {{"provider", provider},
                {"diagnosis", "live_mode"},
                {"remedy",
                 "point the provider's live endpoint at an installation of live mode; it delivers "
                 "again until then"}});
}

bool is_in_progress(const DeliveryResult& answer) {
    for (const EventResult& one : answer) {
        if (one.duplicate && one.worked_on) return true;
    }
    return false;
}

}  // namespace

Receive::Receive(std::vector<Provider> providers, std::set<std::string, std::less<>> off,
                 intents::Committer& committer, intents::Rejections& rejections, const Clock& clock,
                 Metrics& metrics)
    : off_(std::move(off)),
      committer_(committer),
      rejections_(rejections),
      clock_(clock),
      refusals_(metrics.counter("pawl_rejections_total", "Refused deliveries, by diagnosis.",
                                {"provider", "diagnosis"})),
      seconds_(metrics
                   .histogram("pawl_receive_seconds", "From the last byte read to the answer.",
                              seconds_buckets())
                   .alone()) {
    for (Provider& provider : providers) {
        std::string name(provider.name());
        providers_.emplace(std::move(name), served(std::move(provider), metrics));
    }
    measure_silence(metrics);
}

Receive::Served Receive::served(Provider provider, Metrics& metrics) const {
    const std::string name(provider.name());
    auto& deliveries =
        metrics.counter("pawl_deliveries_total", "Deliveries by verdict.", {"provider", "verdict"});
    auto& intents = metrics.counter("pawl_intents_total", "Events first seen, by outcome.",
                                    {"provider", "outcome"});
    auto& duplicates =
        metrics.counter("pawl_duplicates_total", "Events seen before.", {"provider"});
    std::vector<Counter*> by_outcome;
    for (const std::string_view outcome : ledger::outcome_names()) {
        by_outcome.push_back(&intents.with({name, std::string(outcome)}));
    }
    return {std::move(provider),
            deliveries.with({name, "authentic"}),
            deliveries.with({name, "rejected"}),
            duplicates.with({name}),
            std::move(by_outcome),
            std::make_shared<std::atomic<std::chrono::steady_clock::time_point>>(clock_.steady())};
}

void Receive::measure_silence(Metrics& metrics) const {
    std::vector<std::pair<std::string, decltype(Served::last_event)>> last;
    for (const auto& [name, served] : providers_) last.emplace_back(name, served.last_event);
    metrics.gauges_from(
        "pawl_provider_last_event_seconds",
        "Seconds since this process stored a provider's last event, or since its start.",
        {"provider"}, [last = std::move(last), &clock = clock_] {
            Metrics::Samples samples;
            for (const auto& [name, at] : last) {
                const std::chrono::duration<double> since = clock.steady() - at->load();
                samples.push_back({{name}, since.count()});
            }
            return samples;
        });
}

void Receive::handle(const RequestPtr& request, const Responder& respond) {
    const auto found = providers_.find(request->param("provider"));
    if (found == providers_.end()) {
        respond(unknown(request->param("provider")));
        return;
    }
    const Served& served = found->second;
    const Provider& provider = served.provider;
    providers::Delivery delivery = take_delivery(*request);
    providers::Received received = provider.receive(delivery);
    if (received.verdict == providers::Verdict::verified) {
        accept(served, request, {std::move(delivery), std::move(received)}, respond);
    } else {
        refuse(served, request, {std::move(delivery), std::move(received)}, respond);
    }
}

Reply Receive::unknown(const std::string& provider) const {
    if (!off_.contains(provider)) {
        return problem(
            404, "unknown_provider",
            "provider: unknown; end the URL with the `name` of a file in config/providers");
    }
    log::warn("delivery answered 503: the provider is switched off", {{"provider", provider}});
    return unavailable("provider_off", "this provider is switched off here; deliver it again later",
                       retry_after_operator_s);
}

void Receive::refuse(const Served& served, const RequestPtr& request, Judged judged,
                     const Responder& respond) {
    const Provider& provider = served.provider;
    const providers::Received& received = judged.received;
    const std::string name(provider.name());
    served.rejected.add();
    refusals_.with({name, received.diagnosis}).add();
    const bool live = received.verdict == providers::Verdict::live_mode;
    if (live) {
        log_live_delivery(name);
    } else {
        log::info(
            "delivery rejected",
            {{"provider", name}, {"diagnosis", received.diagnosis}, {"remote", request->remote}});
    }
    judged.delivery.headers = provider.storable(std::move(judged.delivery.headers));
    rejections_.record(
        {ProviderName(name), std::move(judged.delivery), received.diagnosis, request->remote});
    if (live) {
        respond(unavailable("live_mode", received.detail, retry_after_operator_s));
        return;
    }
    const bool too_many = received.verdict == providers::Verdict::too_many_items;
    respond(problem(too_many ? 413 : 401, received.diagnosis, received.detail));
}

void Receive::accept(const Served& served, const RequestPtr& request, Judged judged,
                     const Responder& respond) {
    const Provider& provider = served.provider;
    served.authentic.add();
    providers::Received& received = judged.received;
    auto refusals = take_out_refused(received.events);
    judged.delivery.headers = provider.storable(std::move(judged.delivery.headers));
    intents::Submission submission{ProviderName(std::string(provider.name())),
                                   provider.config().books,
                                   std::move(judged.delivery),
                                   request->remote,
                                   new_correlation_id(),
                                   std::move(received.events),
                                   std::nullopt,
                                   request->reservation,
                                   provider};
    const auto began = clock_.steady();
    auto reply = [this, &served, began, batch = received.batch,
                  refusals = std::move(refusals)](const std::optional<DeliveryResult>& answer) {
        const std::chrono::duration<double> took = clock_.steady() - began;
        seconds_.observe(took.count());
        return answer ? answered(served, *answer, batch, refusals)
                      : unavailable("not_durable",
                                    "the event could not be made durable in time; "
                                    "deliver it again");
    };
    // The committer continues with its next batch at once. The submission returns with the answer
    // to the thread that made it.
    auto on_answer = [reply = std::move(reply), respond](std::optional<DeliveryResult> answer,
                                                         intents::Submission done) mutable {
        respond.made_by([reply = std::move(reply), answer = std::move(answer),
                         done = std::move(done)] { return reply(answer); });
    };
    if (!committer_.submit(std::move(submission), std::move(on_answer))) {
        respond(unavailable("busy", "too many deliveries are waiting; deliver it again"));
    }
}

Reply Receive::answered(const Served& served, const DeliveryResult& answer, bool batch,
                        const std::vector<std::string>& refusals) {
    const Provider& provider = served.provider;
    const std::string name(provider.name());
    if (!answer.empty()) *served.last_event = clock_.steady();
    for (const EventResult& one : answer) {
        if (one.duplicate) {
            served.duplicates.add();
        } else {
            served.intents[static_cast<std::size_t>(one.outcome)]->add();
            if (one.note == "test_mode") log_test_event(name, one);
            intents::log_if_quarantined(ProviderName(name), one);
        }
    }
    const bool conflict = provider.config().in_progress == providers::InProgress::conflict;
    if (conflict && is_in_progress(answer)) {
        Reply reply = problem(409, "in_progress", "event is being processed; retry later");
        reply.headers.emplace_back("Retry-After", "1");
        return reply;
    }
    Reply reply;
    if (provider.config().ack_text) {
        reply.content_type = "text/plain";
        reply.body = *provider.config().ack_text;
    } else {
        reply.body = body_of(name, answer, batch, refusals);
    }
    return reply;
}

}  // namespace pawl::http
