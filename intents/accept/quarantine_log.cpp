#include "intents/accept/quarantine_log.hpp"

#include "base/log.hpp"

namespace pawl::intents {

void log_if_quarantined(const ProviderName& provider, const EventResult& result) {
    if (result.outcome != ledger::Outcome::quarantined || result.stale_write) return;
    log::warn("event quarantined", {{"provider", provider.str()},
                                    {"event_id", result.event_id.str()},
                                    {"reason", result.note},
                                    {"remedy", "pawl attention lists it with its remedies"}});
}

}  // namespace pawl::intents
