// State machine of one client connection: the deadlines of a request, the start of the next one
// (after the answer to the one before), and the end. Pure: bytes and the time go in, decisions go
// out through its Wire. Owned by the gate; used only by the IO thread of its connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "controllers/http/budget.hpp"
#include "controllers/http/http_framing.hpp"

namespace pawl::http {

using Steady = std::chrono::steady_clock::time_point;

struct ConnectionLimits {
    FramingLimits framing;
    std::chrono::milliseconds head_within{10'000};  // from its first byte, however often bytes come
    std::chrono::milliseconds body_within{30'000};  // from the end of the head
    std::chrono::milliseconds idle_within{60'000};  // between two requests
    // After the last answer the server keeps reading for a while: closing at once would reset the
    // connection and discard the answer of a client that is still sending.
    std::chrono::milliseconds linger{2'000};
    std::size_t linger_bytes = 8 * 1024 * 1024;
    std::chrono::milliseconds unread_within{10'000};  // a client that reads nothing is cut
    std::size_t unread_bytes = 64 * 1024;  // limit of unread answers; above it no request begins
    // While the server stops: limits for the rest of a partial request, for a client to take its
    // last answer, and for one that reads nothing. Together under two seconds, because the operator
    // waits for the stop, and providers redeliver.
    std::chrono::milliseconds drain_begun_within{1'000};
    std::chrono::milliseconds drain_linger{300};
    std::chrono::milliseconds drain_unread_within{1'300};
    // Reserves nothing of the memory budget: a probe of /healthz must be answered while other
    // clients hold all of it.
    std::size_t small_request_bytes = 2048;
    std::size_t pipelined_bytes = 256 * 1024;  // kept unread behind the request in progress
};

// Operations of a connection on its transport. A call may come back into the connection only as
// close.
class Wire {
  public:
    virtual ~Wire() = default;
    virtual void hand_over(FramedRequest request) = 0;       // answered() follows, sooner or later
    virtual void refuse(const FramingRefusal& refusal) = 0;  // the same; the last bytes sent
    virtual void send_continue() = 0;
    virtual void finish() = 0;  // no more to send: close once it has been written
    virtual void close() = 0;   // now
    // Bytes of answers for which the client has not made room yet.
    virtual std::size_t unsent() const = 0;
};

class Connection {
  public:
    Connection(const ConnectionLimits& limits, Budget& budget, Wire& wire, Steady now);

    void received(std::string_view bytes, Steady now);
    void answered(Steady now);  // the oldest request's answer is on its way to the socket
    void tick(Steady now);      // acts on deadlines, and on what the client has read meanwhile
    // Finishes requests that have begun, if they arrive before their deadlines; refuses new ones.
    void drain(Steady now);
    void hang_up(Steady now);  // closes it, unless something has begun
    void closed() { gone_ = true; }

    bool idle() const { return in_flight_ == 0 && framing_.at_start(); }
    std::size_t in_flight() const { return in_flight_; }

  private:
    void parse(std::string_view& bytes, Steady now);
    bool parse_one(std::string_view& bytes, Steady now);
    void parse_held(Steady now);
    std::size_t held_bytes() const { return held_.size() - held_from_; }
    bool must_wait() const;
    bool takes_answers(Steady now);
    std::chrono::milliseconds linger() const;
    void hand_over(Steady now);
    void refuse(const FramingRefusal& refusal);
    void refuse_stopping();
    void discard(std::size_t bytes);
    void watch_progress(bool had_begun, bool was_in_body, Steady now);
    void maybe_continue();
    void begin_linger(Steady now);
    bool keep_within_budget(std::size_t unread_bytes);

    const ConnectionLimits& limits_;
    Wire& wire_;
    MemoryReservation lease_;
    Framing framing_;
    std::string held_;  // pipelined bytes after the request in progress, from held_from_ on
    std::size_t held_from_ = 0;
    Steady deadline_;         // deadline of the state below
    Steady took_;             // when the client last read something, or everything
    std::size_t unsent_ = 0;  // as it was then
    std::size_t in_flight_ = 0;
    std::size_t discarded_ = 0;
    bool first_ = true;  // no request has begun on this connection
    bool draining_ = false;
    Steady drained_;       // then partial requests are abandoned
    bool ending_ = false;  // nothing more is read as a request
    bool continue_sent_ = false;
    bool gone_ = false;
};

}  // namespace pawl::http
