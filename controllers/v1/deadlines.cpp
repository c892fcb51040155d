#include "controllers/v1/deadlines.hpp"

#include <pthread.h>

#include <vector>

#include "controllers/problem.hpp"

namespace pawl::http {
namespace {

constexpr std::chrono::milliseconds interval{50};

}  // namespace

Deadlines::~Deadlines() {
    stop();
}

void Deadlines::watch(const Responder& respond, Duration within) {
    const std::lock_guard lock(mutex_);
    watched_.insert_or_assign(respond.id(), Watched{respond, clock_.steady() + within});
}

void Deadlines::run_once() {
    std::vector<Responder> late;
    {
        const auto now = clock_.steady();
        const std::lock_guard lock(mutex_);
        std::erase_if(watched_, [&](const auto& one) {
            const Watched& watched = one.second;
            if (watched.respond.answered()) return true;
            if (watched.by > now) return false;
            late.push_back(watched.respond);
            return true;
        });
    }
    for (const Responder& respond : late) {
        respond.unless_answered(
            unavailable("database_unreachable",
                        "The database did not answer in time. Nothing is lost: send the same "
                        "again, under the same key."));
    }
}

void Deadlines::start() {
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "api-deadlines");
        std::unique_lock lock(mutex_);
        while (!stopping_) {
            lock.unlock();
            run_once();
            lock.lock();
            wake_.wait_for(lock, interval, [this] { return stopping_; });
        }
    });
}

void Deadlines::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(mutex_);
    watched_.clear();
}

}  // namespace pawl::http
