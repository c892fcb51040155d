#include "intents/lock_keys.hpp"

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

std::int64_t lock_key(const IntentKey& intent) {
    return Fnv().add("intent").add(intent.first.str()).add(intent.second.str()).number();
}

std::int64_t lock_key(const EffectKey& effect) {
    return Fnv().add("effect").add(effect.str()).number();
}

std::set<std::int64_t> lock_keys(const Batch& batch) {
    std::set<std::int64_t> keys;
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            // An event kept under its conflict id shares the lock of the id that it wanted.
            keys.insert(lock_key(IntentKey{submission->provider, event.event_id}));
            if (!event.movement) continue;
            keys.insert(lock_key(event.movement->effect_key));
            for (const EffectKey& need : event.movement->needs) keys.insert(lock_key(need));
        }
    }
    return keys;
}

}  // namespace pawl::intents
