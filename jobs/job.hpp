// A job as a worker holds it, and its possible results. Plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/clock.hpp"
#include "base/ids.hpp"

namespace pawl::jobs {

// Identity of a job: the id it was staged under, and its target.
struct JobKey {
    std::int64_t id = 0;
    std::string target;
    auto operator<=>(const JobKey&) const = default;
};

// "42", or "42.shop": the name of a job in commands and URLs.
std::string to_text(const JobKey& key);
std::optional<JobKey> parse_job_key(std::string_view text);

struct Job {
    JobKey key;
    std::string kind;
    std::string payload;  // JSON
    CorrelationId correlation_id;
    Time staged_at;
    std::int64_t attempt = 1;  // this one
    std::int64_t crashes = 0;  // crashes in a row
    std::int64_t fencing_token = 0;
};

struct Done {};
// May pass later, by the retry policy and not before `wait`.
struct Retry {
    std::string error;
    std::optional<Duration> wait;
    // Counts against the subscriber's circuit breaker. False if the fault is this job's, and the
    // next one may pass.
    bool counts_against_target = true;
};
// Not worth a retry: the job becomes dead.
struct DeadLetter {
    std::string error;
};
// Claimed and not begun: it is released, and the claim does not count.
struct Returned {};
using JobResult = std::variant<Done, Retry, DeadLetter, Returned>;

// Runs one job. Called on many threads at once; may wait. An exception counts as Retry.
using Handler = std::function<JobResult(const Job&)>;

}  // namespace pawl::jobs
