// The log line of an event that was quarantined just now: it waits for an operator. Any thread.
#pragma once

#include "base/ids.hpp"
#include "intents/accept/submission.hpp"

namespace pawl::intents {

void log_if_quarantined(const ProviderName& provider, const EventResult& result);

}  // namespace pawl::intents
