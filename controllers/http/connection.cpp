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
    if (held_.empty()) return parse(bytes, now);
    held_ += bytes;
    if (held_.size() > limits_.pipelined_bytes) {
        return refuse({503, "pipelined_too_much", "Wait for answers before sending more."});
    }
    if (!keep_within_budget()) {
        refuse({503, "overloaded", "The server has no memory left for this request."});
    }
}

void Connection::parse(std::string_view bytes, Steady now) {
    while (!bytes.empty() && !gone_ && !ending_) {
        if (enough_begun()) {
            held_.assign(bytes);
            break;
        }
        if (!parse_one(bytes, now)) return;
    }
    if (gone_ || ending_) return;
    if (!keep_within_budget()) {
        return refuse({503, "overloaded", "The server has no memory left for this request."});
    }
    maybe_continue();
}

// An answer is not over when it is made: a client that asks and does not read would have us keep
// all of them. What has arrived in part is read on, its own limits hold.
bool Connection::enough_begun() const {
    return in_flight_ >= limits_.pipelined_requests ||
           (framing_.at_start() && wire_.unsent() > limits_.unread_bytes);
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

// Deadlines are set when something begins and not moved by further bytes: a byte now and then
// must not keep a connection.
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
    lease_.resize(held_.size());
    deadline_ = now + limits_.idle_within;
    if (draining_) request.keep_alive = false;
    if (!request.keep_alive) ending_ = true;
    ++in_flight_;
    wire_.hand_over(std::move(request));
}

void Connection::refuse(const FramingRefusal& refusal) {
    ending_ = true;
    ++in_flight_;
    const FramingRefusal copy = refusal;  // it may be a part of what is let go here
    // Moved away and dropped: assigning an empty string would keep the memory.
    static_cast<void>(framing_.take());
    static_cast<void>(std::exchange(held_, {}));
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
        if (in_flight_ == 0) no_more_requests(now);
        return;
    }
    // Work on an answer is not the client's idling.
    if (idle()) deadline_ = now + limits_.idle_within;
    if (held_.empty()) return maybe_continue();
    // What is held is copied when it is looked at: for many requests at once, not for each.
    if (in_flight_ <= limits_.pipelined_requests / 2 && !enough_begun()) parse_held(now);
}

void Connection::parse_held(Steady now) {
    const std::string held = std::exchange(held_, {});
    parse(held, now);
}

std::chrono::milliseconds Connection::linger() const {
    return draining_ ? limits_.drain_linger : limits_.linger;
}

void Connection::no_more_requests(Steady now) {
    ending_ = true;
    deadline_ = now + linger();
    wire_.finish();
}

// False: it has had its time, and does not make room for any of what was answered.
bool Connection::takes_answers(Steady now) {
    const std::size_t unsent = wire_.unsent();
    if (unsent == 0 || unsent < unsent_) took_ = now;
    unsent_ = unsent;
    return now - took_ < (draining_ ? limits_.drain_unread_within : limits_.unread_within);
}

void Connection::tick(Steady now) {
    if (gone_) return;
    if (!takes_answers(now)) return wire_.close();
    // Whoever is reading does not idle, and lingering begins with the last byte read.
    if (unsent_ > 0 && in_flight_ == 0 && (ending_ || framing_.at_start())) {
        deadline_ = now + (ending_ ? linger() : limits_.idle_within);
    }
    if (!ending_ && !held_.empty() && !enough_begun()) parse_held(now);
    if (gone_ || now < deadline_) return;
    if (ending_) {
        if (in_flight_ == 0) wire_.close();
        return;
    }
    if (framing_.at_start()) {
        if (in_flight_ == 0) no_more_requests(now);
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
    if (gone_ || ending_ || !framing_.at_start() || !held_.empty()) return;
    ending_ = true;
    if (in_flight_ == 0) no_more_requests(now);
}

// The interim answer may not overtake the answer to an earlier request.
void Connection::maybe_continue() {
    if (gone_ || continue_sent_ || in_flight_ > 0 || !framing_.wants_continue()) return;
    continue_sent_ = true;
    wire_.send_continue();
}

bool Connection::keep_within_budget() {
    return lease_.resize(framing_.at_start() ? held_.size() : framing_.buffered() + held_.size());
}

}  // namespace pawl::http
