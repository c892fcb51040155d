#include "app/job_parts.hpp"

#include "base/log.hpp"
#include "db/listener.hpp"
#include "intents/queries/open_gauges.hpp"
#include "jobs/job_queue.hpp"
#include "payments/idempotency.hpp"

namespace pawl::app {
namespace {

std::unique_ptr<jobs::JobQueue> queue_for(const WorkSettings& settings, db::SessionOptions session,
                                          const char* name, const Clock& clock) {
    jobs::JobQueueOptions options;
    options.lease = std::chrono::ceil<std::chrono::seconds>(settings.lease);
    session.name = name;
    // No client waits for these sessions: a busy disk may take its time.
    session.statement_timeout = std::max(session.statement_timeout, to_ms(settings.lease) / 3);
    return std::make_unique<jobs::JobQueue>(options, std::move(session), clock);
}

std::vector<jobs::LaneSpec> lanes(const Settings& settings, const Clock& clock) {
    std::vector<jobs::LaneSpec> lanes;
    for (const jobs::Subscriber& subscriber : subscribers_of(settings)) {
        auto lane = jobs::lane_for(subscriber, clock);
        if (!lane) {  // load() has judged the secrets; this is for tests that skip it
            log::error("subscriber not started", {{"error", lane.error().message}});
            continue;
        }
        lane->retry = {settings.work.attempts_max, settings.work.retry_first,
                       settings.work.retry_longest};
        lanes.push_back(std::move(*lane));
    }
    return lanes;
}

std::vector<jobs::Chore> chores(const Settings& settings, const Roles& roles,
                                intents::SegmentFilters& filters, Metrics& metrics) {
    std::vector<jobs::Chore> chores{jobs::measuring(metrics)};
    if (!roles.work) return chores;
    chores.push_back(jobs::reaping(settings.retention.jobs));
    chores.push_back({"reap keys", std::chrono::minutes(1), [](db::Session& session, Time now) {
                          constexpr std::int64_t at_once = 500;
                          return payments::reap_keys(session, at_once, now) == at_once;
                      }});
    chores.push_back(intents::sealing_chore(settings.receive.segment_events, filters, metrics));
    const auto add = [&chores](std::vector<jobs::Chore> more) {
        for (jobs::Chore& chore : more) chores.push_back(std::move(chore));
    };
    add(intents::delivery_chores(settings.retention.deliveries, settings.retention.rejections));
    add(intents::expiry_chores(event_expiries(settings)));
    std::vector<std::string> gateways;
    for (const GatewayFile& file : settings.gateways) gateways.push_back(file.name);
    chores.push_back(intents::measuring_open(metrics, std::move(gateways)));
    return chores;
}

}  // namespace

std::vector<intents::EventExpiry> event_expiries(const Settings& settings) {
    std::vector<intents::EventExpiry> all;
    for (const ProviderFile& file : settings.providers) {
        const auto& config = file.config;
        if (!config.retention) continue;
        all.push_back({config.name, *config.retention, config.retry_window});
    }
    return all;
}

std::vector<jobs::Subscriber> subscribers_of(const Settings& settings) {
    std::vector<jobs::Subscriber> all;
    for (const Subscriber& one : settings.subscribers) {
        all.push_back({one.name, one.url, one.secrets, one.events, one.ordered, one.allow_private,
                       static_cast<std::size_t>(one.concurrency), to_ms(one.timeout)});
    }
    return all;
}

void notify_once(const WorkSettings& settings, db::Session& session) {
    if (settings.wake != WorkWake::notify) return;
    try {
        db::notify(session, jobs::staged_channel);
    } catch (const db::Failure& failure) {
        log::debug("NOTIFY failed", {{"error", failure.what()}});
    }
}

JobParts::JobParts(const Settings& settings, const Roles& roles, const db::SessionOptions& session,
                   const Clock& clock, intents::SegmentFilters& filters, Metrics& metrics) {
    const WorkSettings& work = settings.work;
    if (roles.work) {
        const jobs::WorkerOptions options{to_ms(work.lease), to_ms(work.poll)};
        worker_ = std::make_unique<jobs::Worker>(options, lanes(settings, clock),
                                                 queue_for(work, session, "worker", clock), clock,
                                                 metrics);
    }
    if (roles.enqueue) {
        const jobs::EnqueuerOptions options{work.enqueue_max, to_ms(work.poll)};
        enqueuer_ = std::make_unique<jobs::Enqueuer>(
            options, jobs::routes_to(subscribers_of(settings)),
            queue_for(work, session, "enqueuer", clock), clock, metrics, [this] { ready(); });
    }
    if (work.wake == WorkWake::notify) connect_processes(roles, session);
    upkeep_ = std::make_unique<jobs::Upkeep>(chores(settings, roles, filters, metrics), session,
                                             clock, metrics);
}

// A process that both stages and enqueues needs no NOTIFY; it listens where others may stage.
void JobParts::connect_processes(const Roles& roles, const db::SessionOptions& session) {
    using jobs::WakeupListener;
    using jobs::WakeupNotifier;
    if (roles.enqueue) {
        staged_listener_ =
            std::make_unique<WakeupListener>(session, jobs::staged_channel, [this] { poke(); });
        if (!roles.work)
            ready_notifier_ = std::make_unique<WakeupNotifier>(session, jobs::ready_channel);
        return;
    }
    staged_notifier_ = std::make_unique<WakeupNotifier>(session, jobs::staged_channel);
    if (roles.work) {
        ready_listener_ =
            std::make_unique<WakeupListener>(session, jobs::ready_channel, [this] { ready(); });
    }
}

void JobParts::start() {
    if (worker_) worker_->start();
    if (enqueuer_) enqueuer_->start();
    upkeep_->start();
    for (auto* bell : {staged_notifier_.get(), ready_notifier_.get()}) {
        if (bell != nullptr) bell->start();
    }
    for (auto* ear : {staged_listener_.get(), ready_listener_.get()}) {
        if (ear != nullptr) ear->start();
    }
}

void JobParts::drain(Duration within) {
    upkeep_->drain();
    if (enqueuer_) enqueuer_->drain();
    for (auto* bell : {staged_notifier_.get(), ready_notifier_.get()}) {
        if (bell != nullptr) bell->drain();
    }
    for (auto* ear : {staged_listener_.get(), ready_listener_.get()}) {
        if (ear != nullptr) ear->drain();
    }
    if (!worker_) return;
    // A request in progress notices within a second; then the rest has to stop.
    constexpr Duration rest = std::chrono::seconds(3);
    const Duration wait = std::max(within / 4, within - rest);
    worker_->drain(std::chrono::steady_clock::now() + wait);
}

void JobParts::stop() {
    staged_listener_.reset();
    ready_listener_.reset();
    if (enqueuer_) enqueuer_->stop();
    if (worker_) worker_->stop();
    upkeep_->stop();
    for (auto* bell : {staged_notifier_.get(), ready_notifier_.get()}) {
        if (bell != nullptr) bell->stop();
    }
}

void JobParts::poke() {
    if (enqueuer_) enqueuer_->poke();
    if (staged_notifier_) staged_notifier_->notify();
}

void JobParts::ready() {
    if (worker_) worker_->poke();
    if (ready_notifier_) ready_notifier_->notify();
}

}  // namespace pawl::app
