// The memory that a server on this machine may use. Reads /proc and the control groups; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace pawl::db::cluster {

// Memory of the machine, or of the tightest control group of this process where that is less.
std::uint64_t memory_mb(const std::string& proc = "/proc",
                        const std::string& groups = "/sys/fs/cgroup");

}  // namespace pawl::db::cluster
