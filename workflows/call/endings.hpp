// Leads from the ending of a pinned call to the next act: one table for charges, captures,
// refunds and cancels, which is printed into docs/calls.md. Functions of values, but for the jitter
// of a pause.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/clock.hpp"
#include "outbound/gateway.hpp"
#include "workflows/call/calls.hpp"

namespace pawl::workflows {

// The condition of a rule besides its ending. The first rule that fits applies.
enum class When {
    always,
    retryable,         // the answer permits the same request again
    resend_permitted,  // and the gateway still knows its key
    key_known,         // the call is inside the horizon of its key
    final_there,       // "not found" is final at this gateway by now
    open_there,        // unless it is canceled there, it may yet be executed
    moved_there,       // a part of it has moved
};

enum class Act {
    settle,   // post what was moved
    close,    // final; no money has moved
    send,     // the same key and bytes again
    look_up,  // ask the gateway what became of it
    cancel,   // at the gateway, before anything is final
    review,   // an operator must look; also what ends repetitions
};

// The pause before it: half a ceiling or more, which doubles with a count of the call.
struct Pause {
    enum class By {
        none,
        sends,
        not_found,
        unanswered,
        age,  // as long as the call has lasted so far
    } by = By::none;
    Duration first{}, longest{};
};

constexpr std::uint8_t bit(AnswerTo kind) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
}

struct EndingRule {
    std::uint8_t answer_kinds = 0;  // of which kinds: bits
    std::optional<outbound::GatewayOutcome> ending;
    When when = When::always;
    Act act = Act::settle;
    Pause pause = {};
    std::int64_t most = 0;  // limit of the pause's count; then review. 0: without an end
};

std::span<const EndingRule> ending_rules();
constexpr bool answers(const EndingRule& rule, AnswerTo kind) {
    return (rule.answer_kinds & bit(kind)) != 0;
}

// Until the gateway is asked again about an authorization.
Duration pause_while_authorized(const PinnedCall& call);

struct GatewayFacts {
    const outbound::GatewayConfig& config;
    bool may_send = true;  // false once a cancel was accepted: nothing that could charge is sent
};

struct Verdict {
    Act act = Act::review;
    Duration pause{};
    std::string why;  // of a review
};
// `call` counts this answer already.
Verdict judge(const PinnedCall& call, const outbound::GatewayResult& answer, AnswerTo kind,
              const GatewayFacts& gateway);

}  // namespace pawl::workflows
