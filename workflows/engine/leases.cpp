#include "workflows/engine/leases.hpp"

#include <algorithm>
#include <vector>

#include "workflows/sql.hpp"

namespace pawl::workflows {

Leases::Leases(std::chrono::seconds length, db::Pool& sessions, const Clock& clock)
    : length_(length),
      sessions_(sessions),
      clock_(clock),
      loop_("leases", [this] { return renew(); }) {}

void Leases::track(std::int64_t run, std::int64_t fencing_token, Steady asked_at) {
    const std::lock_guard lock(mutex_);
    Held& held = held_[run];
    held = {fencing_token, std::max(held.fencing_token == fencing_token ? held.until : Steady{},
                                    asked_at + length_)};
}

void Leases::untrack(std::int64_t run) {
    const std::lock_guard lock(mutex_);
    held_.erase(run);
}

bool Leases::is_valid(std::int64_t run) const {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(run);
    return found != held_.end() && clock_.steady() < found->second.until;
}

Loop::Pause Leases::renew() {
    bool none = false;
    {
        const std::lock_guard lock(mutex_);
        none = held_.empty();
    }
    if (!none) {
        const auto session = sessions_.take();
        renew_once(*session);
    }
    return length_ / 3;
}

// What is not renewed is not forgotten here: it runs out by itself.
void Leases::renew_once(db::Session& session) {
    std::vector<std::int64_t> runs, fencing_tokens;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [run, held] : held_) {
            runs.push_back(run);
            fencing_tokens.push_back(held.fencing_token);
        }
    }
    if (runs.empty()) return;
    const Steady asked_at = clock_.steady();
    const auto params = db::Params().numbers(runs).numbers(fencing_tokens).number(length_.count());
    const db::Rows renewed = db::Statement::run(session, sql::renew_leases, params);
    const std::lock_guard lock(mutex_);
    for (const db::Row row : renewed) {
        const auto found = held_.find(row.number(0));
        if (found != held_.end()) found->second.until = asked_at + length_;
    }
}

}  // namespace pawl::workflows
