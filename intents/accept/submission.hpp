// One verified delivery on its way into the database, or one stored event on its way again; and
// what became of each event. Values, handed from the HTTP threads to the committer and back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "ledger/decide.hpp"
#include "ledger/outcome.hpp"
#include "providers/event.hpp"
#include "providers/provider.hpp"

namespace pawl::intents {

// Claim on an event that is stored already and is processed again. If the row's fencing token has
// risen since the claim, another worker owns the row.
struct Resumed {
    std::int64_t fencing_token = 0;
    ledger::OperatorOverride overrides;  // what an operator sets aside
    bool even_finished = false;          // an operator's retry of a quarantined event
    std::string give_up;                 // not empty: quarantine it for this reason
    std::int64_t segment = 0;            // that has its row
    bool dismiss = false;                // close it: nothing moves
};

struct Submission {
    ProviderName provider;
    std::string books;
    providers::Delivery delivery;
    std::string remote;  // the sender's address, for the record only
    CorrelationId correlation_id;
    std::vector<providers::Event> events;
    std::optional<Resumed> resumed;       // nullopt: a delivery that has just arrived
    std::shared_ptr<void> reservation{};  // its share of a memory budget, held as long as its bytes
    // Reads the first delivery of an event again, by the rules of today.
    std::optional<providers::Provider> reader{};
};

struct EventResult {
    EventId event_id;  // <id>~<hash> where the id was taken by other content
    ledger::Outcome outcome = ledger::Outcome::pending;
    std::string note;
    bool duplicate = false;
    bool worked_on = false;    // by another worker with an unexpired lease
    bool stale_write = false;  // resumed after another worker had claimed it: nothing was written
};

using DeliveryResult = std::vector<EventResult>;  // one for each event of a submission, in order
using Batch = std::vector<const Submission*>;

}  // namespace pawl::intents
