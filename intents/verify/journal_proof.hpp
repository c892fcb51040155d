// Proves the chained tables and the balances by reading them once, in the order of their numbers
// and in pieces: no snapshot lasts longer than one piece. Continues from the proven point, unless a
// deep proof is requested, and moves the point if it found no breach. On the caller's session,
// which has a chain.
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "db/chain/writer.hpp"
#include "db/session.hpp"
#include "intents/verify/proven.hpp"
#include "intents/verify/verify.hpp"

namespace pawl::intents {

// Extent of an earlier proof: the last transfer, and the time up to which events were done.
struct Since {
    std::int64_t transfer = std::numeric_limits<std::int64_t>::min();
    Time done_at{};
};

class JournalProof {
  public:
    JournalProof(db::Session& session, Depth depth, const Progress& progress);
    ~JournalProof();

    void run();
    std::vector<Invariant> invariants() const;
    std::vector<Range> ranges() const;
    Since since() const;
    // Stores the proven point. Only if every invariant holds.
    void store_point();

  private:
    struct Walk;
    struct Bound {
        std::int64_t transfers = 0;
        std::int64_t audit = 0;
        Time at{};
    };
    Bound settle();
    void advance();
    void walk(Walk& walk, std::int64_t to);
    void close_open(Walk& walk);
    void check_known(Walk& walk, const std::vector<chain::Head>& known);
    void check_unchained(Walk& walk, std::int64_t expected);
    void prove_balances();
    std::vector<Breach> missing_heads() const;

    db::Session& session_;
    const db::ChainWriter& chain_;
    const Depth depth_;
    const Progress& progress_;
    Proven point_;
    std::optional<Time> proven_at_;
    std::unique_ptr<Walk> transfers_;
    std::unique_ptr<Walk> audit_;
    std::vector<Breach> balances_;
    bool heads_found_ = false;
    std::chrono::steady_clock::time_point advanced_{};
};

}  // namespace pawl::intents
