// The outcome of an intent, as one word. The words are stable; the database checks them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace pawl::ledger {

enum class Outcome {
    pending,
    applied,
    applied_late,      // its sequence was already passed; the money still moved
    duplicate_effect,  // another event had already posted this very effect
    stale,             // superseded state: nothing moved
    ignored,           // a rule says so
    started,           // a workflow was started or signalled
    parked,            // waits for something named
    quarantined,       // needs an operator
    dismissed,         // closed by an operator: nothing moved
};

std::string_view to_text(Outcome outcome);
std::string_view status_of(Outcome outcome);  // pending | done | parked | quarantined
std::optional<Outcome> parse_outcome(std::string_view text);
std::span<const std::string_view> outcome_names();
std::span<const std::string_view> status_names();
inline bool is_done(Outcome outcome) {
    return status_of(outcome) == "done";
}

}  // namespace pawl::ledger
