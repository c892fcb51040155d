// Calls to payment APIs as the database knows them: pinned with key and bytes before the first
// send, and what became of them. Inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "db/session.hpp"
#include "outbound/gateway.hpp"
#include "workflows/engine/workflow.hpp"

namespace pawl::workflows {

struct PinnedCall {
    std::string key;       // Pawl's
    std::string key_sent;  // as the gateway gets it
    std::string gateway;
    std::string operation;  // charge | capture | refund | cancel
    outbound::Call call;
    std::string outcome;    // of the last answer that said anything; empty: none yet
    bool in_doubt = false;  // some send may have been executed
    std::int64_t sends = 0, lookups = 0;
    std::int64_t not_found = 0;   // lookups that were answered so
    std::int64_t unanswered = 0;  // lookups in a row without a result
    // Since the first and the last committed send, by the database's clock; nullopt: never sent.
    std::optional<Duration> age, since_last_send;
    std::string reference;
    std::optional<Money> moved;
    std::optional<std::int64_t> capturable;  // of the last answer that said anything
    std::string note;
    bool forced = false;  // an operator reported the outcome, and nothing has confirmed it yet
};

// Pins the call. The first one to pin a key decides the bytes; a later one gets the stored request.
PinnedCall pin(db::Transaction& transaction, const Run& run, const PinnedCall& wanted, Time now);
std::optional<PinnedCall> find_call(db::Transaction& transaction, const std::string& key);

// Counts the send, before it leaves. Returns the call to send; its `in_doubt` is about earlier
// sends.
ForeignCall begin_send(db::Transaction& transaction, const PinnedCall& call);
ForeignCall ask(const PinnedCall& about, outbound::Call question);

// Whether the gateway still knows the key when the request arrives: a tenth of the horizon is kept
// back, at least 5 minutes and more than a lease and a timeout. By the database's clock.
bool inside_horizon(const PinnedCall& call, const outbound::GatewayConfig& gateway);
// Whether "not found" proves that the call was not executed.
bool is_absence_final(const PinnedCall& call, const outbound::GatewayConfig& gateway);

// The question of an answer: a send, a cancel of a sent call, a lookup. Or a webhook or an operator
// reports the outcome.
enum class AnswerTo { send, cancel, lookup, report };
// Records an answer; for a send, `call.in_doubt` is the state before it. Updates `call` as stored.
void record(db::Transaction& transaction, PinnedCall& call, const outbound::GatewayResult& answer,
            AnswerTo kind, Time now);

// Marks the call as resolved by an operator, not by the gateway. `confirm` removes the mark when
// the provider reports the outcome, too.
void force(db::Transaction& transaction, const PinnedCall& call, Time now);
void confirm(db::Transaction& transaction, const std::string& key);
// A report contradicts the amount that was resolved by force.
void contradict(db::Transaction& transaction, const std::string& key, const std::string& report);

std::string_view to_text(outbound::GatewayOutcome ending);

}  // namespace pawl::workflows
