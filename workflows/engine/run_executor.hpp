// Carries one claimed run from recovery point to recovery point, until it waits, is finished, or
// belongs to somebody else. Every transaction begins by locking the run under its lease, and ends
// with the next recovery point. Safe from every thread; one thread a run.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "base/metrics.hpp"
#include "db/pool.hpp"
#include "workflows/engine/leases.hpp"
#include "workflows/engine/workflow.hpp"

namespace pawl::workflows {

class RunExecutor {
  public:
    RunExecutor(const std::vector<Workflow>& workflows, std::int64_t attempts_max,
                db::Pool& sessions, Leases& leases, const Clock& clock, Counter& stale_writes);

    void execute(Run run);
    void give_back(const Run& run);     // claimed, and not begun
    void drain() { stopping_ = true; }  // runs end at their next recovery point
    void hurry() { hurried_ = true; }   // a call in flight is not waited for any longer
    const Workflow* workflow_of(const Run& run) const;

  private:
    using Work = std::function<std::optional<Next>(db::Transaction&, const StepContext&)>;

    void run_steps(Run& run);
    std::optional<Next> do_step(const Run& run, const Step& step);
    std::optional<Next> call_out(const Run& run, const ForeignStep& step);
    std::optional<Next> commit(const Run& run, const Work& work);
    std::optional<Next> in_this(db::Transaction& transaction, const Run& run, const Work& work);
    void write(db::Transaction& transaction, const StepContext& context, const Next& next);
    void give_up(const Run& run);
    void put_off(const Run& run, const std::string& why);

    const std::vector<Workflow>& workflows_;
    const std::int64_t attempts_max_;
    db::Pool& sessions_;
    Leases& leases_;
    const Clock& clock_;
    Counter& stale_writes_;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> hurried_{false};
};

}  // namespace pawl::workflows
