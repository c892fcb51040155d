// The steps of refund_payment, as charge_steps.hpp has those of charge_order. Immutable; safe from
// every thread.
#pragma once

#include <string>
#include <variant>

#include "payments/refunds.hpp"
#include "workflows/calls.hpp"
#include "workflows/parts.hpp"
#include "workflows/workflow.hpp"

namespace pawl::workflows {

class RefundSteps {
  public:
    using Begun = std::variant<ForeignCall, Next>;

    explicit RefundSteps(const Parts& parts) : parts_(&parts) {}

    Next prepare(db::Transaction& transaction, const Moment& moment) const;
    Begun before_refund(db::Transaction& transaction, const Moment& moment) const;
    Next after_refund(db::Transaction& transaction, const Moment& moment, const ForeignCall& sent,
                      const outbound::HttpOutcome& outcome) const;
    Begun before_look_up(db::Transaction& transaction, const Moment& moment) const;
    Next after_look_up(db::Transaction& transaction, const Moment& moment,
                       const outbound::HttpOutcome& outcome) const;
    Next settle(db::Transaction& transaction, const Moment& moment) const;
    Next late_news(db::Transaction& transaction, const Moment& moment) const;
    void hand_to_person(db::Transaction& transaction, const Moment& moment,
                        const std::string& why) const;

  private:
    struct Case {
        payments::Refund refund;
        payments::Payment payment;
        PinnedCall call;
        const outbound::Gateway* gateway = nullptr;
    };
    Case read(db::Transaction& transaction, const Moment& moment) const;
    std::optional<Next> told(db::Transaction& transaction, const Moment& moment,
                             const Case& known) const;
    Next lead(db::Transaction& transaction, const Moment& moment, const Case& known,
              const outbound::Answer& answer) const;
    Next unclear(db::Transaction& transaction, const Moment& moment, const Case& known,
                 const outbound::Answer& answer) const;
    Next not_found(db::Transaction& transaction, const Moment& moment, const Case& known) const;
    Next end(db::Transaction& transaction, const Moment& moment, const Case& known,
             payments::RefundState state, const std::string& note) const;

    const Parts* parts_;
};

}  // namespace pawl::workflows
