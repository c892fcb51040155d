// A job as a worker holds it, and how it can end. Plain values.
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

// The id it was staged under, and for whom it is.
struct JobKey {
    std::int64_t id = 0;
    std::string target;
    auto operator<=>(const JobKey&) const = default;
};

// "42", or "42.shop": how people and URLs name a job.
std::string to_text(const JobKey& key);
std::optional<JobKey> parse_job_key(std::string_view text);

struct Job {
    JobKey key;
    std::string kind;
    std::string payload;  // JSON
    CorrelationId correlation_id;
    Time staged_at;
    std::int64_t attempt = 1;  // this one
    std::int64_t crashes = 0;  // leases in a row that ended without a word
    std::int64_t fencing_token = 0;
};

struct Done {};
// May pass later, by the retry policy and not before `wait`.
struct TryAgain {
    std::string error;
    std::optional<Duration> wait;
    // Counts against the subscriber's circuit breaker. False: it is this job that is wrong, and the
    // next one may pass.
    bool blames_target = true;
};
// Trying again would be in vain: it goes to a person.
struct Hopeless {
    std::string error;
};
// Claimed and not begun: as if it had never been claimed.
struct GivenBack {};
using JobResult = std::variant<Done, TryAgain, Hopeless, GivenBack>;

// Carries one job out. Called on many threads at once; may wait. What it throws is a TryAgain.
using Handler = std::function<JobResult(const Job&)>;

}  // namespace pawl::jobs
