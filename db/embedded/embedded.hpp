// The embedded PostgreSQL: a cluster under the data directory, reached through one private socket,
// with full durability, kept running while the object lives. start() is for the one process that
// serves; use() is for the other commands: it uses a running server, or runs the server for as long
// as the command needs it. Owned by main; its functions are called by one thread at a time, except
// url(), url_as(), server_pid() and restarts(), which any thread may call.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "db/embedded/options.hpp"

namespace pawl::db {

// The server's login in an embedded cluster, which has pawl_runtime and no more: the first
// migration makes it.
constexpr const char* server_login = "pawl_server";

class EmbeddedCluster {
  public:
    // Finds the directory free, or reports its holder. Makes the cluster when there is none.
    static Result<EmbeddedCluster> start(const EmbeddedOptions& options);
    // Without `create`, a directory without a cluster is an error, and nothing is made there.
    static Result<EmbeddedCluster> use(const EmbeddedOptions& options);

    // The URL of the server that another pawl runs on this directory; nullopt if none does. Waits
    // for one that is just starting. It may stop at any moment: use() delays its stop.
    static Result<std::optional<std::string>> running(const EmbeddedOptions& options);

    EmbeddedCluster(EmbeddedCluster&&) noexcept;
    EmbeddedCluster& operator=(EmbeddedCluster&&) noexcept;
    ~EmbeddedCluster();  // stop()

    std::string url() const;  // as pawl_admin, the superuser, for migrations
    std::string url_as(const std::string& role) const;
    // Fast shutdown of this process's server; returns when it has ended. Another process's server
    // stays.
    void stop();

    bool ours() const;         // this process runs it, not another pawl
    pid_t server_pid() const;  // 0: it is down just now, or belongs to another process
    int restarts() const;      // number of restarts

  private:
    struct State;
    explicit EmbeddedCluster(std::unique_ptr<State> state);
    static Result<EmbeddedCluster> run_own(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace pawl::db
