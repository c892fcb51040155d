// The enqueuer, the worker and the maintenance tasks, as far as the roles need them. Owned by the
// Server, which wakes it after commits.
#pragma once

#include <memory>
#include <vector>

#include "app/roles.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "db/session.hpp"
#include "intents/retention/retention.hpp"
#include "intents/segments/sealing.hpp"
#include "jobs/enqueuer.hpp"
#include "jobs/notify.hpp"
#include "jobs/upkeep.hpp"
#include "jobs/wakeup_channel.hpp"
#include "jobs/worker.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

std::vector<jobs::Subscriber> subscribers_of(const Settings& settings);
// Providers whose events expire. Lint refuses less than twice the retry window; the database does
// not rely on it.
std::vector<intents::EventExpiry> event_expiries(const Settings& settings);

// Wakes a server after a command, which may have staged jobs and ends. Without a listening server,
// the next poll finds the jobs.
void notify_once(const WorkSettings& settings, db::Session& session);

class JobParts {
  public:
    JobParts(const Settings& settings, const Roles& roles, const db::SessionOptions& session,
             const Clock& clock, intents::SegmentFilters& filters, Metrics& metrics);

    void start();
    // Claims no more jobs, and releases those not begun. Waits for running ones, up to a reserve
    // before the end of `within`.
    void drain(Duration within);
    void stop();   // returns when all results are written
    void poke();   // something may have been staged; from any thread, after a commit
    void ready();  // something may be claimed

  private:
    void connect_processes(const Roles& roles, const db::SessionOptions& session);

    std::unique_ptr<jobs::Worker> worker_;
    std::unique_ptr<jobs::Enqueuer> enqueuer_;
    std::unique_ptr<jobs::Upkeep> upkeep_;
    // Between processes, if the roles are split.
    std::unique_ptr<jobs::WakeupNotifier> staged_notifier_;
    std::unique_ptr<jobs::WakeupNotifier> ready_notifier_;
    std::unique_ptr<jobs::WakeupListener> staged_listener_;
    std::unique_ptr<jobs::WakeupListener> ready_listener_;
};

}  // namespace pawl::app
