// What becomes of a job whose handler has said how it went.
#include <fmt/core.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "jobs/worker.hpp"

namespace pawl::jobs {
namespace {

// Errors may quote what strangers sent: PostgreSQL takes neither bad UTF-8 nor NUL, and a person
// reads no more than this.
std::string storable(std::string_view error) {
    constexpr std::size_t bytes_max = 500;
    std::string text;
    const bool sound = json::is_utf8(error);
    for (const char c : error.substr(0, bytes_max)) {
        const auto byte = static_cast<unsigned char>(c);
        text += byte < 0x20 || (!sound && byte > 0x7e) ? '?' : c;
    }
    // A cut through the middle of a character.
    while (!text.empty() && !json::is_utf8(text)) text.pop_back();
    return text.empty() ? "no reason was given" : text;
}

const char* name_of(const Ending& ending) {
    constexpr const char* names[] = {"done", "again", "hopeless", "given_back"};
    return names[ending.index()];
}

log::Field which(const Job& job) {
    return {"job", to_text(job.key)};
}

}  // namespace

void Worker::note(HeldJob& held, const Ending& ending) {
    Lane& lane = *lanes_[held.lane];
    lane.lets_go(held);
    const auto found = held_.find(held.job.key);
    if (found != held_.end() && found->second.get() == &held) held_.erase(found);

    const LaneSpec& spec = lane.spec();
    ended_.with({spec.kind, spec.target, name_of(ending)}).add();
    tell_breaker(held.lane, ending);
    to_write_.push_back(to_finished(held, ending));
}

// A target that has something against one job is there, and has time for the next.
void Worker::tell_breaker(std::size_t index, const Ending& ending) {
    Lane& lane = *lanes_[index];
    const auto* again = std::get_if<TryAgain>(&ending);
    if (again != nullptr && again->blames_target) {
        lane.breaker().failed(clock_.now(), chance_);
        if (again->wait) lane.breaker().pause_until(clock_.now() + *again->wait);
        return;
    }
    if (again == nullptr && !std::holds_alternative<Done>(ending)) return;
    if (!lane.breaker().succeeded()) return;
    log::info("a subscriber is back", {{"kind", lane.spec().kind}, {"target", lane.spec().target}});
    came_back_.push_back(index);
}

Finished Worker::to_finished(const HeldJob& held, const Ending& ending) {
    const Job& job = held.job;
    Finished finished{job.key, job.lease, "ready", std::nullopt, std::nullopt, false};
    if (std::holds_alternative<Done>(ending)) {
        finished.state = "done";
        log::debug("a job is done",
                   {which(job), {"kind", job.kind}, {"correlation_id", job.correlation_id.str()}});
    } else if (std::holds_alternative<GivenBack>(ending)) {
        finished.given_back = true;
    } else if (const auto* hopeless = std::get_if<Hopeless>(&ending)) {
        finished.state = "dead";
        finished.error = storable(hopeless->error);
    } else {
        const auto& again = std::get<TryAgain>(ending);
        const RetryPolicy& policy = lanes_[held.lane]->spec().retry;
        const auto wait = wait_after(policy, job.attempt, again.wait, chance_);
        finished.error = storable(again.error);
        finished.state = wait ? "ready" : "dead";
        if (wait) finished.run_at = clock_.now() + *wait;
    }
    if (!finished.error) return finished;
    const auto level = finished.state == "dead" ? log::error : log::info;
    level(finished.state == "dead" ? "a job is dead; a person must look" : "a job failed",
          {which(job),
           {"kind", job.kind},
           {"correlation_id", job.correlation_id.str()},
           {"attempt", job.attempt},
           {"why", *finished.error}});
    return finished;
}

}  // namespace pawl::jobs
