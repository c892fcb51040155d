// Walks the rows of a chained table in the order of their numbers, and reports rows that were
// edited, swapped, inserted or cut, and chains that were cut at their end or dropped. Independent
// of SQL; memory is bounded by the number of chains. Belongs to one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/hash_chain.hpp"
#include "db/chain/heads.hpp"
#include "intents/verify/verify.hpp"

namespace pawl::intents {

struct ChainedRow {
    std::int64_t number = 0;
    std::string mark;    // chain_prev
    std::string link;    // chain_hash
    std::string placed;  // the part of the row that the next link covers
    chain::Rows fields;
};

class ChainProof {
  public:
    // `known`: where each chain stood at the row behind which the walk begins.
    // Rows up to `began` may be in no chain.
    ChainProof(chain::Table table, const chain::Keys& keys, std::vector<chain::Head> known,
               std::int64_t began);

    void add(ChainedRow row);
    // Commits of which some rows are still to come.
    bool has_open() const { return !open_.empty(); }
    bool is_open(const std::string& mark) const { return open_.contains(mark); }

    // Returns the breaches of the walk, and those against the heads outside the database.
    std::vector<Breach> finish(const std::vector<db::FoundHead>& heads);
    std::vector<chain::Head> known() const;  // where each chain stands
    std::int64_t unchained() const { return unchained_; }

  private:
    struct Commit {  // rows with one mark, until their link comes
        chain::Rows rows;
        std::string placed;
        std::int64_t first = 0;
        std::int64_t last = 0;
    };
    struct Continuation {  // a first link that names the chain it continues
        chain::Head predecessor;
        std::string by;
        std::int64_t row;
    };

    struct Unchained {  // rows side by side that are in no chain
        std::int64_t first = 0;
        std::int64_t last = 0;
        std::int64_t count = 0;
    };
    struct Unknown {  // what one key signed that is not known here
        std::int64_t links = 0;
        std::int64_t heads = 0;
        std::string first_rows{};
    };

    void add_unchained(std::int64_t number);
    void report_unchained();
    void report_unknown_keys();
    void check_head(const db::FoundHead& found);
    void close(Commit commit, const std::string& mark, const chain::Link& link);
    void judge(const Commit& commit, const std::string& mark, const chain::Link& link,
               const chain::Head& before);
    void check_end(const chain::Head& end, const std::string& witness);
    void breach(const std::string& subject, const std::string& what);
    std::string rows_of(std::int64_t first, std::int64_t last) const;

    const chain::Table table_;
    const chain::Keys& keys_;
    const std::int64_t began_;
    std::map<std::string, chain::Head> chains_;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>>
        last_rows_;  // rows of each chain's last link
    std::map<std::string, Commit> open_;
    std::vector<Continuation> continuations_;
    std::map<std::string, Unknown> unknown_keys_;  // by their ids, in hex
    std::vector<Breach> breaches_;
    Unchained unchained_rows_;    // not yet reported
    std::int64_t unchained_ = 0;  // from before the chains began
};

}  // namespace pawl::intents
