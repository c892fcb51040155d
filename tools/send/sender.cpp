#include "tools/send/sender.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace pawl::app {
namespace {

using namespace std::chrono_literals;

// Interval at which closed connections are reopened and overdue answers are abandoned.
constexpr Duration tend_every = 20ms;
constexpr Duration reopen_after = 100ms;
// After being refused everywhere for this long, the run ends, even if no retries were wanted.
constexpr Duration silence_min = 1s;
// Upper bound for Retry-After, so that a test does not sleep for minutes.
constexpr Duration pause_max = 2s;
// Signatures expire after minutes: a late retry is signed again, as providers do. Its body stays.
constexpr Duration signature_fresh_for = 60s;

}  // namespace

struct Sender::Job {
    Parcel parcel;
    Steady due;  // when it should have left
    std::optional<Steady> first_failed;
};

struct Sender::Line {
    explicit Line(const std::vector<Address>& addresses) : connection(addresses) {}
    HttpConnection connection;
    std::optional<Job> job;
    Steady since{};  // start of the post, or of the attempt to open
};

Sender::Sender(const SenderOptions& options, std::vector<Address> addresses,
               const Requests& requests, Next next, const Clock& clock)
    : options_(options),
      addresses_(std::move(addresses)),
      requests_(requests),
      next_(std::move(next)),
      clock_(clock),
      poll_(::epoll_create1(EPOLL_CLOEXEC)) {}

Sender::~Sender() {
    if (poll_ >= 0) ::close(poll_);
}

Tally Sender::run(const std::function<void(const Tally&)>& watch) {
    began_ = tended_ = last_alive_ = clock_.steady();
    open_lines(began_);
    for (;;) {
        const Steady now = clock_.steady();
        dispatch(now);
        if (finished(now)) break;
        wait(now);
        tend(clock_.steady());
        watch(tally_);
    }
    tally_.lost += later_.size() + in_flight_;
    tally_.seconds = std::chrono::duration<double>(clock_.steady() - began_).count();
    return std::move(tally_);
}

// Returns true, too, when no answer has come for as long as all retries take.
bool Sender::finished(Steady now) const {
    if (exhausted_ && in_flight_ == 0 && later_.empty()) return true;
    const bool awaited = std::any_of(lines_.begin(), lines_.end(), [](const Line& line) {
        return line.connection.state() != HttpConnection::State::closed;
    });
    const Duration patience = awaited ? options_.answer_within : silence_min;
    return now - last_alive_ > std::max(options_.retry_for, patience);
}

void Sender::open_lines(Steady now) {
    for (std::size_t i = 0; i < options_.connections; ++i) {
        open(lines_.emplace_back(addresses_), now);
    }
}

void Sender::open(Line& line, Steady now) {
    line.since = now;
    if (!line.connection.open()) return;
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.ptr = &line;
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, line.connection.descriptor(), &event);
}

void Sender::dispatch(Steady now) {
    while (!idle_.empty()) {
        auto job = next_job(now);
        if (!job) return;
        Line* line = idle_.back();
        idle_.pop_back();
        post(*line, std::move(*job), now);
    }
}

std::optional<Sender::Job> Sender::next_job(Steady now) {
    if (!later_.empty() && later_.begin()->first <= now) {
        Job job = std::move(later_.begin()->second);
        later_.erase(later_.begin());
        ++tally_.retries;
        return job;
    }
    return fresh_job(now);
}

std::optional<Sender::Job> Sender::fresh_job(Steady now) {
    if (exhausted_) return std::nullopt;
    const bool paced = options_.per_second > 0;
    // A server that says "later" is not given ever more to be late with, unless the pace is fixed.
    if (!paced && later_.size() >= options_.connections) return std::nullopt;
    const Steady due = paced ? next_due() : now;
    if (due > now) return std::nullopt;
    auto parcel = next_();
    if (!parcel) {
        exhausted_ = true;
        return std::nullopt;
    }
    ++begun_;
    return Job{std::move(*parcel), due, std::nullopt};
}

