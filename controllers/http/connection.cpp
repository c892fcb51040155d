#include "controllers/http/connection.hpp"

#include <algorithm>
#include <utility>

namespace pawl::http {

Connection::Connection(const ConnectionLimits& limits, Budget& budget, Wire& wire, Steady now)
    : limits_(limits),
      wire_(wire),
      lease_(budget, limits.small_request_bytes),
      framing_(limits.framing),
      deadline_(now + limits.head_within),
      took_(now) {}

void Connection::received(std::string_view bytes, Steady now) {
    if (gone_) return;
    if (ending_) return discard(bytes.size());
    if (held_bytes() == 0) {
        parse(bytes, now);
        if (!gone_ && !ending_) held_.assign(bytes);
        return;
    }
    held_.erase(0, std::exchange(held_from_, 0));
    held_ += bytes;
    if (held_.size() > limits_.pipelined_bytes) {
        return refuse({503, "pipelined_too_much", "Wait for answers before sending more."});
    }
    if (!keep_within_budget(held_bytes())) {
        refuse({503, "overloaded", "The server has no memory left for this request."});
    }
}

// Consumes bytes from the front of `bytes`, and stops after a complete request.
void Connection::parse(std::string_view& bytes, Steady now) {
    while (!bytes.empty() && !gone_ && !ending_ && !must_wait()) {
        if (!parse_one(bytes, now)) return;
    }
    if (gone_ || ending_) return;
    if (!keep_within_budget(bytes.size())) {
        return refuse({503, "overloaded", "The server has no memory left for this request."});
    }
    maybe_continue();
}

// One request at a time, until its answer is read: a client that sends requests and reads no
// answers would fill the memory. A partial request is read on, within its own limits.
bool Connection::must_wait() const {
    if (draining_ && framing_.at_start()) return false;  // it is refused
    return in_flight_ > 0 || (framing_.at_start() && wire_.unsent() > limits_.unread_bytes);
}

bool Connection::parse_one(std::string_view& bytes, Steady now) {
    const bool had_begun = !framing_.at_start();
    if (draining_ && !had_begun) {
        refuse_stopping();
        return false;
    }
    const bool was_in_body = framing_.in_body();
    const auto fed = framing_.feed(bytes);
    bytes.remove_prefix(fed.used);
    switch (fed.verdict) {
        case Framing::Verdict::refused:
            refuse(framing_.refusal());
            return false;
        case Framing::Verdict::complete:
            hand_over(now);
            return true;
        case Framing::Verdict::need_more:
            watch_progress(had_begun, was_in_body, now);
            break;
    }
    return true;
}

// Deadlines are set when something begins and not moved by further bytes: a slow trickle must not
// keep a connection.
void Connection::watch_progress(bool had_begun, bool was_in_body, Steady now) {
    if (framing_.in_body()) {
        if (!was_in_body) deadline_ = now + limits_.body_within;
    } else if (!had_begun && !first_) {
        deadline_ = now + limits_.head_within;
    }
    if (draining_) deadline_ = std::min(deadline_, drained_);
    first_ = false;
}

void Connection::hand_over(Steady now) {
    FramedRequest request = framing_.take();
    continue_sent_ = false;
    first_ = false;
    lease_.resize(held_bytes());
    deadline_ = now + limits_.idle_within;
    if (draining_) request.keep_alive = false;
    if (!request.keep_alive) ending_ = true;
    ++in_flight_;
    wire_.hand_over(std::move(request));
}

void Connection::refuse(const FramingRefusal& refusal) {
    ending_ = true;
    ++in_flight_;
    const FramingRefusal copy = refusal;  // it may be a part of the memory released here
    // Moved away and dropped: assigning an empty string would keep the memory.
    static_cast<void>(framing_.take());
    static_cast<void>(std::exchange(held_, {}));
    held_from_ = 0;
    lease_.resize(0);
    wire_.refuse(copy);
}

void Connection::discard(std::size_t bytes) {
    discarded_ += bytes;
    if (discarded_ > limits_.linger_bytes) wire_.close();
}

void Connection::answered(Steady now) {
    if (gone_) return;
    if (in_flight_ > 0) --in_flight_;
    if (ending_) {
        if (in_flight_ == 0) begin_linger(now);
        return;
    }
    // Work on an answer is not the client's idling.
    if (idle()) deadline_ = now + limits_.idle_within;
    if (held_bytes() == 0) return maybe_continue();
    if (!must_wait()) parse_held(now);
}

// Moved out, because a refusal drops what is held. Only the place in it moves on: to copy the rest
// behind each of many small requests would be quadratic.
void Connection::parse_held(Steady now) {
    std::string held = std::exchange(held_, {});
    std::string_view rest = std::string_view(held).substr(std::exchange(held_from_, 0));
    parse(rest, now);
    if (rest.empty() || gone_ || ending_) return;
    held_from_ = held.size() - rest.size();
    held_ = std::move(held);
}

std::chrono::milliseconds Connection::linger() const {
    return draining_ ? limits_.drain_linger : limits_.linger;
}

void Connection::begin_linger(Steady now) {
    ending_ = true;
    deadline_ = now + linger();
    wire_.finish();
}

// Returns false if it has had its time: no answer makes room any more.
bool Connection::takes_answers(Steady now) {
    const std::size_t unsent = wire_.unsent();
    if (unsent == 0 || unsent < unsent_) took_ = now;
    unsent_ = unsent;
    return now - took_ < (draining_ ? limits_.drain_unread_within : limits_.unread_within);
}

void Connection::tick(Steady now) {
    if (gone_) return;
    if (!takes_answers(now)) return wire_.close();
    // A connection that reads does not idle, and lingering begins with the last byte read.
    if (unsent_ > 0 && in_flight_ == 0 && (ending_ || framing_.at_start())) {
        deadline_ = now + (ending_ ? linger() : limits_.idle_within);
    }
    if (!ending_ && held_bytes() > 0 && !must_wait()) parse_held(now);
    if (gone_ || now < deadline_) return;
    if (ending_) {
        if (in_flight_ == 0) wire_.close();
        return;
    }
    if (framing_.at_start()) {
        if (in_flight_ == 0) begin_linger(now);
        return;
    }
    if (draining_) return refuse_stopping();
    if (framing_.in_body()) {
        return refuse({408, "body_too_slow", "The body did not arrive in time."});
    }
    refuse({408, "head_too_slow", "The request head did not arrive in time."});
}

void Connection::drain(Steady now) {
    draining_ = true;
    drained_ = now + limits_.drain_begun_within;
    took_ = now;
    if (ending_) {
        deadline_ = std::min(deadline_, now + limits_.drain_linger);
    } else if (!framing_.at_start()) {
        deadline_ = std::min(deadline_, drained_);
    }
}

void Connection::refuse_stopping() {
    refuse({503, "shutting_down", "The server is stopping; deliver it again."});
}

void Connection::hang_up(Steady now) {
    if (gone_ || ending_ || !framing_.at_start() || held_bytes() > 0) return;
    ending_ = true;
    if (in_flight_ == 0) begin_linger(now);
}

// The interim answer may not overtake the answer to an earlier request.
void Connection::maybe_continue() {
    if (gone_ || continue_sent_ || in_flight_ > 0 || !framing_.wants_continue()) return;
    continue_sent_ = true;
    wire_.send_continue();
}

bool Connection::keep_within_budget(std::size_t unread_bytes) {
    return lease_.resize(framing_.at_start() ? unread_bytes : framing_.buffered() + unread_bytes);
}

}  // namespace pawl::http
