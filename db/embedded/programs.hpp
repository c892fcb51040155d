// Finds PostgreSQL's programs on this machine, by version. Pure but for reading folders and running
// `postgres --version`; any thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "db/embedded/options.hpp"

namespace pawl::db::cluster {

constexpr int oldest_major = 14;  // older ones are no longer maintained

struct Programs {
    int major = 0;
    std::string bin;  // the folder with postgres, initdb and createdb

    std::string program(const char* name) const { return bin + "/" + name; }
};

// For a new cluster: the newest. PAWL_PG_BIN decides alone when it is set.
Result<Programs> newest_programs(const EmbeddedOptions& options);

// For an existing cluster: those of its own major version and no other.
Result<Programs> programs_for(int major, const std::string& cluster,
                              const EmbeddedOptions& options);

// 15 from "15", "15.18 (Debian ...)", "17beta1"; 0 when there is no number.
int major_of(const std::string& version);

}  // namespace pawl::db::cluster
