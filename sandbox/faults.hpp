// Faults on demand, and their choice. A request names its fault, or it is drawn from the seed, the
// key and the number of requests under that key, and from nothing else, so that a run repeats
// whatever its threads do.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pawl::sandbox {

enum class FaultKind {
    latency,           // ms
    reset_before,      // not done, and the connection is reset
    timeout_before,    // not done, and silence for ms
    conflict,          // 409, as if the same key were in use
    rate_limit,        // 429 with Retry-After: seconds
    unavailable,       // 503: not done, not stored
    error,             // 500: not done, but stored under the key
    error_after,       // 500: done all the same, and stored under the key
    reset_after,       // done, and the connection is reset
    timeout_after,     // done, and silence for ms
    decline,           // 402 card_error; of a refund: it fails
    late_success,      // 402, and after ms it succeeds all the same
    requires_action,   // the payer must act
    processing,        // and success after ms
    partial,           // percent of the amount is received
    webhook_first,     // the webhook is acknowledged before the answer leaves; waits ms at most
    webhook_never,     //
    webhook_late,      // after ms
    webhook_repeated,  // how many times
};

struct Fault {
    FaultKind kind{};
    int arg = 0;
    bool operator==(const Fault&) const = default;
};
using FaultList = std::vector<Fault>;

struct FaultRate {
    Fault fault;
    int percent = 0;  // percentage of the requests
};

struct FaultName {
    std::string_view name;
    FaultKind kind;
    int arg;  // by default
    std::string_view what;
};
const std::vector<FaultName>& fault_names();
std::string_view name_of(FaultKind kind);

Result<Fault> parse_fault(std::string_view text);       // "timeout_after" or "timeout_after:500"
Result<FaultList> parse_faults(std::string_view text);  // header's list, separated by commas
Result<FaultRate> parse_fault_rate(std::string_view text);  // "timeout_after=10:500"
std::string to_text(const FaultRate& rate);

bool has(const FaultList& faults, FaultKind kind);
const Fault* find(const FaultList& faults, FaultKind kind);

class Faults {
  public:
    explicit Faults(std::uint64_t seed) : seed_(seed) {}
    Result<void> set(std::vector<FaultRate> rates);  // refused where they add up to more than 100
    void set_down(bool down);
    bool down() const;
    std::vector<FaultRate> rates() const;

    // For the nth request under this key (or, where there is none, the nth without one).
    FaultList draw(std::string_view key, std::uint64_t nth) const;
    void count(const FaultList& happened);
    std::map<std::string, std::int64_t> counts() const;

  private:
    const std::uint64_t seed_;
    mutable std::mutex mutex_;
    std::vector<FaultRate> rates_;
    bool down_ = false;
    std::map<std::string, std::int64_t> counts_;
};

}  // namespace pawl::sandbox