Sender::Steady Sender::next_due() const {
    const std::chrono::duration<double> offset(static_cast<double>(begun_) / options_.per_second);
    return began_ + std::chrono::duration_cast<Steady::duration>(offset);
}

void Sender::post(Line& line, Job job, Steady now) {
    const Time time = clock_.now();
    auto& [delivery, request] = job.parcel;
    if (request.empty() || time - delivery.at > signature_fresh_for) {
        delivery.at = time;
        request = requests_.make(delivery);
    }
    ++tally_.requests;
    ++in_flight_;
    line.since = now;
    line.job = std::move(job);
    react(line, line.connection.send(line.job->parcel.request), now);
}

void Sender::react(Line& line, HttpConnection::Happened happened, Steady now) {
    switch (happened) {
        case HttpConnection::Happened::nothing:
            return;
        case HttpConnection::Happened::opened:
            tally_.reached = true;
            last_alive_ = now;
            idle_.push_back(&line);
            return;
        case HttpConnection::Happened::answered:
            return on_answer(line, now);
        case HttpConnection::Happened::broken:
            return on_break(line, now);
    }
}

void Sender::on_answer(Line& line, Steady now) {
    last_alive_ = now;
    --in_flight_;
    Job job = std::move(*line.job);
    line.job.reset();
    const HttpReply reply = line.connection.take_reply();
    if (line.connection.state() == HttpConnection::State::idle) {
        idle_.push_back(&line);
    } else {
        open(line, now);
    }
    if (reply.status >= 200 && reply.status < 300) {
        const Steady from = options_.per_second > 0 ? job.due : line.since;
        const auto took = std::chrono::duration_cast<Duration>(now - from).count();
        return tally_.acknowledge(reply, static_cast<std::uint32_t>(took));
    }
    const bool passing =
        reply.status >= 500 || reply.status == 408 || reply.status == 409 || reply.status == 429;
    if (!passing) return tally_.refuse(reply);
    ++(reply.status == 503 ? tally_.unavailable : tally_.troubled);
    const Duration told = std::chrono::seconds(reply.retry_after_s.value_or(0));
    again_later(std::move(job), now, std::clamp(told, Duration(reopen_after), Duration(pause_max)));
}

void Sender::on_break(Line& line, Steady now) {
    std::erase(idle_, &line);
    line.since = now;
    if (!line.job) return;
    --in_flight_;
    ++tally_.broken;
    Job job = std::move(*line.job);
    line.job.reset();
    again_later(std::move(job), now, reopen_after);
}

void Sender::again_later(Job job, Steady now, Duration pause) {
    if (!job.first_failed) job.first_failed = now;
    if (now + pause - *job.first_failed > options_.retry_for) {
        ++tally_.lost;
        return;
    }
    later_.emplace(now + pause, std::move(job));
}

void Sender::wait(Steady now) {
    std::array<epoll_event, 256> events;
    const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(until_next_event(now));
    const int ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(timeout.count()));
    const Steady then = clock_.steady();
    for (int i = 0; i < ready; ++i) {
        Line& line = *static_cast<Line*>(events[static_cast<std::size_t>(i)].data.ptr);
        react(line, line.connection.advance(), then);
    }
}

Duration Sender::until_next_event(Steady now) const {
    Duration wait = tend_every;
    const auto sooner = [&](Steady then) {
        const auto left = std::chrono::duration_cast<Duration>(then - now);
        wait = std::clamp(left, Duration(0), wait);
    };
    if (idle_.empty()) return wait;
    if (!later_.empty()) sooner(later_.begin()->first);
    if (!exhausted_ && options_.per_second > 0) sooner(next_due());
    return wait;
}

void Sender::tend(Steady now) {
    if (now - tended_ < tend_every) return;
    tended_ = now;
    for (Line& line : lines_) {
        const bool closed = line.connection.state() == HttpConnection::State::closed;
        if (closed && now - line.since >= reopen_after) open(line, now);
        if (!closed && line.connection.state() != HttpConnection::State::idle &&
            now - line.since > options_.answer_within) {
            line.connection.close();
            on_break(line, now);
        }
    }
}

}  // namespace pawl::app
