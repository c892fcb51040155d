// What one accepting transaction knows and is going to write: the intents it touches, by key, and
// its part of the books. Knows no SQL. Owned by one transaction of one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "intents/submission.hpp"
#include "jobs/stage.hpp"
#include "ledger/book.hpp"
#include "ledger/outcome.hpp"

namespace pawl::intents {

using IntentKey = std::pair<ProviderName, EventId>;

// An intent as it is known: read from the database, or made by this very batch.
struct Intent {
    ledger::Outcome outcome = ledger::Outcome::pending;
    std::string note;
    std::string fingerprint;
    std::string body_sha256;
    std::int64_t lease = 0;
    bool leased = false;  // somebody holds a live lease: hands off

    bool stored = false;      // has a row already
    bool decided = false;     // this batch decided it: insert it, or finish the stored row
    std::int64_t more_deliveries = 0;
    const Submission* submission = nullptr;   // for what this batch decided
    const providers::Event* event = nullptr;
};

struct Desk {
    std::map<IntentKey, Intent> intents;  // sorted, and so are the writes
    std::set<ProviderName> paused;
    ledger::Book book;
    std::vector<jobs::StagedJob> jobs;
};

// The key under which an event is kept when its id is taken by other content.
EventId conflict_id(const providers::Event& event);

// Every intent key that an event may turn out to need.
std::vector<IntentKey> possible_keys(const ProviderName& provider, const providers::Event& event);

}  // namespace pawl::intents
