// Bloom filter of the events of a sealed segment, in blocks of one cache line. It answers "no" only
// for an absent event; "maybe" also for about six absent ones in a thousand, which costs a look at
// the segment's index. A plain value; reading it from several threads is safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "intents/accept/batch_context.hpp"

namespace pawl::intents {

// The same on every machine and in every version: filters are stored.
std::uint64_t filter_hash(const IntentKey& key);

class KeyFilter {
  public:
    KeyFilter(std::int64_t segment, const std::vector<std::uint64_t>& hashes);

    bool may_hold(std::uint64_t hash) const;

    std::int64_t keys() const { return keys_; }

    // Its header names segment and number of keys, its last 32 bytes are the SHA-256 of the others.
    std::string to_bytes() const;
    static std::string checksum_of(std::string_view bytes);  // those 32 bytes
    static Result<KeyFilter> from_bytes(std::string_view bytes, std::int64_t segment);

  private:
    using Block = std::array<std::uint64_t, 8>;  // a cache line

    KeyFilter(std::int64_t segment, std::int64_t keys, std::size_t blocks)
        : segment_(segment), keys_(keys), blocks_(blocks) {}

    std::int64_t segment_;
    std::int64_t keys_;
    std::vector<Block> blocks_;  // never empty
};

}  // namespace pawl::intents
