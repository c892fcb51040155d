// The heads of the chains, in files outside the database: by them verification finds rows deleted
// from a table's end, and deleted chains. One file a process, heads.1, heads.2, ...: the first that
// no other process has locked. 256 bytes a chain, authenticated by the chain's key, written by
// position after each commit. A HeadFile belongs to the ChainWriter that opened it; `write` is
// called by one thread a slot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/hash_chain.hpp"
#include "base/process.hpp"

namespace pawl::db {

struct StoredHead {
    chain::Table table = chain::Table::transfers;
    chain::Head head;
    std::string database{};  // which one it is of, 16 bytes; zeros: it was not known
    Time written_at{};       // after the commit, by this machine's clock
};

// One slot of a file; nullopt if its key does not authenticate it, or is unknown.
struct HeadSlot {
    bool used = false;
    std::optional<StoredHead> stored;
    std::string unknown_key{};  // its id, in hex; empty: known, or no head
};

class HeadFile {
  public:
    // In `folder`, which must exist. Throws nothing; an error names the file.
    static Result<HeadFile> lock(const std::string& folder, const chain::Keys& keys);
    const std::vector<HeadSlot>& slots() const { return slots_; }  // as they were when locked
    // Into the page cache: written bytes survive the process. Returns false if the disk refused.
    bool write(std::size_t slot, const StoredHead& head, const chain::Keys& keys) const;
    void sync() const;

  private:
    HeadFile(process::Fd fd, std::vector<HeadSlot> slots)
        : fd_(std::move(fd)), slots_(std::move(slots)) {}
    process::Fd fd_;
    std::vector<HeadSlot> slots_;
};

// Every slot of every file of `folder`, those of running processes included.
struct FoundHead {
    std::string place;  // heads.1, slot 3
    std::optional<StoredHead> stored;
    std::string unknown_key{};
};
std::vector<FoundHead> read_heads(const std::string& folder, const chain::Keys& keys);

}  // namespace pawl::db
