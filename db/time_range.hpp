// The period that a list is limited to, as two parameters of its statement. Values without state.
#pragma once

#include <optional>

#include "base/clock.hpp"

namespace pawl::db {

struct TimeRange {
    std::optional<Time> from, to;  // from this moment on; before that one; nothing: no limit
};

}  // namespace pawl::db
