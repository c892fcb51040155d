// One verified delivery on its way into the database, and what became of each of its events.
// Values, handed from the HTTP threads to the committer and back.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "ledger/outcome.hpp"
#include "providers/event.hpp"

namespace pawl::intents {

struct Submission {
    ProviderName provider;
    providers::Delivery delivery;
    std::string remote;  // who sent it, for the record only
    CorrelationId correlation_id;
    std::vector<providers::Event> events;
};

struct EventAnswer {
    EventId event_id;  // <id>~<hash> where the id was taken by other content
    ledger::Outcome outcome = ledger::Outcome::pending;
    std::string note;
    bool duplicate = false;
};

using Answer = std::vector<EventAnswer>;  // one for each event of a submission, in order
using Batch = std::vector<const Submission*>;

}  // namespace pawl::intents
