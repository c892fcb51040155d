// Turns events into entries of the ledger. Pure.
#pragma once

#include "intents/accept/batch_context.hpp"
#include "ledger/entry.hpp"

namespace pawl::intents {

// Borrows the scope's name from the event.
ledger::Ordering ordering_of(const providers::Event& event);
ledger::Entry entry_of(const Origin& origin, const providers::Event& event);

inline bool takes_place(const providers::Event& event) {
    return ledger::takes_place(ordering_of(event));
}

}  // namespace pawl::intents
