#include "db/embedded/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "db/embedded/files.hpp"

namespace pawl::db::cluster {
namespace {

// A missing file and "max" mean no limit; version 1 writes "no limit" as a number above any memory.
std::uint64_t limit_in(const std::string& file, std::uint64_t otherwise) {
    const std::uint64_t bytes = std::strtoull(read_file(file).c_str(), nullptr, 10);
    return bytes == 0 ? otherwise : std::min(otherwise, bytes >> 20);
}

std::uint64_t physical_mb(const std::string& proc) {
    std::istringstream lines(read_file(proc + "/meminfo"));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("MemTotal:"))
            return std::strtoull(line.c_str() + 9, nullptr, 10) >> 10;
    }
    return 0;
}

// The group's own limit and those of every group above it, up to the visible root: in a container
// the root is the container's.
std::uint64_t tightest(const std::string& root, const std::string& group, const char* file,
                       std::uint64_t least) {
    for (std::filesystem::path at = group;; at = at.parent_path()) {
        least = limit_in(root + at.string() + "/" + file, least);
        if (!at.has_relative_path()) return least;
    }
}

}  // namespace

std::uint64_t memory_mb(const std::string& proc, const std::string& groups) {
    std::uint64_t least = physical_mb(proc);
    std::istringstream lines(read_file(proc + "/self/cgroup"));
    for (std::string line; std::getline(lines, line);) {
        // "0::/system.slice/pawl.service" or, of version 1, "4:memory:/system.slice"
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string kind = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        if (kind.empty()) least = tightest(groups, group, "memory.max", least);
        if (kind == "memory") {
            least = tightest(groups + "/memory", group, "memory.limit_in_bytes", least);
        }
    }
    return least;
}

}  // namespace pawl::db::cluster
