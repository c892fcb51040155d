// The server: two listeners, their threads, and draining. Besides the gate, it alone uses Drogon.
// There can be one Edge in a process, started once (Drogon cannot be restarted). Owned by the
// wiring; start and stop are for its thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "base/result.hpp"
#include "controllers/http/gate_limits.hpp"
#include "controllers/http/listen_address.hpp"
#include "controllers/http/routes.hpp"

namespace pawl::http {

struct EdgeOptions {
    std::optional<ListenAddress> open;   // faces the providers
    std::optional<ListenAddress> admin;  // faces operators
    std::size_t threads = 2;
    GateLimits gate;
    std::chrono::milliseconds drain_within{10'000};
};

class Edge {
  public:
    // Routes are copied; clock and metrics must outlive the Edge.
    Edge(EdgeOptions options, Routes routes, const Clock& clock, Metrics& metrics);
    ~Edge();  // stops

    Result<void> start();  // returns when both listeners accept connections
    // Finishes requests that have begun, answers new ones 503, and accepts no connection. Returns
    // at once.
    void drain();
    void stop();  // drains; returns when everything has ended, or `drain_within` is over

    std::uint16_t open_port() const;  // the real ports, also if 0 was configured
    std::uint16_t admin_port() const;

  private:
    struct Inner;
    std::unique_ptr<Inner> inner_;
};

}  // namespace pawl::http
