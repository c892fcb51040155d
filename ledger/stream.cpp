#include "ledger/stream.hpp"

namespace pawl::ledger {

using providers::Event;
using providers::Order;

bool takes_place(const Event& event) {
    if (!event.sequence || event.sequence_rule.scope.empty()) return false;
    return event.order != Order::late_ok || event.sequence_rule.dense;
}

Sequence expected(const Event& event, const Stream& stream) {
    if (stream.last) return Sequence{stream.last->value + 1};
    return event.sequence_rule.start.value_or(*event.sequence);
}

Turn turn_of(const Event& event, const Stream& stream) {
    if (!takes_place(event)) return Turn::none;
    // Absolute state has no gaps that anybody waits for: newer is next.
    if (event.order == Order::strict) {
        const bool newer = !stream.last || *event.sequence > *stream.last;
        return newer ? Turn::next : Turn::passed;
    }
    const Sequence next = expected(event, stream);
    if (*event.sequence == next) return Turn::next;
    return *event.sequence > next ? Turn::early : Turn::passed;
}

}  // namespace pawl::ledger
