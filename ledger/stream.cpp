#include "ledger/stream.hpp"

namespace pawl::ledger {

using providers::Event;
using providers::Order;

bool takes_place(const Event& event) {
    if (!event.sequence || event.sequence_rule.scope.empty()) return false;
    return event.order != Order::late_ok || event.sequence_rule.dense;
}

bool follows(Sequence next, Sequence last) {
    return next > last && next.value - 1 == last.value;
}

Sequence expected(const Event& event, const Stream& stream) {
    // After the last number that there is nothing can come.
    if (stream.last && stream.last->value < INT64_MAX) return Sequence{stream.last->value + 1};
    if (stream.last) return *stream.last;
    return event.sequence_rule.start.value_or(*event.sequence);
}

Turn turn_of(const Event& event, const Stream& stream) {
    if (!takes_place(event)) return Turn::none;
    // Absolute state has no gaps that anybody waits for: newer is next.
    if (event.order == Order::strict) {
        const bool newer = !stream.last || *event.sequence > *stream.last;
        return newer ? Turn::next : Turn::passed;
    }
    if (stream.last) {
        if (*event.sequence <= *stream.last) return Turn::passed;
        return follows(*event.sequence, *stream.last) ? Turn::next : Turn::early;
    }
    const Sequence first = expected(event, stream);
    if (*event.sequence == first) return Turn::next;
    return *event.sequence > first ? Turn::early : Turn::passed;
}

}  // namespace pawl::ledger
