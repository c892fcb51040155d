// The gate in front of Drogon: takes each connection's bytes before Drogon's parser does, checks
// them by its own strict framing, and hands Drogon a constant line for each checked request. The
// request itself travels past the parser, so that no byte an outsider chose reaches it, and every
// header line and body byte arrives as sent. Drogon keeps the order of answers and writes them.
// Owned by the edge; watch() is called before Drogon listens, on_connection by its IO threads. Its
// tasks on their loops capture `this`: the edge joins the threads before the gate is destroyed.
#pragma once

#include <trantor/net/EventLoop.h>
#include <trantor/net/TcpConnection.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "controllers/http/gate_limits.hpp"
#include "controllers/http/http.hpp"

namespace pawl::http {

// The message being passed to Drogon: a checked request, or a refusal.
struct ForwardedRequest {
    FramedRequest request;
    std::optional<FramingRefusal> refusal;
    Listener listener = Listener::open;
    std::string remote;
    Time received_at;
    std::shared_ptr<MemoryReservation> reservation;
    std::function<void()> answered;  // to be called once, after Drogon has the answer; any thread
};

class GuardedConnection;

class Gate {
  public:
    using WhichListener = std::function<Listener(const trantor::InetAddress&)>;

    Gate(const GateLimits& limits, const Clock& clock, Metrics& metrics, WhichListener which);
    ~Gate();

    void watch(const std::vector<trantor::EventLoop*>& loops);
    void on_connection(const trantor::TcpConnectionPtr& connection);  // opened, or closed
    void drain();    // from any thread: finish requests in progress, refuse new ones
    void hang_up();  // from any thread: close the connections on which no request has begun
    void stop();     // from any thread, before the loops end
    std::size_t connections() const { return open_.connections + admin_.connections; }
    std::size_t in_flight() const { return *in_flight_; }  // unanswered requests

    // Called inside Drogon's handling of a request that came through the gate, once for each.
    static std::optional<ForwardedRequest> take_forwarded();

  private:
    friend class GuardedConnection;
    struct PerLoop {
        std::unordered_map<const trantor::TcpConnection*, std::shared_ptr<GuardedConnection>> open;
        // Ordered by their arrival or last request: the gate closes the first to make room.
        std::map<std::uint64_t, GuardedConnection*> by_use;
        std::uint64_t uses = 0;
        trantor::TimerId timer = 0;
        trantor::TimerId draining_timer = 0;
    };
    // State shared by the connections of one listener.
    struct Side {
        explicit Side(const SideLimits& limits)
            : connections_max(limits.connections),
              requests(limits.memory_bytes),
              unread(limits.unread_bytes) {}
        const std::size_t connections_max;
        std::atomic<std::size_t> connections{0};
        Budget requests;
        Budget unread;
    };

    void tick(const PerLoop& loop);
    void on_each(void (*act)(Connection& connection, Steady now));
    void admit(const trantor::TcpConnectionPtr& connection, PerLoop& loop);
    static void used(GuardedConnection& guarded);
    static bool make_room(PerLoop& loop, Listener listener);
    Side& side_of(Listener listener) { return listener == Listener::admin ? admin_ : open_; }

    const GateLimits limits_;
    const Clock& clock_;
    const WhichListener which_;
    Side open_;
    Side admin_;
    Family<Counter>& refusals_;
    Counter& turned_away_;
    Counter& made_room_;
    // Shared with pending answers, which may outlive this object.
    const std::shared_ptr<std::atomic<std::size_t>> in_flight_ =
        std::make_shared<std::atomic<std::size_t>>(0);
    std::atomic<bool> draining_{false};
    std::unordered_map<trantor::EventLoop*, PerLoop> loops_;  // fixed before any thread reads it
};

}  // namespace pawl::http
