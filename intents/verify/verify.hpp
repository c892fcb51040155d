// Proves the books: every invariant, with a list of what breaks it. Where the session's rows are
// chained, journal, audit log and balances are read in pieces from the proven point on, or, deep,
// from the beginning; every other invariant is one statement with a snapshot of its own. Writes
// nothing but the proven point. On the caller's session, which needs time for it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
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
    bool for_attention = false;    // a breach needs an operator; the books are correct
};

inline constexpr int breaches_max = 100;

// A deep proof also reads the rows of earlier proofs, and the properties that a constraint proves.
enum class Depth { since_last_proof, deep };

// Extent of a proof in a chained table: the rows above `after` and up to `through`.
struct Range {
    std::string table;
    std::int64_t after = 0;
    std::int64_t through = 0;
    std::int64_t rows = 0;
    std::optional<Time> proven_at;  // when the rows up to `after` were proven
};

struct Proof {
    Depth depth = Depth::since_last_proof;
    bool chained =
        false;  // there is a key: the ranges are proven, and the next proof continues there
    std::vector<Invariant> invariants;
    std::vector<Range> ranges;
};

// Reports a step's name, the number of rows done, and their total; 0 if it is unknown.
using Progress = std::function<void(std::string_view step, std::int64_t done, std::int64_t of)>;

Proof prove(db::Session& session, Depth depth, const Progress& progress = {});
std::vector<Invariant> verify(db::Session& session, Depth depth = Depth::since_last_proof);
bool holds(const std::vector<Invariant>& invariants);
std::string to_json(const Proof& proof);
// "transfers 11 to 20 (10 rows); 1 to 10 were proven at 2026-..."
std::string to_text(const Range& range);

}  // namespace pawl::intents
