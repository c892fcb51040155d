#include "controllers/http/http_gate.hpp"

#include <utility>

#include "controllers/http/http_gate_connection.hpp"

namespace pawl::http {
namespace {

constexpr double tick_s = 0.25;           // how late a deadline may be noticed
constexpr double draining_tick_s = 0.05;  // the same, while a stop waits

}  // namespace

Gate::Gate(const GateLimits& limits, const Clock& clock, Metrics& metrics, WhichListener which)
    : limits_(limits),
      clock_(clock),
      which_(std::move(which)),
      open_(limits.open),
      admin_(limits.admin),
      refusals_(metrics.counter("pawl_http_refusals_total",
                                "Requests refused before any handler, by reason.", {"code"})),
      turned_away_(metrics
                       .counter("pawl_http_connections_turned_away_total",
                                "Connections closed at once because there were too many.")
                       .alone()),
      made_room_(metrics
                     .counter("pawl_http_connections_made_room_total",
                              "Connections without a request that were closed for a new one, "
                              "because there were too many.")
                     .alone()) {
    metrics.gauge_from("pawl_http_connections", "Open client connections.",
                       [this] { return static_cast<double>(connections()); });
    metrics.gauge_from("pawl_http_request_bytes", "Memory held by requests.", [this] {
        return static_cast<double>(open_.requests.used() + admin_.requests.used());
    });
}

Gate::~Gate() = default;

void Gate::watch(const std::vector<trantor::EventLoop*>& loops) {
    for (trantor::EventLoop* loop : loops) loops_[loop];
}

void Gate::tick(const PerLoop& loop) {
    // A tick may close connections, which takes them out of the table.
    std::vector<std::shared_ptr<GuardedConnection>> all;
    all.reserve(loop.open.size());
    for (const auto& [socket, guarded] : loop.open) all.push_back(guarded);
    const Steady now = clock_.steady();
    for (const auto& guarded : all) guarded->tick(now);
}

void Gate::on_connection(const trantor::TcpConnectionPtr& connection) {
    const auto loop = loops_.find(connection->getLoop());
    if (loop == loops_.end()) return connection->forceClose();
    if (connection->connected()) return admit(connection, loop->second);
    const auto known = loop->second.open.find(connection.get());
    if (known == loop->second.open.end()) return;
    known->second->connection().closed();
    side_of(known->second->listener()).connections.fetch_sub(1);
    loop->second.by_use.erase(known->second->use);
    loop->second.open.erase(known);
    if (loop->second.open.empty()) loop->first->invalidateTimer(loop->second.timer);
}

void Gate::admit(const trantor::TcpConnectionPtr& connection, PerLoop& loop) {
    const Listener listener = which_(connection->localAddr());
    if (draining_) return connection->forceClose();
    Side& side = side_of(listener);
    if (side.connections.fetch_add(1) >= side.connections_max) {
        if (!make_room(loop, listener)) {
            side.connections.fetch_sub(1);
            turned_away_.add();
            return connection->forceClose();
        }
        made_room_.add();
    }
    connection->setTcpNoDelay(true);
    auto guarded = std::make_shared<GuardedConnection>(*this, loop, connection, listener);
    guarded->take_over(connection);
    used(*guarded);
    loop.open.emplace(connection.get(), std::move(guarded));
    // A thread without connections sleeps.
    if (loop.open.size() > 1) return;
    loop.timer = connection->getLoop()->runEvery(tick_s, [this, mine = &loop] { tick(*mine); });
}

void Gate::used(GuardedConnection& guarded) {
    PerLoop& loop = guarded.loop();
    loop.by_use.erase(guarded.use);
    guarded.use = ++loop.uses;
    loop.by_use.emplace(guarded.use, &guarded);
}

// Idle clients must not keep others out, a probe of /healthz above all: the connection whose last
// request is the oldest is closed. One whose request is in progress stays, and counts as used.
bool Gate::make_room(PerLoop& loop, Listener listener) {
    for (std::size_t left = loop.by_use.size(); left > 0; --left) {
        GuardedConnection& oldest = *loop.by_use.begin()->second;
        used(oldest);
        if (oldest.listener() != listener || oldest.connection().in_flight() > 0) continue;
        oldest.close();
        return true;
    }
    return false;
}

void Gate::on_each(void (*act)(Connection& connection, Steady now)) {
    for (auto& [loop, state] : loops_) {
        PerLoop* const mine = &state;
        loop->queueInLoop([this, mine, act] {
            std::vector<std::shared_ptr<GuardedConnection>> all;
            for (const auto& [socket, guarded] : mine->open) all.push_back(guarded);
            for (const auto& guarded : all) act(guarded->connection(), clock_.steady());
        });
    }
}

void Gate::drain() {
    draining_ = true;
    on_each([](Connection& connection, Steady now) { connection.drain(now); });
    for (auto& [loop, state] : loops_) {
        PerLoop* const mine = &state;
        state.draining_timer = loop->runEvery(draining_tick_s, [this, mine] { tick(*mine); });
    }
}

void Gate::hang_up() {
    on_each([](Connection& connection, Steady now) { connection.hang_up(now); });
}

void Gate::stop() {
    for (auto& [loop, state] : loops_) {
        loop->runInLoop([loop = loop, mine = &state] {
            loop->invalidateTimer(mine->timer);
            loop->invalidateTimer(mine->draining_timer);
        });
    }
}

}  // namespace pawl::http
