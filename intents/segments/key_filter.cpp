#include "intents/segments/key_filter.hpp"

#include <algorithm>
#include <cstring>

#include "base/crypto.hpp"

namespace pawl::intents {
namespace {

constexpr std::string_view format = "pawlkf01";
constexpr std::size_t checksum_bytes = 32;
constexpr std::size_t header_bytes = format.size() + 2 * sizeof(std::uint64_t);
// Twelve bits a key and six bits set by each: the least that keeps the answers wrong below one in a
// hundred when a key may touch one cache line only.
constexpr std::size_t bits_per_key = 12;
constexpr int bits_set = 6;
constexpr std::size_t block_bits = 512;
constexpr std::size_t block_bytes = block_bits / 8;

std::uint64_t mix_bits(std::uint64_t x) {
    x ^= x >> 33U;
    x *= 0xff51afd7ed558ccdU;
    x ^= x >> 33U;
    x *= 0xc4ceb9fe1a85ec53U;
    return x ^ (x >> 33U);
}

std::uint64_t fnv(std::uint64_t hash, std::string_view text) {
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3U;
    }
    return hash * 0x100000001b3U;  // a byte of zero: ("a", "bc") is not ("ab", "c")
}

std::size_t block_of(std::uint64_t hash, std::size_t blocks) {
    return static_cast<std::size_t>(hash % blocks);
}

// Nine bits of it for each bit that is set.
std::uint64_t places_of(std::uint64_t hash) {
    return mix_bits(hash ^ 0x9e3779b97f4a7c15U);
}

void put(std::string& out, std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
        out.push_back(static_cast<char>(static_cast<unsigned char>(number >> shift)));
    }
}

std::uint64_t take(std::string_view bytes, std::size_t at) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < 8; ++i) {
        number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    return number;
}

std::size_t blocks_for(std::size_t keys) {
    return std::max<std::size_t>(1, (keys * bits_per_key + block_bits - 1) / block_bits);
}

}  // namespace

std::uint64_t filter_hash(const IntentKey& key) {
    return mix_bits(fnv(fnv(0xcbf29ce484222325U, key.first.str()), key.second.str()));
}

KeyFilter::KeyFilter(std::int64_t segment, const std::vector<std::uint64_t>& hashes)
    : KeyFilter(segment, static_cast<std::int64_t>(hashes.size()), blocks_for(hashes.size())) {
    for (const std::uint64_t hash : hashes) {
        Block& block = blocks_[block_of(hash, blocks_.size())];
        std::uint64_t places = places_of(hash);
        for (int i = 0; i < bits_set; ++i, places >>= 9U) {
            block[(places >> 6U) & 7U] |= std::uint64_t{1} << (places & 63U);
        }
    }
}

bool KeyFilter::may_hold(std::uint64_t hash) const {
    const Block& block = blocks_[block_of(hash, blocks_.size())];
    std::uint64_t places = places_of(hash);
    for (int i = 0; i < bits_set; ++i, places >>= 9U) {
        if ((block[(places >> 6U) & 7U] >> (places & 63U) & 1U) == 0) return false;
    }
    return true;
}

std::string KeyFilter::to_bytes() const {
    std::string bytes;
    bytes.reserve(header_bytes + blocks_.size() * block_bytes + checksum_bytes);
    bytes += format;
    put(bytes, static_cast<std::uint64_t>(segment_));
    put(bytes, static_cast<std::uint64_t>(keys_));
    for (const Block& block : blocks_) {
        for (const std::uint64_t word : block) put(bytes, word);
    }
    return bytes + crypto::digest(crypto::Hash::sha256, bytes);
}

std::string KeyFilter::checksum_of(std::string_view bytes) {
    return std::string(bytes.substr(bytes.size() - std::min(bytes.size(), checksum_bytes)));
}

Result<KeyFilter> KeyFilter::from_bytes(std::string_view bytes, std::int64_t segment) {
    const std::size_t around = header_bytes + checksum_bytes;
    if (bytes.size() < around + block_bytes || (bytes.size() - around) % block_bytes != 0 ||
        !bytes.starts_with(format)) {
        return invalid("the filter is cut, or of another format");
    }
    const std::string_view content = bytes.substr(0, bytes.size() - checksum_bytes);
    if (crypto::digest(crypto::Hash::sha256, content) != checksum_of(bytes)) {
        return invalid("the filter's bytes do not have its checksum");
    }
    const auto named = static_cast<std::int64_t>(take(bytes, format.size()));
    const std::uint64_t keys = take(bytes, format.size() + 8);
    const std::size_t blocks = (bytes.size() - around) / block_bytes;
    if (named != segment) return invalid("the filter is of another segment");
    if (keys > blocks * block_bits || blocks_for(keys) != blocks) {
        return invalid("the filter's size does not fit its number of keys");
    }
    KeyFilter filter(segment, static_cast<std::int64_t>(keys), blocks);
    std::size_t at = header_bytes;
    for (Block& block : filter.blocks_) {
        for (std::uint64_t& word : block) {
            word = take(bytes, at);
            at += 8;
        }
    }
    return filter;
}

}  // namespace pawl::intents
