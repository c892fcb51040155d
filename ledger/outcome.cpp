#include "ledger/outcome.hpp"

#include <array>

namespace pawl::ledger {
namespace {

constexpr std::array<std::string_view, 10> names = {
    "pending", "applied", "applied_late", "duplicate_effect", "stale",
    "ignored", "started", "parked",       "quarantined",      "dismissed"};

constexpr std::array<std::string_view, 4> statuses = {"pending", "done", "parked", "quarantined"};

}  // namespace

std::span<const std::string_view> outcome_names() {
    return names;
}

std::span<const std::string_view> status_names() {
    return statuses;
}

std::string_view to_text(Outcome outcome) {
    return names[static_cast<std::size_t>(outcome)];
}

std::string_view status_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::pending:
        case Outcome::parked:
        case Outcome::quarantined:
            return to_text(outcome);
        default:
            return "done";
    }
}

std::optional<Outcome> parse_outcome(std::string_view text) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == text) return static_cast<Outcome>(i);
    }
    return std::nullopt;
}

}  // namespace pawl::ledger
