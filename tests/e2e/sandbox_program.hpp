// The real `pawl sandbox` as a child of the test, and its own count of what it charged. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "tests/support/free_port.hpp"

namespace pawl::testing {

class SandboxProgram {
  public:
    // Ready to answer when the constructor returns; webhooks go to the server at that port.
    SandboxProgram(std::uint16_t server_port, std::vector<std::string> faults,
                   std::uint64_t seed = 1);

    std::uint16_t port() const { return port_; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    void set(const std::string& path, const std::string& body) const;  // POST /sandbox/<path>

    struct Counts {
        std::int64_t charges = 0, refunds = 0;
        std::map<std::string, std::int64_t> by_order, captures_by_key, faults;
        std::int64_t usd_charged = 0;
    };
    Counts counts() const;
    std::int64_t sends_of(const std::string& key) const;  // requests that came under it

  private:
    std::uint16_t port_;
    process::Child child_;
};

// The shipped gateway file, pointed at this sandbox and impatient enough for a test.
void point_gateway_at(const std::string& config_folder, const SandboxProgram& sandbox,
                      const std::string& timeout);
void point_gateway_at(const std::string& config_folder, std::uint16_t port,
                      const std::string& timeout);

}  // namespace pawl::testing
