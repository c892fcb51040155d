#include "sandbox/key_memory.hpp"

namespace pawl::sandbox {

std::int64_t KeyMemory::seen(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return ++sends_[key];
}

KeyMemory::Begun KeyMemory::begin(const std::string& key, const std::string& fingerprint,
                                  Time now) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found != entries_.end() && found->second.answered && now - found->second.since > horizon_) {
        entries_.erase(found);
    } else if (found != entries_.end()) {
        const Entry& entry = found->second;
        if (entry.fingerprint != fingerprint) return {Known::other_request, {}};
        if (!entry.answered) return {Known::in_use, {}};
        return {Known::answered, entry.answer};
    }
    entries_[key] = Entry{fingerprint, now, false, {}};
    return {};
}

void KeyMemory::finish(const std::string& key, Stored answer) {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[key];
    entry.answered = true;
    entry.answer = std::move(answer);
}

std::map<std::string, std::int64_t> KeyMemory::sends() const {
    const std::lock_guard lock(mutex_);
    return sends_;
}

}  // namespace pawl::sandbox
