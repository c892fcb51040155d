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

// A lease that is not renewed stays tracked here, until it expires.
void Leases::renew_once(db::Session& session) {
    db::Numbers runs, fencing_tokens;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [run, held] : held_) {
            runs.add(run);
            fencing_tokens.add(held.fencing_token);
        }
    }
    if (runs.empty()) return;
    const Steady asked_at = clock_.steady();
    const auto renewed =
        db::Statement::run(session, sql::RenewLeases{.run_id = std::move(runs),
                                                     .lease = std::move(fencing_tokens),
                                                     .lease_seconds = length_.count()});
    const std::lock_guard lock(mutex_);
    for (const auto row : renewed) {
        const auto found = held_.find(row.run_id());
        if (found != held_.end()) found->second.until = asked_at + length_;
    }
}

}  // namespace pawl::workflows
