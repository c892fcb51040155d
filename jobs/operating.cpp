#include "jobs/operating.hpp"

#include <fmt/core.h>

#include "jobs/sql.hpp"

namespace pawl::jobs {
namespace {

// Locks the job wherever it is. Returns its state; empty if there is no such job.
std::string lock(db::Transaction& transaction, const JobKey& key) {
    const auto waiting = transaction.run(sql::LockJob{.id = key.id, .target = key.target});
    if (!waiting.empty()) return std::string(waiting[0].state());
    const auto over = transaction.run(sql::LockDoneJob{.id = key.id, .target = key.target});
    return over.empty() ? "" : std::string(over[0].state());
}

}  // namespace

Result<ActedOn> act(db::Transaction& transaction, const JobKey& key, Act act,
                    const std::string& reason, Time now) {
    const std::string before = lock(transaction, key);
    if (before.empty()) return refused(fmt::format("there is no job {}", to_text(key)));
    const bool over = before == "done" || (before == "discarded" && act == Act::discard);
    if (over) return refused(fmt::format("the job is {}; nothing was changed", before));
    // It would run a second time while the first run continues.
    if (before == "running" && act == Act::retry) {
        return refused("the job is running; retry it when it has failed, or discard it");
    }
    if (act == Act::retry) {
        transaction.run(
            sql::RetryJob{.id = key.id, .target = key.target, .now = now, .reason = reason});
    } else {
        transaction.run(
            sql::DiscardJob{.id = key.id, .target = key.target, .now = now, .reason = reason});
    }
    return ActedOn{before, act == Act::retry ? "ready" : "discarded"};
}

}  // namespace pawl::jobs
