#include "ledger/sequence.hpp"

namespace pawl::ledger {

bool takes_place(const Ordering& ordering) {
    if (!ordering.number || ordering.scope.empty()) return false;
    return ordering.policy != OrderingPolicy::late_ok || ordering.dense;
}

bool follows(Sequence next, Sequence last) {
    return next > last && next.value - 1 == last.value;
}

Sequence expected(const Ordering& ordering, const SequenceState& stream) {
    // After the last number that there is nothing can come.
    if (stream.last && stream.last->value < INT64_MAX) return Sequence{stream.last->value + 1};
    if (stream.last) return *stream.last;
    return ordering.start.value_or(*ordering.number);
}

Turn turn_of(const Ordering& ordering, const SequenceState& stream) {
    if (!takes_place(ordering)) return Turn::none;
    // Absolute state has no gaps to wait for: newer is next.
    if (ordering.policy == OrderingPolicy::strict) {
        const bool newer = !stream.last || *ordering.number > *stream.last;
        return newer ? Turn::next : Turn::passed;
    }
    if (stream.last) {
        if (*ordering.number <= *stream.last) return Turn::passed;
        return follows(*ordering.number, *stream.last) ? Turn::next : Turn::early;
    }
    const Sequence first = expected(ordering, stream);
    if (*ordering.number == first) return Turn::next;
    return *ordering.number > first ? Turn::early : Turn::passed;
}

}  // namespace pawl::ledger
