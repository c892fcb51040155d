// Fixture of the job tests: a database, staged jobs, and a worker whose handler the test writes.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "jobs/enqueuer.hpp"
#include "jobs/job_queue.hpp"
#include "jobs/stage.hpp"
#include "jobs/worker.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {

class JobsCase : public ::testing::Test {
  protected:
    JobsCase() : clock(SystemClock().now()) {}

    std::unique_ptr<jobs::JobQueue> queue(jobs::JobQueueOptions options = {}) {
        return std::make_unique<jobs::JobQueue>(options, database.options(), system_clock);
    }
    std::unique_ptr<jobs::Worker> worker(std::vector<jobs::LaneSpec> lanes,
                                         jobs::JobQueueOptions options = {},
                                         jobs::WorkerOptions worker_options = {}) {
        return std::make_unique<jobs::Worker>(worker_options, std::move(lanes), queue(options),
                                              clock, metrics);
    }
    jobs::LaneSpec lane(jobs::Handler handler, const std::string& kind = "test",
                        const std::string& target = "") {
        jobs::LaneSpec spec;
        spec.kind = kind;
        spec.target = target;
        spec.handler = std::move(handler);
        return spec;
    }
    void stage(const std::string& kind, const std::string& payload, int count = 1) {
        db::Session session = database.session();
        db::in_transaction(session, [&](db::Transaction& transaction) {
            std::vector<jobs::StagedJob> all(
                static_cast<std::size_t>(count),
                {kind, payload, CorrelationId("corr-" + std::to_string(count))});
            jobs::stage(transaction, all, clock.now());
        });
    }
    std::size_t move(const jobs::Routes& routes = {}) {
        std::size_t moved = 0;
        const auto mover = queue();
        while (const std::size_t now = mover->move(routes, 1000, clock.now()).jobs) moved += now;
        return moved;
    }
    void stage_and_move(const std::string& kind, int count = 1) {
        stage(kind, R"({"type":"test.done"})", count);
        move();
    }
    // Talks until nothing is held and nothing new is claimed.
    static void work_off(jobs::Worker& worker) {
        while (worker.run_once() > 0 || worker.held() > 0) std::this_thread::yield();
    }
    std::string count(const std::string& where = "true") {
        return database.value("SELECT count(*) FROM " + every_job + "WHERE " + where);
    }
    double stale_writes() {
        return static_cast<double>(
            metrics.counter("pawl_stale_writes_rejected_total", "").alone().value());
    }

    TestDatabase database;
    const SystemClock system_clock;
    ManualClock clock;
    Metrics metrics;
};

}  // namespace pawl::testing
