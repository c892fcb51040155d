#include "intents/accept/lock_keys.hpp"

#include <bit>
#include <string_view>

namespace pawl::intents {
namespace {

// FNV-1a, then a mix so that keys that differ in their last letter do not lie side by side.
class Fnv {
  public:
    Fnv& add(std::string_view text) {
        for (const char c : text) step(static_cast<unsigned char>(c));
        step(0);  // so that ("a", "bc") and ("ab", "c") differ
        return *this;
    }
    std::int64_t number() const {
        std::uint64_t mixed = hash_;
        mixed ^= mixed >> 33U;
        mixed *= 0xff51afd7ed558ccdU;
        mixed ^= mixed >> 33U;
        return std::bit_cast<std::int64_t>(mixed);
    }

  private:
    void step(std::uint64_t byte) {
        hash_ ^= byte;
        hash_ *= 0x100000001b3U;
    }
    std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace

std::set<std::int64_t> lock_keys(const LockSet& lock_set) {
    std::set<std::int64_t> keys;
    for (const auto& [provider, event] : lock_set.intents) {
        keys.insert(Fnv().add("intent").add(provider.str()).add(event.str()).number());
    }
    for (const EffectKey& effect : lock_set.effects) {
        keys.insert(Fnv().add("effect").add(effect.str()).number());
    }
    for (const auto& [stream, lowest] : lock_set.streams) {
        keys.insert(Fnv().add("stream").add(stream.first).add(stream.second).number());
    }
    return keys;
}

std::int64_t lock_key(const ledger::BalanceKey& balance) {
    return Fnv().add("balance").add(balance.first.str()).add(balance.second.code()).number();
}

}  // namespace pawl::intents
