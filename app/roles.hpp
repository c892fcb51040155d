// The parts of the server that one process runs, so that a fleet can be split. A plain value.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace pawl::app {

struct Roles {
    bool receive = true;  // the public listener
    bool work = true;     // workflows and jobs are executed
    bool enqueue = true;  // staged jobs are enqueued
    bool admin = true;    // the admin API

    bool serves_public() const { return receive; }
    // A process without a public listener has its health and its metrics on the admin one.
    bool serves_admin() const { return admin || !receive; }
};

Result<Roles> parse_roles(std::string_view text);  // "receive,work"

}  // namespace pawl::app
