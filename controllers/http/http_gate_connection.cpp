#include "controllers/http/http_gate_connection.hpp"

#include <utility>

namespace pawl::http {
namespace {

// Set while Drogon's parser runs over the gate's line; Drogon handles a request before it returns.
thread_local std::optional<ForwardedRequest> handed_now;

// trantor has a setter for this callback and no getter; a pointer to the protected member, formed
// in a derived class as the language demands, is one.
struct Opened : trantor::TcpConnection {
    static trantor::RecvMessageCallback& receiver(trantor::TcpConnection& connection) {
        return connection.*(&Opened::recvMsgCallback_);
    }
};

// The only text that Drogon ever parses. The path is constant: Pawl routes by itself.
std::string_view line_for(const FramedRequest& request) {
    const bool head = request.method == "HEAD";
    if (request.minor_version == 0) {
        if (!request.keep_alive)
            return head ? "HEAD / HTTP/1.0\r\n\r\n" : "POST / HTTP/1.0\r\n\r\n";
        return head ? "HEAD / HTTP/1.0\r\nconnection: Keep-Alive\r\n\r\n"
                    : "POST / HTTP/1.0\r\nconnection: Keep-Alive\r\n\r\n";
    }
    if (request.keep_alive) return head ? "HEAD / HTTP/1.1\r\n\r\n" : "POST / HTTP/1.1\r\n\r\n";
    return head ? "HEAD / HTTP/1.1\r\nconnection: close\r\n\r\n"
                : "POST / HTTP/1.1\r\nconnection: close\r\n\r\n";
}

}  // namespace

std::optional<ForwardedRequest> Gate::take_forwarded() {
    return std::exchange(handed_now, std::nullopt);
}

GuardedConnection::GuardedConnection(Gate& gate, Gate::PerLoop& loop,
                                     const trantor::TcpConnectionPtr& connection, Listener listener)
    : gate_(gate),
      loop_(loop),
      side_(gate.side_of(listener)),
      socket_(connection),
      listener_(listener),
      remote_(connection->peerAddr().toIpPort()),
      unread_(side_.unread),
      connection_(gate.limits_.connection, side_.requests, *this, gate.clock_.steady()) {}

void GuardedConnection::take_over(const trantor::TcpConnectionPtr& connection) {
    drogon_ = std::exchange(
        Opened::receiver(*connection),
        [self = shared_from_this()](const trantor::TcpConnectionPtr&, trantor::MsgBuffer* buffer) {
            // `self` may be the last owner's copy inside the very callback that is replaced.
            const auto alive = self;
            const std::string_view bytes(buffer->peek(), buffer->readableBytes());
            alive->connection_.received(bytes, alive->gate_.clock_.steady());
            buffer->retrieveAll();
        });
    // Called for every write that the socket did not take at once, with the unsent bytes so far.
    connection->setHighWaterMarkCallback(
        [weak = weak_from_this()](const trantor::TcpConnectionPtr&, std::size_t unsent) {
            if (const auto self = weak.lock()) self->fell_behind(unsent);
        },
        0);
}

void GuardedConnection::fell_behind(std::size_t unsent) {
    const auto socket = socket_.lock();
    if (!socket) return;
    promised_ = socket->bytesSent() + unsent;
    if (unsent <= gate_.limits_.unread_bytes_per_connection && unread_.resize(unsent)) return;
    // Not in the middle of its own sending.
    socket->getLoop()->queueInLoop([socket] { socket->forceClose(); });
}

std::size_t GuardedConnection::unsent() const {
    const auto socket = socket_.lock();
    const std::size_t sent = socket ? socket->bytesSent() : promised_;
    return promised_ > sent ? promised_ - sent : 0;
}

void GuardedConnection::tick(Steady now) {
    // The buffer that it lies in is freed with its last byte.
    if (unsent() == 0) unread_.resize(0);
    connection_.tick(now);
}

std::shared_ptr<MemoryReservation> GuardedConnection::reservation_for(
    const FramedRequest& request) {
    std::size_t bytes = sizeof(Request) + request.body.capacity() + request.target.capacity();
    for (const auto& [name, value] : request.headers) {
        bytes += sizeof(HeaderLines::value_type) + name.size() + value.size();
    }
    // One for each connection at a time.
    const bool alone = connection_.in_flight() <= 1;
    const std::size_t free = alone ? gate_.limits_.connection.small_request_bytes : 0;
    auto reservation = std::make_shared<MemoryReservation>(side_.requests, free);
    return reservation->resize(bytes) ? reservation : nullptr;
}

void GuardedConnection::hand_over(FramedRequest request) {
    Gate::used(*this);
    const std::string_view line = line_for(request);
    ForwardedRequest handed;
    handed.reservation = reservation_for(request);
    if (!handed.reservation) {
        handed.refusal = {503, "overloaded", "The server has no memory left for this request."};
        gate_.refusals_.with({"overloaded"}).add();
    }
    handed.request = std::move(request);
    forward_to_drogon(std::move(handed), line);
}

void GuardedConnection::refuse(const FramingRefusal& refusal) {
    gate_.refusals_.with({refusal.code}).add();
    ForwardedRequest handed;
    handed.refusal = refusal;
    forward_to_drogon(std::move(handed), "POST / HTTP/1.1\r\nconnection: close\r\n\r\n");
}

void GuardedConnection::forward_to_drogon(ForwardedRequest handed, std::string_view line) {
    const auto socket = socket_.lock();
    if (!socket || !socket->connected()) return;
    handed.listener = listener_;
    handed.remote = remote_;
    handed.received_at = gate_.clock_.now();
    handed.answered = answered_later();
    trantor::MsgBuffer buffer(line.size());
    buffer.append(line.data(), line.size());
    handed_now = std::move(handed);
    drogon_(socket, &buffer);
    // Drogon refused it (it is closing this connection): no answer will come.
    if (handed_now && socket->connected()) socket->forceClose();
    handed_now.reset();
}

std::function<void()> GuardedConnection::answered_later() {
    // Counted until it is called, or until no copy is left that could be called.
    gate_.in_flight_->fetch_add(1);
    std::shared_ptr<void> counted(nullptr,
                                  [count = gate_.in_flight_](void*) { count->fetch_sub(1); });
    return [weak = weak_from_this(), socket = socket_, counted = std::move(counted)]() mutable {
        counted.reset();
        const auto open = socket.lock();
        // No socket is left either when Drogon has just sent the last answer, and so has shut its
        // side down.
        if (!open) return;
        // Queued behind Drogon's own writing of the answer.
        open->getLoop()->queueInLoop([weak] {
            if (const auto self = weak.lock()) {
                self->connection_.answered(self->gate_.clock_.steady());
            }
        });
    };
}

void GuardedConnection::send_continue() {
    if (const auto socket = socket_.lock())
        socket->send(std::string("HTTP/1.1 100 Continue\r\n\r\n"));
}

void GuardedConnection::finish() {
    if (const auto socket = socket_.lock()) socket->shutdown();
}

void GuardedConnection::close() {
    if (const auto socket = socket_.lock()) socket->forceClose();
}

}  // namespace pawl::http
