// The programs of the demo: the sandbox, Pawl and its rival, the quick-start receiver; each a
// process of its own, in a folder that is removed with the demo. Owned by one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "base/process.hpp"
#include "base/result.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

class DemoPrograms {
  public:
    // Copies the configuration, made impatient enough for a demo.
    static Result<std::unique_ptr<DemoPrograms>> prepare(const Settings& settings,
                                                         std::uint64_t seed);
    ~DemoPrograms();

    Result<void> start_sandbox();
    Result<void> start_receivers();  // returns when both answer
    void kill_receivers();           // SIGKILL, at once

    std::uint16_t pawl_port() const { return pawl_port_; }
    std::string pawl_url() const;
    std::string admin_url() const;
    std::string sandbox_url() const;
    std::string rival_url() const;
    const std::string& api_token() const { return api_token_; }
    const std::string& admin_token() const { return admin_token_; }

  private:
    DemoPrograms() = default;
    Result<process::Child> spawn(const std::vector<std::string>& arguments,
                                 const std::string& log) const;

    std::filesystem::path folder_;
    std::uint64_t seed_ = 1;
    std::uint16_t pawl_port_ = 0, admin_port_ = 0, sandbox_port_ = 0, rival_port_ = 0;
    std::string api_token_, admin_token_;
    process::Child sandbox_, pawl_, rival_;
};

// GET, or POST with a body: the answer's status (0: none came) and body.
struct Fetched {
    int status = 0;
    std::string body;
};
Fetched fetch(const std::string& url, const std::string& token = "");
Fetched send_json(const std::string& method, const std::string& url, const std::string& body,
                  const std::string& token, const std::string& key = "");
std::int64_t number_in(const std::string& json, const std::string& pointer);
std::set<std::string> texts_in(const std::string& json, const std::string& pointer);

}  // namespace pawl::app
