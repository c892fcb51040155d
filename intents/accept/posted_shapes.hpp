// Records the key shapes under which each provider has posted; a file that changes one is refused
// at start. PostedShapes is the committers' shared cache of recorded shapes: a known shape costs
// no statement. Thread-safe.
#pragma once

#include <mutex>
#include <set>
#include <utility>

#include "db/session.hpp"
#include "intents/accept/batch_context.hpp"

namespace pawl::intents {

using ProviderShapes = std::set<std::pair<ProviderName, providers::KeyShape>>;

class PostedShapes {
  public:
    // Leaves those that are not known to be recorded.
    void subtract_from(ProviderShapes& shapes) const {
        const std::lock_guard lock(mutex_);
        std::erase_if(shapes, [this](const auto& one) { return recorded_.contains(one); });
    }
    void add(const ProviderShapes& committed) {
        const std::lock_guard lock(mutex_);
        recorded_.insert(committed.begin(), committed.end());
    }
    // After any failure of the database: a failover may have lost the rows.
    void clear() {
        const std::lock_guard lock(mutex_);
        recorded_.clear();
    }

  private:
    mutable std::mutex mutex_;
    ProviderShapes recorded_;
};

// The shapes that one transaction finds recorded, and those that it records itself.
struct ShapeRecord {
    const PostedShapes* known = nullptr;
    ProviderShapes recorded;
};

// Records the shapes of the batch's effect keys that are not known to be recorded. Must be the last
// statement of its transaction: a batch that waits here, for another that records the same shape,
// holds no lock that the other still needs.
void record_shapes(db::Transaction& transaction, const BatchContext& context, ShapeRecord& into,
                   Time now);

}  // namespace pawl::intents
