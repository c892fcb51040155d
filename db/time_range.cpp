#include "db/time_range.hpp"

namespace pawl::db {
namespace {

void add(Params& params, const std::optional<Time>& time) {
    if (time) {
        params.time(*time);
    } else {
        params.null();
    }
}

}  // namespace

void add(Params& params, const TimeRange& range) {
    add(params, range.from);
    add(params, range.to);
}

}  // namespace pawl::db
