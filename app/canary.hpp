// A small order, paid over the public listener at an interval, with one key sent three times: were
// it ever charged twice, or not at all, `pawl_canary_ok` says so before a customer does. Off unless
// the configuration asks for it. A thread of its own; `run_once` is what it does, and what tests
// drive. Owned by `pawl serve`.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/loop.hpp"
#include "base/metrics.hpp"
#include "base/result.hpp"
#include "db/session.hpp"
#include "outbound/http_client.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

class Canary {
  public:
    Canary(const CanarySettings& settings, const GatewayFile& gateway, std::string base_url,
           std::string token, const Clock& clock, Metrics& metrics);
    ~Canary();  // stops

    void start() { loop_.start(); }
    void drain();  // begins nothing more, and judges nothing that the stop spoils; returns at once
    void stop();
    bool run_once();  // what the metric says then

  private:
    Result<void> try_it();
    Result<outbound::HttpReply> ask(const std::string& method, const std::string& path,
                                    const std::string& body, const std::string& key) const;
    Result<void> check_counts(const std::string& order) const;

    const CanarySettings settings_;
    const std::string gateway_url_;
    const std::string base_url_;
    const std::string token_;
    const Clock& clock_;
    Gauge& ok_;
    Family<Counter>& runs_;

    std::atomic<bool> stopping_{false};
    Loop loop_;
};

// As the configuration says it, asking the public listener at this port; nothing where it is off.
Result<std::unique_ptr<Canary>> make_canary(const Settings& settings, std::uint16_t port,
                                            const std::string& token, const Clock& clock,
                                            Metrics& metrics);

}  // namespace pawl::app
