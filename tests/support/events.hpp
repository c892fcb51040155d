// Events as the provider stage would hand them over, for tests that begin behind it; and what the
// books look like afterwards. Plain functions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "intents/accept/submission.hpp"
#include "intents/segments/segment_filters.hpp"
#include "providers/event.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {

struct Said {
    std::string id;
    std::string effect;
    std::string account = "user:1";
    std::int64_t amount = 100;
    std::string currency = "USD";
    std::optional<std::int64_t> sequence;
    providers::Action action = providers::Action::credit;
    std::vector<std::string> needs;
    providers::OrderingPolicy order = providers::OrderingPolicy::late_ok;
    bool dense = false;  // as if another rule of the provider held
    bool total = false;  // amount is the total of `object` so far
    std::string object;
    bool from_first = false;         // its stream starts with whatever comes first
    std::optional<std::int64_t> at;  // when it happened, in seconds
    bool ignore_unmet = false;
    bool account_of_need = false;  // then `account` is where the model expects it
    bool operator==(const Said&) const = default;
};

// With ids, effects and an account of its own, so that no run needs an empty database.
Said in_run(Said said, const std::string& run);

providers::Event event(const Said& said);
providers::Event ignored(const std::string& id);
providers::Event unreadable(const std::string& reason, const std::string& bytes);

// The same content in other bytes: a counter of the sender's, say, which no rule reads.
providers::Event with_bytes(providers::Event event, const std::string& bytes);

// With a body that has the bytes of each.
intents::Submission deliver(std::vector<providers::Event> events,
                            const std::string& provider = "demo");

// Accepts and commits, as the committer does, trying again where the database says so.
std::vector<intents::DeliveryResult> commit(db::Session& session,
                                            const std::vector<intents::Submission>& submissions,
                                            const intents::KnownSegments& known = {});

// The state that must not depend on the order of arrival: balances and postings.
struct Books {
    std::map<std::string, std::int64_t> balances;  // "account currency"
    // "key debit credit currency amount"; of a running total "key@", and the sum.
    std::set<std::string> effects;
    bool operator==(const Books&) const = default;
};
Books books_of(db::Session& session, const std::string& account_prefix);

}  // namespace pawl::testing
