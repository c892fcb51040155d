// What the shipped workflows are given: gateways by name, a way to post money, counters. Made by
// the wiring; outlives the engine. Safe from every thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/metrics.hpp"
#include "base/money.hpp"
#include "db/session.hpp"
#include "outbound/gateway.hpp"
#include "workflows/workflow.hpp"

namespace pawl::workflows {

using Gateways = std::map<std::string, std::unique_ptr<outbound::Gateway>>;

// Money that a payment has moved. Whoever waits for this very effect is released with it.
struct Posting {
    enum class Way { credit, debit } way = Way::credit;
    EffectKey effect_key;
    ProviderName provider;  // the gateway's name
    std::string books;      // whose clearing account is on the other side
    AccountId account;
    Money amount;
    std::string payment_id;  // of the payment that caused it, or whose refund did
    CorrelationId correlation_id;
    std::string refund_id{};  // not empty: this refund caused it
};
enum class Posted {
    now,
    before,    // a webhook was faster, or this is a second try
    conflict,  // the effect is in the books with another account, amount or currency
    refused,   // the account cannot take it: it would overflow, or is told its balance
};
using PostMoney = std::function<Posted(db::Transaction&, const Posting&, Time now)>;

// Where the books did not take it.
std::optional<Review> review_of(Posted posted, std::string_view movement);

struct Parts {
    const Gateways& gateways;
    PostMoney post;
    Family<Counter>& calls;  // pawl_external_calls_total{gateway,outcome}
    Duration action_deadline = std::chrono::hours(24);

    const outbound::Gateway* gateway(const std::string& name) const;
    outbound::HttpOutcome send(const ForeignCall& call) const;
    void count(const std::string& gateway, const outbound::Answer& answer) const;
};

}  // namespace pawl::workflows
