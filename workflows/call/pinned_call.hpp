// A pinned call as a value: its request, the interpretation of an answer, and the effect of an
// ending on the payment, capture or refund of the call. The steps around it are the same for all:
// pin, send, look up, take the signals of webhooks. The table in endings.hpp has the next step for
// each ending. Immutable; safe from every thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "payments/captures.hpp"
#include "payments/refunds.hpp"
#include "workflows/call/calls.hpp"
#include "workflows/engine/workflow.hpp"
#include "workflows/workflow_deps.hpp"

namespace pawl::workflows {

// The payment, capture or refund that a call is for, as the database has it, under its locks.
struct Subject {
    payments::Payment payment;
    std::optional<payments::Refund> refund{};  // of that payment: then the call is for the refund
    std::optional<payments::Capture>
        capture{};  // of that payment: then the call is for the capture
    // The charge, the capture or the refund, also where a cancel is sent; no key: not pinned.
    PinnedCall call{};
    const outbound::Gateway* gateway = nullptr;

    bool is_charge() const { return !refund && !capture; }
    const std::string& key() const {
        if (capture) return capture->key;
        return refund ? refund->key : payment.key;
    }
    const std::string& note() const {
        if (capture) return capture->note;
        return refund ? refund->note : payment.note;
    }
};

struct CallHooks {
    std::string step;  // which sends it
    AnswerTo kind = AnswerTo::send;

    std::function<Subject(db::Transaction&, const Run&)> load;  // locks; no call, no gateway
    std::function<std::string(const Subject&)> key;
    std::function<outbound::Call(const Subject&)> request;
    std::function<outbound::GatewayResult(const Subject&, const outbound::HttpResult&,
                                          bool in_doubt)>
        read;
    std::function<outbound::Call(const Subject&)> question;
    // The same about the reference that an operator names.
    std::function<outbound::Call(const Subject&, const std::string& reference)> question_about;
    std::function<outbound::GatewayResult(const Subject&, const outbound::HttpResult&)> read_found;

    // After commits were lost (recovering.hpp): the question for the key and the order, and the
    // reason why an operator must look although the answer lacks this call.
    std::function<outbound::Call(const Subject&)> question_first;
    std::function<std::optional<std::string>(db::Transaction&, const Subject&,
                                             const outbound::GatewayResult&)>
        lost;

    // Where to go instead of sending it (again).
    std::function<std::optional<Next>(db::Transaction&, const StepContext&, Subject&)> instead;
    // Stores what the answer says of a call that has not ended; the state where it moves forward.
    std::function<void(db::Transaction&, const Subject&, std::optional<payments::State>,
                       const outbound::GatewayResult&, Time now)>
        store;
    // Where to go instead of asking later about a call that the gateway can still give up.
    std::function<std::optional<Next>(const Subject&, const outbound::GatewayResult&, Time now)>
        give_up;
    std::function<Next(db::Transaction&, const StepContext&, Subject&,
                       const outbound::GatewayResult&)>
        close;
    // Brings payment, refunds and order to the sums under the root; whether its money has moved
    // then, in a word.
    std::function<std::optional<std::string>(db::Transaction&, const Subject&, Time now)> settled;
};

Subject read_subject(db::Transaction& transaction, const StepContext& context,
                     const CallHooks& hooks, const WorkflowDeps& parts);

Step prepare_step(const CallHooks& hooks, const WorkflowDeps& parts);  // pins key and bytes
Step send_step(const CallHooks& hooks,
               const WorkflowDeps& parts);  // pins them, where that is not done
// Before a send after commits were lost. The hooks are those of the charge, capture or refund, also
// where a cancel is to be sent.
Step ask_first_step(const CallHooks& hooks, const WorkflowDeps& parts);
Step look_up_step(const CallHooks& hooks, const WorkflowDeps& parts);
// Compares the reference that an operator names (`claimed` in the run's state) with the gateway.
Step confirm_step(const CallHooks& hooks, const WorkflowDeps& parts);
Step late_news_step(const CallHooks& hooks,
                    const WorkflowDeps& parts);  // of a run that is finished

// Posts the amount that the call has moved.
using Settle =
    std::function<Next(db::Transaction&, const StepContext&, const Subject&, const WorkflowDeps&)>;
// The workflow of one call. Its steps are in the order in which a successful call passes through
// them. An unclear outcome leads to look_up; one that cannot become clear leads to an operator.
Workflow call_workflow(std::string_view name, const CallHooks& hooks, const Settle& settle,
                       const WorkflowDeps& parts);

// The run of a call. Its state holds the id of the payment, capture or refund under `member`.
struct CallRun {
    std::string_view workflow, member;
    std::string id, key, gateway;
    CorrelationId correlation_id;
};
void start_call(db::Transaction& transaction, const CallRun& call, Time now);
std::string state_with(std::string_view member, const std::string& id);

}  // namespace pawl::workflows
