// Every workflow there is. A new one is its file and one line here.
#pragma once

#include <array>
#include <string_view>

#include "workflows/capture/capture_payment.hpp"
#include "workflows/charge/charge_order.hpp"
#include "workflows/refund/refund_payment.hpp"

namespace pawl::workflows {

struct Registered {
    std::string_view name;
    Workflow (*make)(const WorkflowDeps&);
    bool started_by_events;  // whether a rule may say start:<name>
};

inline constexpr std::array registry{
    Registered{charge_order_name, charge_order, true},
    Registered{capture_payment_name, capture_payment, false},
    Registered{refund_payment_name, refund_payment, false},
};

}  // namespace pawl::workflows
