// Opens the next segment when one is full, and seals the one before it when nothing can be inserted
// there any more: its filter is made and stored, and each of its keys proven to stand in no older
// segment. In small steps. Several servers may do it at once: each makes the same filter, and the
// first is kept. Owned by upkeep's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.hpp"
#include "db/session.hpp"
#include "intents/segments/segment_filters.hpp"
#include "jobs/upkeep.hpp"

namespace pawl::intents {

class Sealing {
  public:
    Sealing(std::int64_t segment_events, SegmentFilters& filters, Metrics& metrics);

    // Returns true if there is more to do. Throws db::Failure.
    bool step(db::Session& session);

  private:
    // State of the segment being sealed. It is void on another connection: the server behind that
    // one may have lost the next segment, and insert into this one again.
    struct Work {
        std::int64_t segment = 0;
        std::string before;   // token of the segment before it
        std::string barrier;  // number of a transaction: those that may still insert are older
        std::uint64_t connection = 0;
        std::shared_ptr<const KnownSegments> older;  // null: those have not ended
        IntentKey last;
        std::vector<std::uint64_t> hashes;
        std::vector<std::string> doubles;
    };

    void open_next_if_full(db::Session& session) const;
    std::optional<Work> find_work(db::Session& session);
    bool close(db::Session& session);
    bool read_some(db::Session& session);
    void prove(db::Session& session, const std::vector<IntentKey>& keys);
    void seal(db::Session& session);

    const std::int64_t segment_events_;
    SegmentFilters& filters_;
    Counter& doubles_;
    std::optional<Work> work_;
};

// The maintenance task that seals segments.
jobs::Chore sealing_chore(std::int64_t segment_events, SegmentFilters& filters, Metrics& metrics);

}  // namespace pawl::intents
