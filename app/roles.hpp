// Which parts of the server one process runs, so that a fleet can be split. A plain value.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace pawl::app {

struct Roles {
    bool receive = true;  // the public listener
    bool work = true;     // workflows and jobs are carried out
    bool enqueue = true;  // staged jobs are moved on
    bool admin = true;    // the admin listener
};

Result<Roles> parse_roles(std::string_view text);  // "receive,work"

}  // namespace pawl::app
