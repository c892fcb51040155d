#include "workflows/call/endings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "workflows/engine/backoff.hpp"

namespace pawl::workflows {
namespace {

using outbound::GatewayOutcome;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using By = Pause::By;

constexpr std::uint8_t to_send = bit(AnswerTo::send);
constexpr std::uint8_t to_cancel = bit(AnswerTo::cancel);
constexpr std::uint8_t to_lookup = bit(AnswerTo::lookup);

constexpr Pause resend{By::sends, seconds(1), minutes(1)};
// A refusal is for an operator to remedy: the key, the permission, the rate.
constexpr Pause remedy{By::sends, seconds(1), minutes(5)};
constexpr std::int64_t refusals_max = 50;
// A search index may lag.
constexpr Pause index_lag{By::not_found, seconds(30), minutes(30)};
constexpr std::int64_t not_found_max = 5;
// About half a day of a gateway that is down.
constexpr Pause outage{By::unanswered, seconds(1), minutes(15)};
constexpr std::int64_t unanswered_max = 100;
// It cannot be canceled now, and a lookup will tell why.
constexpr Pause not_canceled{By::sends, seconds(1), hours(1)};
constexpr std::int64_t not_canceled_max = 20;  // within a day
constexpr Pause payer{By::age, seconds(20), minutes(15)};
constexpr Pause settlement{By::age, hours(1), hours(24)};

constexpr std::array rules{
    EndingRule{to_send | to_lookup, GatewayOutcome::succeeded, When::always, Act::settle},
    EndingRule{to_send | to_lookup, GatewayOutcome::declined, When::open_there, Act::cancel},
    EndingRule{to_send | to_lookup, GatewayOutcome::declined, When::always, Act::close},
    EndingRule{to_send | to_lookup, GatewayOutcome::failed, When::always, Act::close},
    EndingRule{to_send | to_lookup | to_cancel, GatewayOutcome::canceled, When::always, Act::close},
    EndingRule{to_send | to_lookup | to_cancel, GatewayOutcome::foreign, When::always, Act::review},
    EndingRule{to_send | to_lookup, GatewayOutcome::requires_action, When::always, Act::look_up,
               payer},
    EndingRule{to_send | to_lookup, GatewayOutcome::processing, When::always, Act::look_up,
               settlement},
    EndingRule{to_send | to_lookup, GatewayOutcome::authorized, When::moved_there, Act::settle},
    EndingRule{to_send | to_lookup, GatewayOutcome::authorized, When::always, Act::look_up,
               settlement},
    EndingRule{to_send | to_cancel, GatewayOutcome::refused, When::retryable, Act::send, remedy,
               refusals_max},
    EndingRule{to_send, GatewayOutcome::refused, When::always, Act::close},
    EndingRule{to_send, GatewayOutcome::unknown, When::resend_permitted, Act::send, resend},
    EndingRule{to_send, std::nullopt, When::always, Act::look_up, resend},
    EndingRule{to_lookup, GatewayOutcome::not_found, When::final_there, Act::close},
    EndingRule{to_lookup, GatewayOutcome::not_found, When::key_known, Act::send, resend},
    EndingRule{to_lookup, GatewayOutcome::not_found, When::always, Act::look_up, index_lag,
               not_found_max},
    EndingRule{to_lookup, std::nullopt, When::always, Act::look_up, outage, unanswered_max},
    EndingRule{to_cancel, GatewayOutcome::unknown, When::resend_permitted, Act::send, resend},
    EndingRule{to_cancel, GatewayOutcome::succeeded, When::always, Act::look_up, not_canceled},
    EndingRule{to_cancel, std::nullopt, When::always, Act::look_up, not_canceled, not_canceled_max},
};

// A header that names a time beyond every pause of ours is not believed.
constexpr Duration retry_after_max = hours(24);

std::int64_t count_of(const PinnedCall& call, By by) {
    switch (by) {
        case By::sends:
            return call.sends;
        case By::not_found:
            return call.not_found;
        case By::unanswered:
            return call.unanswered;
        case By::none:
        case By::age:
            break;
    }
    return 0;
}

bool holds(When when, const PinnedCall& call, const outbound::GatewayResult& answer,
           const GatewayFacts& gateway) {
    switch (when) {
        case When::always:
            return true;
        case When::retryable:
            return gateway.may_send && answer.may_retry;
        case When::resend_permitted:
            // Where only successes are replayed, the call would be executed once more.
            return gateway.may_send && answer.may_retry &&
                   gateway.config.replays != outbound::Replays::success &&
                   inside_horizon(call, gateway.config);
        case When::key_known:
            return gateway.may_send && gateway.config.replays != outbound::Replays::success &&
                   inside_horizon(call, gateway.config);
        case When::open_there:
            return answer.open_there;
        case When::moved_there:
            return answer.moved && answer.moved->minor > 0;
        case When::final_there:
            return is_absence_final(call, gateway.config);
    }
    return false;
}

Duration by_age(const Pause& pause, const PinnedCall& call) {
    return std::clamp(call.age.value_or(Duration{}), pause.first, pause.longest);
}

Duration pause_of(const Pause& pause, const PinnedCall& call,
                  const outbound::GatewayResult& answer) {
    Duration after{};
    if (pause.by == By::age) {
        after = by_age(pause, call);
    } else if (pause.by != By::none) {
        after = half_jitter(count_of(call, pause.by), pause.first, pause.longest);
    }
    if (!answer.retry_after) return after;
    return std::max(after, std::min<Duration>(*answer.retry_after, retry_after_max));
}

std::string exhausted(const EndingRule& rule, const PinnedCall& call,
                      const outbound::GatewayResult& answer) {
    if (rule.pause.by == By::sends) {
        return fmt::format("{}: refused {} times: {}", call.key, call.sends, answer.note);
    }
    if (rule.pause.by == By::unanswered) {
        return fmt::format("{}: {} look-ups in a row were not answered: {}", call.key,
                           call.unanswered, answer.note);
    }
    return fmt::format(
        "{}: sent {} times and never answered; the gateway does not find it, which does not prove "
        "that it was not executed",
        call.key, call.sends);
}

}  // namespace

std::span<const EndingRule> ending_rules() {
    return rules;
}

Duration pause_while_authorized(const PinnedCall& call) {
    return by_age(settlement, call);
}

Verdict judge(const PinnedCall& call, const outbound::GatewayResult& answer, AnswerTo kind,
              const GatewayFacts& gateway) {
    for (const EndingRule& rule : rules) {
        const bool fits = answers(rule, kind) && (!rule.ending || *rule.ending == answer.ending);
        if (!fits || !holds(rule.when, call, answer, gateway)) continue;
        if (rule.most > 0 && count_of(call, rule.pause.by) >= rule.most) {
            return {Act::review, {}, exhausted(rule, call, answer)};
        }
        if (rule.act == Act::review) return {Act::review, {}, call.key + ": " + answer.note};
        return {rule.act, pause_of(rule.pause, call, answer), ""};
    }
    throw std::logic_error("an ending without a rule");
}

}  // namespace pawl::workflows
