// The steps of charge_order, one function each (two where a call goes out: what is committed before
// it, and what its answer means). No step knows where the run came from, only what the database
// says. Immutable; safe from every thread.
#pragma once

#include <string>
#include <variant>

#include "base/json.hpp"
#include "payments/payments.hpp"
#include "workflows/calls.hpp"
#include "workflows/parts.hpp"
#include "workflows/workflow.hpp"

namespace pawl::workflows {

std::string state_of_payment(const std::string& payment_id);
std::string payment_id_of(const Run& run);

class ChargeSteps {
  public:
    using Begun = std::variant<ForeignCall, Next>;
    using Before = Begun (ChargeSteps::*)(db::Transaction&, const Moment&) const;
    using After = Next (ChargeSteps::*)(db::Transaction&, const Moment&, const ForeignCall&,
                                        const outbound::HttpOutcome&) const;

    explicit ChargeSteps(const Parts& parts) : parts_(&parts) {}

    Next allocate(db::Transaction& transaction, const Moment& moment) const;
    Next prepare(db::Transaction& transaction, const Moment& moment) const;
    Begun before_charge(db::Transaction& transaction, const Moment& moment) const;
    Next after_charge(db::Transaction& transaction, const Moment& moment, const ForeignCall& sent,
                      const outbound::HttpOutcome& outcome) const;
    Begun before_look_up(db::Transaction& transaction, const Moment& moment) const;
    Next after_look_up(db::Transaction& transaction, const Moment& moment, const ForeignCall& sent,
                       const outbound::HttpOutcome& outcome) const;
    Begun before_await(db::Transaction& transaction, const Moment& moment) const;
    Next after_await(db::Transaction& transaction, const Moment& moment, const ForeignCall& sent,
                     const outbound::HttpOutcome& outcome) const;
    Begun before_cancel(db::Transaction& transaction, const Moment& moment) const;
    Next after_cancel(db::Transaction& transaction, const Moment& moment, const ForeignCall& sent,
                      const outbound::HttpOutcome& outcome) const;
    Next settle(db::Transaction& transaction, const Moment& moment) const;
    Next late_news(db::Transaction& transaction, const Moment& moment) const;

    void hand_to_person(db::Transaction& transaction, const Moment& moment,
                        const std::string& why) const;

  private:
    struct Case {  // what the database says
        payments::Payment payment;
        PinnedCall call;
        const outbound::Gateway* gateway = nullptr;
    };
    Case read(db::Transaction& transaction, const Moment& moment) const;

    // Where a webhook has told how it went, or that something happened: nothing else is asked.
    std::optional<Next> told(db::Transaction& transaction, const Moment& moment,
                             const Case& known) const;
    Next lead(db::Transaction& transaction, const Moment& moment, const Case& known,
              const outbound::Answer& answer) const;
    Next unclear(db::Transaction& transaction, const Moment& moment, const Case& known,
                 const outbound::Answer& answer) const;
    Next refused(const Case& known, const outbound::Answer& answer, db::Transaction& transaction,
                 const Moment& moment) const;
    Next not_found(db::Transaction& transaction, const Moment& moment, const Case& known) const;
    Next end(db::Transaction& transaction, const Moment& moment, const Case& known,
             payments::State state, const std::string& note) const;

    const Parts* parts_;
};

}  // namespace pawl::workflows
