// What a cluster of our own is asked for. A plain value.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace pawl::db {

struct EmbeddedOptions {
    std::string data_dir;           // PAWL_DATA_DIR; made when missing, relative to where we are
    const Clock* clock = nullptr;   // outlives the cluster; required
    std::string purpose = "serve";  // told to whoever finds the directory taken: "serve", "migrate"
    bool create = true;             // of use(): make a cluster where there is none

    // PAWL_PG_BIN: the folder with postgres and initdb. Empty: the environment's, else searched.
    std::string pg_bin;
    // Where distributions put them: a folder a major version, then bin.
    std::vector<std::string> search = {"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
                                       "/usr/local/pgsql/bin"};
    bool search_path = true;  // and PATH, last

    // Where the cluster goes when the server's user can enter nothing below data_dir.
    std::string fallback_dir = "/var/lib/pawl";
    bool allow_namespace = true;  // tests say no, to see the fallback

    // Generous, for disks that are slow today: a deadline only has to beat "for ever".
    std::chrono::milliseconds create_limit{60000};  // initdb: 1 s where nothing is wrong
    std::chrono::milliseconds start_limit{600000};  // recovery included: up to 4 GB of WAL
    std::chrono::milliseconds stop_limit{30000};    // the shutdown checkpoint
    std::chrono::milliseconds orphan_limit{10000};  // a server left by a killed pawl ends itself
    std::chrono::milliseconds busy_limit{10000};    // a short command holds the directory
};

}  // namespace pawl::db
