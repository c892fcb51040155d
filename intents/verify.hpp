// Proves the books: every invariant, read in one snapshot, with a list of what breaks it. Reads
// only; on the caller's session, which needs time for it.
#pragma once

#include <string>
#include <vector>

#include "db/session.hpp"

namespace pawl::intents {

struct Breach {
    std::string subject;  // the row that breaks the invariant
    std::string what;     // how
};

struct Invariant {
    std::string name;              // balance_is_sum_of_transfers, ...
    std::string says;              // one sentence
    std::vector<Breach> breaches;  // at most breaches_max of them
    bool for_attention = false;    // what breaks it is real, and for a person: the books hold
};

inline constexpr int breaches_max = 100;

// Where a valid constraint proves an invariant, the constraint is checked; `deep` reads the rows,
// too.
enum class Depth { constraints, deep };
std::vector<Invariant> verify(db::Session& session, Depth depth = Depth::constraints);
bool holds(const std::vector<Invariant>& invariants);
std::string to_json(const std::vector<Invariant>& invariants);

}  // namespace pawl::intents
