// The gate's side of one trantor connection: does what its Connection decides. Owned by the gate's
// table for its IO loop and used by that loop's thread only.
#pragma once

#include <trantor/net/TcpConnection.h>

#include <memory>
#include <string_view>

#include "controllers/http/connection.hpp"
#include "controllers/http/http_gate.hpp"

namespace pawl::http {

class GuardedConnection final : public Wire,
                                public std::enable_shared_from_this<GuardedConnection> {
  public:
    GuardedConnection(Gate& gate, Gate::PerLoop& loop, const trantor::TcpConnectionPtr& connection,
                      Listener listener);

    // Puts itself between the socket and Drogon's parser.
    void take_over(const trantor::TcpConnectionPtr& connection);
    Connection& connection() { return connection_; }
    Listener listener() const { return listener_; }
    Gate::PerLoop& loop() const { return loop_; }
    std::uint64_t use = 0;  // its place in the loop's order, which the gate keeps
    void tick(Steady now);

    void hand_over(FramedRequest request) override;
    void refuse(const FramingRefusal& refusal) override;
    void send_continue() override;
    void finish() override;
    void close() override;
    std::size_t unsent() const override;

  private:
    void forward_to_drogon(ForwardedRequest handed, std::string_view line);
    std::function<void()> answered_later();
    void fell_behind(std::size_t unsent);
    std::shared_ptr<MemoryReservation> reservation_for(const FramedRequest& request);

    Gate& gate_;
    Gate::PerLoop& loop_;
    Gate::Side& side_;
    const std::weak_ptr<trantor::TcpConnection> socket_;
    const Listener listener_;
    const std::string remote_;
    trantor::RecvMessageCallback drogon_;  // the callback that Drogon expects
    MemoryReservation unread_;             // size of its answers that the client has not read
    std::size_t promised_ = 0;             // its last unread byte, counted from its first answer
    Connection connection_;
};

}  // namespace pawl::http
