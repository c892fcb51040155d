#include "intents/deliveries/rejections.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/log.hpp"
#include "intents/deliveries/delivery_block.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

constexpr std::size_t batch_max = 100;
constexpr std::size_t row_bytes = 500;  // approximate size of a row without body and headers

std::size_t bytes_of(const Rejection& rejection) {
    const providers::Delivery& delivery = rejection.delivery;
    std::size_t bytes = row_bytes + delivery.body.size() + delivery.url.size();
    bytes += delivery.method.size() + rejection.diagnosis.size();
    for (const auto& [name, value] : delivery.headers) bytes += name.size() + value.size() + 3;
    return bytes;
}

sql::InsertRejections insertion_of(const std::vector<Rejection>& some) {
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
    return {.received_at = std::move(received),
            .provider = std::move(providers),
            .diagnosis = std::move(diagnoses),
            .method = std::move(methods),
            .url = std::move(urls),
            .remote = std::move(remotes),
            .headers = std::move(headers),
            .body = std::move(bodies)};
}

}  // namespace

Rejections::Rejections(RejectionLimits limits, db::SessionOptions session, Metrics& metrics)
    : limits_(limits),
      dropped_(metrics
                   .counter("pawl_rejections_dropped_total",
                            "Refused deliveries that were counted but not kept.")
                   .alone()),
      session_(db::named(std::move(session), "rejections")),
      loop_("rejections",
            [this] { return write_some() ? Loop::Pause::zero() : Loop::until_poked; }) {}

Rejections::~Rejections() {
    stop();
}

void Rejections::stop() {
    draining_ = true;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    loop_.join();
    try {
        while (write_some()) {
        }
    } catch (const db::Failure& failure) {
        log::debug("rejected deliveries were not kept", {{"error", failure.what()}});
    }
}

bool Rejections::within_budget(const Rejection& rejection, std::size_t bytes) {
    const Time now = rejection.delivery.received_at;
    Spent& spent = spent_[rejection.provider];
    if (now - spent.since > std::chrono::hours(24)) spent = {now, 0};
    if (spent.bytes + bytes > limits_.bytes_a_day) return false;
    spent.bytes += bytes;
    return true;
}

void Rejections::record(Rejection rejection) {
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
    loop_.poke();
}

std::vector<Rejection> Rejections::take_some() {
    std::vector<Rejection> some;
    const std::lock_guard lock(mutex_);
    const auto count = static_cast<std::ptrdiff_t>(std::min(queue_.size(), batch_max));
    std::move(queue_.begin(), queue_.begin() + count, std::back_inserter(some));
    queue_.erase(queue_.begin(), queue_.begin() + count);
    return some;
}

bool Rejections::write_some() {
    std::vector<Rejection> some = take_some();
    if (some.empty()) return false;
    std::size_t bytes = 0;
    for (const Rejection& one : some) bytes += bytes_of(one);
    const std::shared_ptr<void> reservation(nullptr, [this, bytes](void*) {
        const std::lock_guard lock(mutex_);
        queued_bytes_ -= bytes;
    });
    try {
        db::Statement::run(session_, insertion_of(some));
    } catch (const db::Failure&) {
        dropped_.add(some.size());
        if (draining_) drop_queued();
        throw;
    }
    return true;
}

// They are evidence, not money, and must not hold up the stop.
void Rejections::drop_queued() {
    const std::lock_guard lock(mutex_);
    dropped_.add(queue_.size());
    for (const Rejection& one : queue_) queued_bytes_ -= bytes_of(one);
    queue_.clear();
}

}  // namespace pawl::intents
