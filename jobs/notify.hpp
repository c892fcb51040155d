// Notifies subscribers: one signed POST for each job of kind "notify", by the Standard Webhooks
// specification, as docs/notifications.md promises. Building a message and classifying an answer
// are pure.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "jobs/job_queue.hpp"
#include "jobs/lane.hpp"
#include "outbound/http_client.hpp"
#include "outbound/message_signer.hpp"

namespace pawl::jobs {

inline constexpr const char* notify_kind = "notify";

struct Subscriber {
    std::string name;
    std::string url;
    std::vector<std::string> secrets;  // whsec_...; several during a rotation
    std::vector<std::string> events;   // exact, or with a trailing *
    bool ordered = false;              // one after the other for each account
    bool allow_private = false;
    std::size_t concurrency = 4;
    std::chrono::milliseconds timeout{10000};
};

// The message's id: the same for every attempt and every subscriber, and never used again. The time
// is part of it, because ids start over in a restored or new database.
std::string message_id(const Job& job);
std::string message_body(const Job& job);

// Classifies the subscriber's answer.
JobResult judge(const outbound::HttpResult& outcome, Time now);

Routes routes_to(const std::vector<Subscriber>& subscribers);

// A lane for the subscriber; an error where a secret cannot be used.
Result<LaneSpec> lane_for(const Subscriber& subscriber, const Clock& clock);

}  // namespace pawl::jobs
