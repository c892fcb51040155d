// What an event does to the books, as a value: decided from what is known, apart from doing it.
// Pure; the tests are a table over it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "ledger/book.hpp"
#include "ledger/outcome.hpp"
#include "providers/event.hpp"

namespace pawl::ledger {

// Money moves. `late`: the account had already seen a later sequence; that never stops money.
struct Post {
    bool late = false;
    Balance after;
};
// The effect is in the books already, posted by another event with the same content.
struct AlreadyPosted {};
// Waits until the effect that it needs has been posted.
struct Park {
    EffectKey waits_for;
};
struct Quarantine {
    std::string reason;
};
using Decision = std::variant<Post, AlreadyPosted, Park, Quarantine>;

// `book` must hold the balance of the movement's account and whatever is posted of its effect key
// and its needs.
Decision decide(const providers::Event& event, Book& book);

// Carries a decision out on the book, and says what became of the event.
struct Applied {
    Outcome outcome = Outcome::pending;
    std::string note;
};
Applied apply(const Decision& decision, const providers::Event& event,
              const ProviderName& provider, Time now, Book& book);

}  // namespace pawl::ledger
