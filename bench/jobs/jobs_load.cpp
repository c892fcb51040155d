// Our side of `make bench-jobs`: stages no-op jobs, and carries them out.
//   pawl_jobs_load add COUNT BATCH          stages COUNT jobs, BATCH in one transaction
//   pawl_jobs_load feed RATE SECONDS        stages RATE a second, in batches of a tenth of that
//   pawl_jobs_load work default|batched COUNT SECONDS
// `work` ends when COUNT are done or SECONDS have passed, and prints how many were and how long it
// took. The database is PAWL_DATABASE_URL.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "base/log.hpp"
#include "jobs/enqueuer.hpp"
#include "jobs/job_queue.hpp"
#include "jobs/stage.hpp"
#include "jobs/worker.hpp"

namespace pawl {
namespace {

using Steady = std::chrono::steady_clock;

db::SessionOptions session_options() {
    db::SessionOptions options;
    options.url = std::getenv("PAWL_DATABASE_URL");
    options.name = "bench";
    options.role = "pawl_runtime";
    options.statement_timeout = std::chrono::seconds(60);
    return options;
}

void add(db::Session& session, std::int64_t count, std::int64_t batch) {
    const SystemClock clock;
    while (count > 0) {
        const std::int64_t now = std::min(count, batch);
        const std::vector<jobs::StagedJob> all(static_cast<std::size_t>(now),
                                               {"noop", "{\"n\": 1}", CorrelationId("bench")});
        db::in_transaction(session, [&](db::Transaction& transaction) {
            jobs::stage(transaction, all, clock.now());
        });
        count -= now;
    }
}

void feed(db::Session& session, std::int64_t rate, std::int64_t seconds) {
    auto next = Steady::now();
    for (std::int64_t tenth = 0; tenth < seconds * 10; ++tenth) {
        add(session, rate / 10, rate / 10);
        next += std::chrono::milliseconds(100);
        std::this_thread::sleep_until(next);
    }
}

void work(bool batched, std::int64_t count, std::int64_t seconds) {
    const SystemClock clock;
    Metrics metrics;
    std::atomic<std::int64_t> done{0};
    jobs::LaneSpec lane;
    lane.kind = "noop";
    lane.handler = [&done](const jobs::Job&) -> jobs::JobResult {
        ++done;
        return jobs::Done{};
    };
    jobs::EnqueuerOptions moving;
    if (batched) {
        lane.held_max = 2000;
        moving.batch_max = 2000;
    }
    const auto queue = [&] {
        return std::make_unique<jobs::JobQueue>(jobs::JobQueueOptions{}, session_options(), clock);
    };
    jobs::Worker worker({}, {lane}, queue(), clock, metrics);
    jobs::Enqueuer enqueuer(moving, {}, queue(), clock, metrics, [&] { worker.poke(); });
    const auto began = Steady::now();
    enqueuer.start();
    worker.start();
    while (done < count && Steady::now() - began < std::chrono::seconds(seconds)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    enqueuer.stop();
    worker.stop();  // writes the remaining results
    const std::chrono::duration<double> took = Steady::now() - began;
    std::printf("%lld %.3f\n", static_cast<long long>(done), took.count());
}

int run(int argc, char** argv) {
    if (argc < 4 || std::getenv("PAWL_DATABASE_URL") == nullptr) return 2;
    log::start(log::Level::warn, log::Format::text);
    db::Session session(session_options());
    const std::string what = argv[1];
    if (what == "add") {
        add(session, std::atoll(argv[2]), std::atoll(argv[3]));
    } else if (what == "feed") {
        feed(session, std::atoll(argv[2]), std::atoll(argv[3]));
    } else if (what == "work" && argc == 5) {
        work(std::strcmp(argv[2], "batched") == 0, std::atoll(argv[3]), std::atoll(argv[4]));
    } else {
        return 2;
    }
    return 0;
}

}  // namespace
}  // namespace pawl

int main(int argc, char** argv) {
    return pawl::run(argc, argv);
}
