// Runs workflows: claims due runs under leases, and hands each to an executor. A run survives the
// end of the process at any instruction: the next claim resumes it at its last recovery point.
// `run_once` does one round on the caller's thread, which tests call; `start` claims on a private
// thread and works on threads of each lane (the gateway that a run calls), so that one gateway that
// hangs slows down no other gateway's runs.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/executor.hpp"
#include "base/loop.hpp"
#include "base/metrics.hpp"
#include "db/pool.hpp"
#include "workflows/engine/leases.hpp"
#include "workflows/engine/pace.hpp"
#include "workflows/engine/run_executor.hpp"
#include "workflows/engine/workflow.hpp"

namespace pawl::workflows {

struct EngineOptions {
    std::chrono::milliseconds interval{250};  // longest pause between two rounds
    std::chrono::seconds lease{30};           // renewed at a third of it
    std::int64_t attempts_max = 8;  // claims without a new recovery point before a run needs review
    struct LaneLimits {
        int at_once = 2;     // runs that execute at the same time
        int per_second = 0;  // that may begin; 0: as many as wanted
    };
    std::map<std::string, LaneLimits> lanes{{"", {}}};
    std::function<void()> on_commit = {};  // a run has moved; jobs may have been staged
};

class Engine {
  public:
    Engine(EngineOptions options, std::vector<Workflow> workflows, db::Pool& sessions,
           const Clock& clock, Metrics& metrics);
    ~Engine();  // stops
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // An error: runs are in flight that stand at steps which no workflow has any more.
    Result<void> check(db::Session& session) const;
    void start();
    void drain();  // claims nothing more; runs end at their next recovery point. Returns at once
    // Then: calls in flight are waited for no longer, and their outcome is unknown. Returns at
    // once.
    void hurry() { executor_.hurry(); }
    void stop();                   // drains, and returns when all leases are released
    void wake() { loop_.poke(); }  // something may be due: look now

    // Claims and executes the due runs of every lane, on this thread. Returns the number of claims.
    std::size_t run_once();

  private:
    struct Lane {
        int limit = 1;
        Pace pace;
        std::atomic<int> busy{0};
        std::unique_ptr<Executor> executor;
    };

    Loop::Pause look();
    void wake_signalled(db::Session& session);
    void measure(db::Session& session);
    std::vector<Run> claim(db::Session& session, const std::string& lane, std::int64_t limit);
    void dispatch(db::Session& session, const std::string& name, Lane& lane);

    const EngineOptions options_;
    const std::vector<Workflow> workflows_;
    db::Pool& sessions_;
    const Clock& clock_;
    Family<Gauge>& unfinished_oldest_;
    Leases leases_;
    RunExecutor executor_;
    std::chrono::steady_clock::time_point measure_next_;
    std::string signalled_after_;  // where the next look at signals begins
    std::map<std::string, Lane> lanes_;
    Loop loop_;
};

}  // namespace pawl::workflows
