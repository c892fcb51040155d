// Commits that this machine has recorded and the database does not have: lost by a restore or a
// failover. The record is the heads of the hash chains below the data directory, each written after
// its commit: a record that is missing, old or of another database proves no loss.
// Values and a decision over them; one query by row number for each chained table.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "db/chain/heads.hpp"
#include "db/session.hpp"

namespace pawl::intents {

struct LostCommit {
    std::string place;  // heads.1, slot 0
    db::StoredHead head;
};

// The facts of a database that heads are compared with.
struct RecordedFacts {
    std::string database;            // its id; empty: not known, nothing is proven
    std::optional<Time> covered_to;  // by the last recovery: losses up to then
    std::set<std::string> links;     // hashes of the links that the database has
};

std::vector<LostCommit> judge_heads(const std::vector<db::FoundHead>& heads,
                                    const RecordedFacts& facts);

// The heads that this machine has recorded; empty where the session's rows are not chained. To be
// read before the tables: each was written after its commit.
std::vector<db::FoundHead> recorded_heads(const db::Session& session);

// The session must be one that may write: a replica may lag.
std::vector<LostCommit> find_lost_commits(db::Session& session,
                                          const std::vector<db::FoundHead>& heads,
                                          const std::optional<Time>& covered_to);

// "link 7 of chain 5f0c... at row 120 of transfers, committed 2026-11-19T10:00:00Z (heads.1, slot
// 0)"
std::string to_text(const LostCommit& lost);

}  // namespace pawl::intents
