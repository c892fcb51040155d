// What the provider stage hands on: verified events, fully read, as plain values. Nothing below
// here sees a header, a signature or a provider's quirk. Values; no thread rules.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/money.hpp"

namespace pawl::providers {

using Headers = std::vector<std::pair<std::string, std::string>>;  // every line, in order, as sent

// One HTTP request as it arrived, before anything about it is believed.
struct Delivery {
    std::string method = "POST";
    std::string url;  // path and query as sent
    Headers headers;
    std::string body;
    Time received_at;
};

enum class Action { ignore, credit, debit, set_balance, start, signal };
enum class Order { late_ok, hold, strict };

// The money of one event, with everything that makes it this movement and no other.
struct Movement {
    AccountId account;
    Money amount;
    EffectKey effect_key;          // <books>/<kind>/<id>
    std::vector<EffectKey> needs;  // parked until each has been posted
    bool is_total = false;         // amount is the object's total so far, not this event's part
};

// One verified item. Either `quarantine` names why a person must look, or the rest is complete.
struct Event {
    EventId event_id;  // sha256:<hex of the item's bytes> where the id could not be read
    std::string type;
    std::string object;
    std::optional<Sequence> sequence;
    std::string fingerprint;  // hex SHA-256 over the fields that were read, not over the body
    std::string
        quarantine;  // unreadable | no_rule | bad_amount | clearing_account | ...; empty: fine

    Action action = Action::ignore;
    Order order = Order::late_ok;
    std::string workflow;              // for start and signal
    EffectKey start_key;               // for start: what makes this start one and the same
    std::optional<Movement> movement;  // for credit, debit and set_balance
    std::vector<std::string> jobs;
};

}  // namespace pawl::providers
