// What the steps of charge_order share about a payment's row. Inside the caller's transaction.
#pragma once

#include "payments/payments.hpp"

namespace pawl::workflows {

// Where that is a move forward; otherwise nothing happens: a repeated step finds it done.
void move_state(payments::Payment& payment, payments::State to);
void set_state(db::Transaction& transaction, const payments::Payment& payment, payments::State to,
               Time now);

// The job that tells subscribers, and the answer for whoever asked for the payment under a key.
void announce(db::Transaction& transaction, const payments::Payment& payment,
              const std::string& type, Time now);

}  // namespace pawl::workflows
