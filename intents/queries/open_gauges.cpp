#include "intents/queries/open_gauges.hpp"

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

}  // namespace

jobs::Chore measuring_open(Metrics& metrics, std::vector<std::string> gateways) {
    auto& events = metrics.gauge("pawl_intents_open", "Unfinished events.", {"provider", "status"});
    auto& payments =
        metrics.gauge("pawl_payments_open", "Unfinished payments.", {"gateway", "state"});
    auto& orphans =
        metrics.gauge("pawl_runs_without_gateway", "Runs whose gateway is no longer configured.")
            .alone();
    return {
        "measure what is open", every,
        [&events, &payments, &orphans, gateways = std::move(gateways)](db::Session& session, Time) {
            const auto rows =
                db::Statement::run(session, sql::CountOpen{.gateways = db::Texts(gateways)});
            clear(events);
            clear(payments);
            for (const auto row : rows) {
                const auto count = static_cast<double>(row.counted());
                if (row.kind() == "runs_without_gateway") {
                    if (count > orphans.value()) {
                        log::warn("runs have a gateway that is no longer configured",
                                  {{"runs", row.counted()}});
                    }
                    orphans.set(count);
                } else {
                    Family<Gauge>& family = row.kind() == "intents" ? events : payments;
                    family.with({std::string(row.scope()), std::string(row.state())}).set(count);
                }
            }
            return false;
        }};
}

}  // namespace pawl::intents
