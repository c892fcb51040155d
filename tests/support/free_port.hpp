// A TCP port of the loopback interface that no other test uses while this process lives, whichever
// checkout it belongs to. Safe for concurrent use.
#pragma once

#include <cstdint>

namespace pawl::testing {

// Reserved until the process ends, so that a server may be stopped and started again on it.
std::uint16_t free_port();

}  // namespace pawl::testing
