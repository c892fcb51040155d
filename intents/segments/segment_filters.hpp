// The filters of sealed segments, as far as this process has loaded them. A filter saves a look at
// an index, and decides nothing else: a process without one asks the index. Owned by the wiring;
// committers and upkeep share one, each with a session of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "db/session.hpp"
#include "intents/segments/key_filter.hpp"

namespace pawl::intents {

// Segments 1 to `through` are sealed, and take no new event any more.
struct KnownSegments {
    std::int64_t through = 0;
    // Made of the checksums of all of them, so that a statement can check that they were loaded
    // from this database: a failover may have lost one.
    std::string token;
    // In their order; null: it cannot be read, and the index is asked.
    std::vector<std::shared_ptr<const KeyFilter>> filters;

    bool may_be_in(std::int64_t segment, std::uint64_t hash) const {
        const auto& filter = filters[static_cast<std::size_t>(segment - 1)];
        return filter == nullptr || filter->may_hold(hash);
    }
};

// The token of a segment whose filter has this checksum, after one with the token `before`.
std::string token_of(const std::string& before, const std::string& checksum);

class SegmentFilters {
  public:
    std::shared_ptr<const KnownSegments> known() const;

    // Loads the next filter. Returns true if another may follow. Throws db::Failure.
    bool load_next(db::Session& session);
    // The same every few seconds, and as long as there are more; by one thread at a time.
    void keep_up(db::Session& session, std::chrono::steady_clock::time_point now);

  private:
    mutable std::mutex mutex_;  // guards the two below
    std::shared_ptr<const KnownSegments> known_ = std::make_shared<KnownSegments>();
    std::chrono::steady_clock::time_point due_{};
};

}  // namespace pawl::intents
