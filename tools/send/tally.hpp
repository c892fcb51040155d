// Counts the results of one run's deliveries. Filled by the sender, read by the reports; one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/send/http_reply.hpp"

namespace pawl::app {

struct Tally {
    std::size_t requests = 0;                     // attempts, retries included
    std::size_t acknowledged = 0;                 // answered 2xx
    std::size_t duplicates = 0;                   // acknowledged as duplicates
    std::map<std::string, std::size_t> outcomes;  // other acknowledged ones: applied, ignored, ...
    std::map<std::string, std::size_t> refused;   // for good: "401 wrong_secret"
    std::size_t unavailable = 0;                  // answers of 503; tried again
    std::size_t troubled = 0;                     // 408, 409, 429 and other 5xx; tried again
    std::size_t broken = 0;                       // connections that ended before the answer
    std::size_t retries = 0;
    std::size_t lost = 0;  // given up after the time limit of the retries
    bool reached = false;  // a connection was accepted
    double seconds = 0;
    std::vector<std::uint32_t> latencies_us;  // latencies of acknowledged deliveries

    void acknowledge(const HttpReply& reply, std::uint32_t latency_us);
    void refuse(const HttpReply& reply);
    std::size_t answered() const;  // finally, one way or the other
    std::size_t refusals() const;
    std::size_t outcome(const std::string& name) const;
    double per_second() const;
};

// In milliseconds; sorts. `share` of all took no longer: 0.99 for p99. 0 where there were none.
double percentile_ms(std::vector<std::uint32_t>& latencies_us, double share);

}  // namespace pawl::app
