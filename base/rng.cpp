#include "base/rng.hpp"

#include <fmt/core.h>
#include <sys/random.h>

#include <bit>
#include <cstdlib>
#include <string_view>

namespace pawl {

std::uint64_t Rng::below(std::uint64_t bound) {
    if (bound == 0) return 0;
    // Values at the top that would make some remainders likelier than others are drawn again.
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    std::uint64_t drawn = next();
    while (drawn >= limit) drawn = next();
    return drawn % bound;
}

std::uint64_t SecureRng::next() {
    std::uint64_t value = 0;
    // For 8 bytes getrandom neither blocks after boot nor returns less; without it no token is
    // safe.
    if (getrandom(&value, sizeof value, 0) != sizeof value) std::abort();
    return value;
}

// splitmix64 spreads any seed, also 0, over the whole state of xoshiro256**.
SeededRng::SeededRng(std::uint64_t seed) : state_{} {
    for (std::uint64_t& word : state_) {
        seed += 0x9e3779b97f4a7c15U;
        std::uint64_t z = seed;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        word = z ^ (z >> 31U);
    }
}

std::uint64_t SeededRng::next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

std::string random_token(Rng& rng, std::size_t bytes) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const std::size_t letters = (bytes * 8 + 5) / 6;
    std::string token;
    token.reserve(letters);
    for (std::size_t i = 0; i < letters; ++i) token += alphabet[rng.below(alphabet.size())];
    return token;
}

std::string uuid_v4(Rng& rng) {
    const std::uint64_t high = (rng.next() & ~0xf000ULL) | 0x4000ULL;
    const std::uint64_t low = (rng.next() & ~(3ULL << 62U)) | (2ULL << 62U);
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU,
                       high & 0xffffU, low >> 48U, low & 0xffffffffffffULL);
}

}  // namespace pawl
