// The real `pawl serve` as a child of the test: started, asked, killed and started again on the
// same ports. It ends with the test, also when the test fails. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "tests/e2e/embedded_case.hpp"

namespace pawl::testing {

struct ServerOptions {
    std::string data_dir;
    std::string database_url = {};  // empty: a PostgreSQL of its own below data_dir
    std::string program = {};       // a copy of the program; empty: the one that was built
    std::string config = {};        // a folder; empty: the one that is shipped
    std::string faults = {};        // PAWL_FAULTS
    std::string roles = {};         // empty: all of them
    std::string admin_token = {};   // empty: none
    std::uint16_t port = 0;         // 0: one that is free
    bool dev = true;
    process::Identity identity = {};
    std::vector<std::string> within = {};     // a program that runs it, with its arguments
    std::vector<std::string> variables = {};  // more of them, as NAME=value
};

class Server {
  public:
    explicit Server(ServerOptions options);
    ~Server();  // SIGKILL; what it said is printed where the test failed

    // The time until /healthz answered. A failure of the test if it does not.
    std::chrono::milliseconds start();
    void spawn();                                     // only starts the process
    bool up_within(std::chrono::milliseconds limit);  // false: it ended, or did not come up
    bool ended_within(std::chrono::milliseconds limit) { return child_.wait(limit); }
    void kill_now();  // SIGKILL, and waited for
    // Killed and started again: the error of a start that is refused; empty if it starts.
    std::string refusal();
    // The output of `pawl ARGUMENTS` with the server's database and configuration.
    std::string command(std::vector<std::string> arguments) const;
    void signal(int number) { child_.signal(number); }
    bool running() { return child_.running(); }
    std::string how_it_ended() const { return child_.how_it_ended(); }

    std::uint16_t port() const { return options_.port; }
    std::uint16_t admin_port() const { return admin_port_; }
    pid_t pid() const { return child_.pid(); }
    long rss_kb() const;
    std::string said() const;  // stdout and stderr, of all runs
    ServerOptions& options() { return options_; }

    // The pid of the embedded database.
    std::string embedded_url() const;
    pid_t postmaster() const;                       // 0: none
    std::vector<pid_t> postgres_processes() const;  // the postmaster and its children

  private:
    std::vector<std::string> environment() const;
    std::string log_path() const;

    ServerOptions options_;
    std::uint16_t admin_port_;
    process::Child child_;
};

// A folder with the shipped configuration, for the test to change.
std::string copied_config(const Folder& folder);

}  // namespace pawl::testing
