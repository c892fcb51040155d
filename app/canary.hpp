// Pays a small order over the public listener at an interval, with one key sent three times, and
// reports in `pawl_canary_ok` whether it was charged exactly once. Off unless it is configured. It
// has its own thread; tests drive `run_once`. Owned by `pawl serve`.
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
    void drain();  // begins no more orders; returns at once
    void stop();
    bool run_once();  // returns the metric's value

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

// Options from the configuration, with the public listener at this port; nullopt if it is off.
Result<std::unique_ptr<Canary>> make_canary(const Settings& settings, std::uint16_t port,
                                            const std::string& token, const Clock& clock,
                                            Metrics& metrics);

}  // namespace pawl::app
