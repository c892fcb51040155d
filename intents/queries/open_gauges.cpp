#include "intents/queries/open_gauges.hpp"

#include <set>

#include "base/log.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// It reads all that is unfinished, of which there is little.
constexpr std::chrono::seconds every(10);

// Sets a series to 0 if its rows have ended by the next measurement.
void clear(Family<Gauge>& gauges) {
    gauges.each([](const auto&, Gauge& gauge) { gauge.set(0); });
}

struct OpenGauges {
    explicit OpenGauges(Metrics& metrics)
        : events(metrics.gauge("pawl_intents_open", "Unfinished events.", {"provider", "status"})),
          payments(
              metrics.gauge("pawl_payments_open", "Unfinished payments.", {"gateway", "state"})),
          paused(metrics.gauge("pawl_provider_paused",
                               "1: an operator paused the provider; its events are not applied.",
                               {"provider"})),
          orphans(
              metrics
                  .gauge("pawl_runs_without_gateway", "Runs whose gateway is no longer configured.")
                  .alone()) {}

    Family<Gauge>&events, &payments, &paused;
    Gauge& orphans;
};

void report_orphans(Gauge& orphans, std::int64_t runs) {
    const auto count = static_cast<double>(runs);
    if (count > orphans.value()) {
        log::warn("runs have a gateway that is no longer configured", {{"runs", runs}});
    }
    orphans.set(count);
}

// Logged once for each pause, by each server: the command that paused runs in another process.
void log_new_pauses(const std::set<std::string>& before, const std::set<std::string>& now) {
    for (const std::string& provider : now) {
        if (before.contains(provider)) continue;
        log::warn("provider paused: its events are stored and not applied",
                  {{"provider", provider}, {"remedy", "pawl providers resume " + provider}});
    }
    for (const std::string& provider : before) {
        if (!now.contains(provider)) log::info("provider resumed", {{"provider", provider}});
    }
}

}  // namespace

jobs::Chore measuring_open(Metrics& metrics, std::vector<std::string> gateways) {
    const auto measure = [gauges = OpenGauges(metrics), gateways = std::move(gateways),
                          paused = std::set<std::string>()](db::Session& session, Time) mutable {
        const auto rows =
            db::Statement::run(session, sql::CountOpen{.gateways = db::Texts(gateways)});
        clear(gauges.events);
        clear(gauges.payments);
        clear(gauges.paused);
        std::set<std::string> paused_now;
        for (const auto row : rows) {
            const std::string scope(row.scope());
            if (row.kind() == "runs_without_gateway") {
                report_orphans(gauges.orphans, row.counted());
            } else if (row.kind() == "paused") {
                gauges.paused.with({scope}).set(1);
                paused_now.insert(scope);
            } else {
                Family<Gauge>& family = row.kind() == "intents" ? gauges.events : gauges.payments;
                family.with({scope, std::string(row.state())})
                    .set(static_cast<double>(row.counted()));
            }
        }
        log_new_pauses(paused, paused_now);
        paused = std::move(paused_now);
        return false;
    };
    return {"measure what is open", every, measure};
}

}  // namespace pawl::intents
