#include "intents/rejections.hpp"

#include <pthread.h>

#include <algorithm>
#include <iterator>

#include "base/log.hpp"
#include "intents/delivery_block.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// After a failed write: long enough not to spin on a database that is away.
constexpr std::chrono::milliseconds pause_after_failure(500);
constexpr std::size_t batch_max = 100;
constexpr std::size_t row_bytes = 500;  // about what a row takes beside what was sent

std::size_t bytes_of(const Rejection& rejection) {
    const providers::Delivery& delivery = rejection.delivery;
    std::size_t bytes = row_bytes + delivery.body.size() + delivery.url.size();
    bytes += delivery.method.size() + rejection.diagnosis.size();
    for (const auto& [name, value] : delivery.headers) bytes += name.size() + value.size() + 3;
    return bytes;
}

db::Params params_of(const std::vector<Rejection>& some) {
    db::Times received;
    db::Texts providers, diagnoses, methods, urls, remotes;
    db::Bytes headers, bodies;
    for (const Rejection& one : some) {
        received.add(one.delivery.received_at);
        providers.add(one.provider.str());
        diagnoses.add(one.diagnosis);
        methods.add(storable(one.delivery.method));
        urls.add(storable(one.delivery.url));
        remotes.add(storable(one.remote));
        headers.add(header_lines(one.delivery.headers));
        bodies.add(one.delivery.body);
    }
    db::Params params;
    params.column(std::move(received)).column(std::move(providers)).column(std::move(diagnoses));
    params.column(std::move(methods)).column(std::move(urls)).column(std::move(remotes));
    params.column(std::move(headers)).column(std::move(bodies));
    return params;
}

}  // namespace

Rejections::Rejections(RejectionLimits limits, db::SessionOptions session, Metrics& metrics)
    : limits_(limits),
      session_options_(std::move(session)),
      dropped_(metrics
                   .counter("pawl_rejections_dropped_total",
                            "Refused deliveries that were counted but not kept.")
                   .alone()) {}

Rejections::~Rejections() {
    stop();
}

void Rejections::start() {
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "rejections");
        run();
    });
}

void Rejections::drain() {
    {
        const std::lock_guard lock(mutex_);
        draining_ = true;
    }
    wake_.notify_all();
}

void Rejections::stop() {
    {
        const std::lock_guard lock(mutex_);
        draining_ = true;
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

bool Rejections::within_budget(const Rejection& rejection, std::size_t bytes) {
    const Time now = rejection.delivery.received_at;
    Spent& spent = spent_[rejection.provider];
    if (now - spent.since > std::chrono::hours(24)) spent = {now, 0};
    if (spent.bytes + bytes > limits_.bytes_a_day) return false;
    spent.bytes += bytes;
    return true;
}

void Rejections::keep(Rejection rejection) {
    std::string& body = rejection.delivery.body;
    // A copy of the part: cut short, the string would hold the memory of the whole.
    if (body.size() > limits_.body_bytes) body = body.substr(0, limits_.body_bytes);
    const std::size_t bytes = bytes_of(rejection);
    {
        const std::lock_guard lock(mutex_);
        const bool full =
            queue_.size() >= limits_.queue_max || queued_bytes_ + bytes > limits_.queue_bytes;
        if (stopping_ || full || !within_budget(rejection, bytes)) {
            dropped_.add();
            return;
        }
        queued_bytes_ += bytes;
        queue_.push_back(std::move(rejection));
    }
    wake_.notify_one();
}

void Rejections::run() {
    db::SessionOptions options = session_options_;
    options.name = "rejections";
    db::Session session(std::move(options));
    for (;;) {
        std::vector<Rejection> some;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            const auto count = static_cast<std::ptrdiff_t>(std::min(queue_.size(), batch_max));
            std::move(queue_.begin(), queue_.begin() + count, std::back_inserter(some));
            queue_.erase(queue_.begin(), queue_.begin() + count);
        }
        write(session, some);
        std::size_t written = 0;
        for (const Rejection& one : some) written += bytes_of(one);
        some.clear();
        const std::lock_guard lock(mutex_);
        queued_bytes_ -= written;
    }
}

void Rejections::write(db::Session& session, const std::vector<Rejection>& some) {
    try {
        db::Statement::run(session, sql::insert_rejections, params_of(some));
    } catch (const db::Failure& failure) {
        dropped_.add(some.size());
        log::debug("rejected deliveries were not kept", {{"why", failure.what()}});
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, pause_after_failure, [this] { return draining_; });
        if (!draining_) return;
        // They are evidence, not money, and must not hold up the stop.
        dropped_.add(queue_.size());
        for (const Rejection& one : queue_) queued_bytes_ -= bytes_of(one);
        queue_.clear();
    }
}

}  // namespace pawl::intents
