#include "workflows/leases.hpp"

#include <pthread.h>

#include <set>
#include <vector>

#include "base/log.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {

Leases::Leases(std::chrono::seconds length, db::Pool& sessions, const Clock& clock)
    : length_(length), sessions_(sessions), clock_(clock) {}

Leases::~Leases() {
    stop();
}

void Leases::start() {
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "leases");
        run();
    });
}

void Leases::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Leases::hold(std::int64_t run, std::int64_t lease, Steady asked_at) {
    const std::lock_guard lock(mutex_);
    Held& held = held_[run];
    held = {lease, std::max(held.lease == lease ? held.until : Steady{}, asked_at + length_)};
}

void Leases::let_go(std::int64_t run) {
    const std::lock_guard lock(mutex_);
    held_.erase(run);
}

bool Leases::counts(std::int64_t run) const {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(run);
    return found != held_.end() && clock_.steady() < found->second.until;
}

void Leases::run() {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            if (wake_.wait_for(lock, length_ / 3, [this] { return stopping_; })) return;
            if (held_.empty()) continue;
        }
        try {
            const auto session = sessions_.take();
            renew_once(*session);
        } catch (const db::Failure& failure) {
            log::debug("leases could not be renewed", {{"why", failure.what()}});
        }
    }
}

// What is not renewed is not forgotten here: it runs out by itself.
void Leases::renew_once(db::Session& session) {
    std::vector<std::int64_t> runs, leases;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [run, held] : held_) {
            runs.push_back(run);
            leases.push_back(held.lease);
        }
    }
    if (runs.empty()) return;
    const Steady asked_at = clock_.steady();
    const auto params = db::Params().numbers(runs).numbers(leases).number(length_.count());
    const db::Rows renewed = db::Statement::run(session, sql::renew_leases, params);
    const std::lock_guard lock(mutex_);
    for (const db::Row row : renewed) {
        const auto found = held_.find(row.number(0));
        if (found != held_.end()) found->second.until = asked_at + length_;
    }
}

}  // namespace pawl::workflows
