#include "intents/verify/chain_proof.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/encoding.hpp"

namespace pawl::intents {
namespace {

std::string links(std::uint64_t first, std::uint64_t last) {
    return first == last ? fmt::format("link {}", first)
                         : fmt::format("links {} to {}", first, last);
}

std::string chain_called(const std::string& chain) {
    return "chain " + chain::name_of(chain);
}

}  // namespace

ChainProof::ChainProof(chain::Table table, const chain::Keys& keys, std::vector<chain::Head> known,
                       std::int64_t began)
    : table_(table), keys_(keys), began_(began) {
    for (chain::Head& one : known) {
        const std::string name = one.chain;
        last_rows_[name] = {one.row, one.row};
        chains_[name] = std::move(one);
    }
}

void ChainProof::breach(const std::string& subject, const std::string& what) {
    if (breaches_.size() < static_cast<std::size_t>(breaches_max)) {
        breaches_.push_back({subject, what});
    }
}

std::string ChainProof::rows_of(std::int64_t first, std::int64_t last) const {
    const bool one = first == last;
    const std::string what = table_ == chain::Table::transfers
                                 ? (one ? "transfer" : "transfers")
                                 : (one ? "audit entry" : "audit entries");
    return one ? fmt::format("{} {}", what, first) : fmt::format("{} {} to {}", what, first, last);
}

// A server without its key writes rows side by side: one breach, and not one for each.
void ChainProof::add_unchained(std::int64_t number) {
    if (unchained_rows_.count++ == 0) unchained_rows_.first = number;
    unchained_rows_.last = number;
}

void ChainProof::report_unchained() {
    const Unchained rows = std::exchange(unchained_rows_, {});
    if (rows.count == 0) return;
    breach(rows_of(rows.first, rows.last),
           fmt::format("{} in no chain: inserted, or written by a server without the key; if it "
                       "was the latter, set the key (PAWL_CHAIN_KEY) and accept these rows",
                       rows.count == 1 ? "is" : "are"));
}

void ChainProof::report_unknown_keys() {
    for (const auto& [key, signed_by] : unknown_keys_) {
        std::string what = "is unknown here: ";
        if (signed_by.links > 0) {
            what += fmt::format("it signed {} links of {}, the first of {}", signed_by.links,
                                chain::to_text(table_), signed_by.first_rows);
        } else {
            what += fmt::format("it signed heads outside the database ({})", signed_by.heads);
        }
        what += "; put it behind the current key (PAWL_CHAIN_KEY=CURRENT,FORMER)";
        breaches_.insert(breaches_.begin(),
                         {"chain key " + key, what});  // the list is cut at its end
    }
}

void ChainProof::add(ChainedRow row) {
    if (row.mark.empty() && row.link.empty()) {
        if (row.number > 0 && row.number <= began_) {
            ++unchained_;
            return;
        }
        return add_unchained(row.number);
    }
    report_unchained();
    const std::string mark = row.mark;
    Commit& commit = open_[mark];
    if (commit.rows.count() == 0) commit.first = row.number;
    commit.last = row.number;
    commit.rows.append(row.fields);
    commit.placed += commit.placed.empty() ? "" : ",";
    commit.placed += row.placed;
    if (row.link.empty()) return;
    Commit whole = std::move(commit);
    open_.erase(mark);
    const auto link = chain::Link::parse(row.link);
    if (!link) return breach(rows_of(row.number, row.number), "has a link that is not one");
    close(std::move(whole), mark, *link);
}

// The number of rows is part of a link, which distinguishes cut rows from inserted ones.
void ChainProof::judge(const Commit& commit, const std::string& mark, const chain::Link& link,
                       const chain::Head& before) {
    const std::string rows = rows_of(commit.first, commit.last);
    const std::string which = fmt::format("link {} of {}", link.seq, chain_called(link.chain));
    if (keys_.find(link.key) == nullptr) {
        Unknown& key = unknown_keys_[to_hex(link.key)];
        if (key.links++ == 0) key.first_rows = rows;
        return;
    }
    if (commit.rows.count() != link.rows) {
        const bool fewer = commit.rows.count() < link.rows;
        return breach(rows,
                      fmt::format("{} was written with {} rows and has {}: rows were {}", which,
                                  link.rows, commit.rows.count(), fewer ? "cut" : "inserted"));
    }
    const chain::Head marked_by = before.seq == 0 ? chain::Head{link.chain} : before;
    if (mark == chain::row_mark(marked_by) &&
        chain::fits(keys_, table_, link, before, commit.rows)) {
        return;
    }
    const auto [first, last] = last_rows_[link.chain];
    const std::string earlier =
        before.seq == 0 ? "" : fmt::format(", or {} got another number", rows_of(first, last));
    breach(rows, fmt::format("{} does not fit: edited or swapped{}", which, earlier));
}

void ChainProof::close(Commit commit, const std::string& mark, const chain::Link& link) {
    const auto found = chains_.find(link.chain);
    const chain::Head before = found == chains_.end() ? chain::Head{} : found->second;
    const std::string called = chain_called(link.chain);
    // A commit that a proof had closed by reading on behind its last row.
    if (before.seq == link.seq && before.hash == link.hash && before.row == commit.last) return;
    if (link.seq <= before.seq) {
        return breach(rows_of(commit.first, commit.last),
                      fmt::format("repeats link {} of {}: inserted", link.seq, called));
    }
    if (link.seq == before.seq + 1) {
        judge(commit, mark, link, before);
    } else {
        breach(called, fmt::format("lacks {}, before {}: their rows were cut",
                                   links(before.seq + 1, link.seq - 1),
                                   rows_of(commit.first, commit.last)));
    }
    if (link.predecessor) continuations_.push_back({*link.predecessor, called, commit.first});
    chains_[link.chain] = {link.chain, link.seq, link.hash,
                           chain::placement("{" + commit.placed + "}"), commit.last};
    last_rows_[link.chain] = {commit.first, commit.last};
}

// A chain must come at least as far as `end`; exactly there, it must be the same.
void ChainProof::check_end(const chain::Head& end, const std::string& witness) {
    const auto found = chains_.find(end.chain);
    const std::string called = chain_called(end.chain);
    if (found == chains_.end()) {
        return breach(called, fmt::format("is missing: {} names its {}; all its rows were cut",
                                          witness, links(1, end.seq)));
    }
    const chain::Head& stands = found->second;
    if (stands.seq < end.seq) {
        return breach(called,
                      fmt::format("ends with link {}, at {}; {} names its link {}: rows were "
                                  "cut from its end",
                                  stands.seq, rows_of(stands.row, stands.row), witness, end.seq));
    }
    if (stands.seq > end.seq) return;
    if (stands.hash != end.hash || stands.placed != end.placed) {
        const auto [first, last] = last_rows_[end.chain];
        breach(called,
               fmt::format("its link {} is not the one that {} names: {} got another number "
                           "or time, or took the place of others",
                           end.seq, witness, rows_of(first, last)));
    }
}

std::vector<Breach> ChainProof::finish(const std::vector<db::FoundHead>& heads) {
    for (const auto& [mark, commit] : open_) {
        breach(rows_of(commit.first, commit.last),
               "has no link: inserted, or the rest of its commit was cut");
    }
    for (const Continuation& next : continuations_) {
        check_end(next.predecessor, fmt::format("{}, which continues it from {},", next.by,
                                                rows_of(next.row, next.row)));
    }
    for (const db::FoundHead& found : heads) check_head(found);
    report_unchained();
    report_unknown_keys();
    return breaches_;
}

void ChainProof::check_head(const db::FoundHead& found) {
    if (found.stored) {
        if (found.stored->table != table_) return;
        check_end(found.stored->head, "its head outside the database (" + found.place + ")");
    } else if (table_ == chain::Table::transfers) {  // damaged ones belong to no table
        if (found.unknown_key.empty()) {
            breach(found.place, "holds no head that its key has signed: it was damaged");
        } else {
            ++unknown_keys_[found.unknown_key].heads;
        }
    }
}

std::vector<chain::Head> ChainProof::known() const {
    std::vector<chain::Head> all;
    for (const auto& [name, chain] : chains_) all.push_back(chain);
    return all;
}

}  // namespace pawl::intents
