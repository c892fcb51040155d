// Runs workflows: claims what is due under leases, carries out step after step, and writes every
// recovery point itself. A run survives the end of the process at any instruction: the next claim
// goes on at the last recovery point. `run_once` does one round on the caller's thread and is what
// tests drive; `start` claims on a thread of its own and works on threads of each lane (the
// gateway that a run calls), so that one gateway that hangs slows down nobody else's runs.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/executor.hpp"
#include "base/metrics.hpp"
#include "base/rng.hpp"
#include "db/pool.hpp"
#include "workflows/leases.hpp"
#include "workflows/workflow.hpp"

namespace pawl::workflows {

struct EngineOptions {
    std::chrono::milliseconds interval{250};  // between two looks that found nothing
    std::chrono::seconds lease{30};           // renewed at a third of it
    std::int64_t attempts_max = 8;  // claims without a new recovery point, before a person must look
    std::map<std::string, int> lanes;  // how many runs of each lane go on at once; "" is a lane too
};

class Engine {
  public:
    Engine(EngineOptions options, std::vector<Workflow> workflows, db::Pool& sessions,
           const Clock& clock, Metrics& metrics);
    ~Engine();  // stops

    // An error: runs are in flight that stand at steps which no workflow has any more.
    Result<void> check(db::Session& session) const;
    void start();
    void stop();  // what goes on is finished up to its next recovery point
    void wake();  // something may be due: look now

    // Claims and carries out what is due in every lane, on this thread. How many runs it claimed.
    std::size_t run_once();

  private:
    class Worker;

    std::vector<Run> claim(const std::string& lane, std::int64_t limit);
    void take_signals();
    void carry_on(Run run);
    void look();
    void dispatch(const std::string& lane, Executor& executor);

    const EngineOptions options_;
    const std::vector<Workflow> workflows_;
    db::Pool& sessions_;
    const Clock& clock_;
    Counter& stale_writes_;
    Leases leases_;

    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    bool woken_ = false;
    std::map<std::string, std::unique_ptr<Executor>> executors_;
    std::map<std::string, int> busy_;
    std::thread thread_;
};

}  // namespace pawl::workflows
