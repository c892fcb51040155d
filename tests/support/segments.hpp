// Segments as the server opens and seals them, at once and when a test says so. Plain functions,
// but for the filters, which belong to one test.
#pragma once

#include "base/metrics.hpp"
#include "intents/segments/sealing.hpp"

namespace pawl::testing {

class Segments {
  public:
    explicit Segments(db::Session& session) : session_(session) {}

    void open_next();  // whatever the newest one has
    void seal_all();   // but the newest, and those that an open transaction may insert into
    void load();       // what is sealed into `filters`

    // With a filter that denies every event, and that every server believes.
    void seal_with_a_lie(std::int64_t segment);

    std::int64_t newest();
    std::int64_t sealed();  // how many
    std::shared_ptr<const intents::KnownSegments> known() const { return filters.known(); }

    Metrics metrics;
    intents::SegmentFilters filters;

  private:
    db::Session& session_;
    intents::Sealing sealing_{1'000'000'000, filters, metrics};
};

}  // namespace pawl::testing
