// Options of the embedded cluster. A plain value.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace pawl::db {

struct EmbeddedOptions {
    std::string data_dir;          // PAWL_DATA_DIR; made if missing
    const Clock* clock = nullptr;  // outlives the cluster; required
    std::string purpose =
        "serve";         // shown to a command that finds the directory taken: "serve", "migrate"
    bool create = true;  // use() makes a cluster if there is none

    // PAWL_PG_BIN: the folder with postgres and initdb. If empty, it is searched for.
    std::string pg_bin;
    // Default locations of distributions: a folder for each major version, then bin.
    std::vector<std::string> search = {"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
                                       "/usr/local/pgsql/bin"};
    bool search_path = true;  // and PATH, last

    // Fallback for the cluster if the server's user can enter nothing below data_dir.
    std::string fallback_dir = "/var/lib/pawl";
    bool allow_namespace = true;  // tests set false, to see the fallback

    // Generous, for slow disks: a deadline only has to end.
    std::chrono::milliseconds create_limit{60000};  // initdb: 1 s usually
    std::chrono::milliseconds start_limit{600000};  // recovery included: up to 4 GB of WAL
    std::chrono::milliseconds stop_limit{30000};    // the shutdown checkpoint
    std::chrono::milliseconds orphan_limit{10000};  // a server left by a killed pawl ends itself
    std::chrono::milliseconds busy_limit{10000};    // a short command holds the directory
};

}  // namespace pawl::db
