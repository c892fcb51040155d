// The second half of Settling: whoever waited for what has just been posted, or for the number that
// has just had its turn, goes on in the same transaction; and whoever waited for those, too.
#include "intents/settle.hpp"

namespace pawl::intents {

void Settling::release() {
    while (!posted_.empty() || !moved_.empty()) {
        if (!posted_.empty()) {
            const EffectKey effect = std::move(posted_.front());
            posted_.pop_front();
            release_by(effect);
        } else {
            const ledger::StreamKey stream = std::move(moved_.front());
            moved_.pop_front();
            follow(stream);
        }
    }
}

void Settling::release_by(const EffectKey& effect) {
    auto& effects = desk_.waits.effects;
    for (;;) {
        const auto found = effects.lower_bound(EffectWait{effect, {}});
        if (found == effects.end() || found->first.effect != effect) return;
        const EffectWait wait = found->first;
        const Waiter waiter = std::move(found->second);
        effects.erase(found);
        release_one(wait.intent, waiter);
    }
}

// Everything whose number has come, in order. Whoever stays undecided holds up those behind it.
void Settling::follow(const ledger::StreamKey& key) {
    auto& turns = desk_.waits.turns;
    for (;;) {
        ledger::Stream& stream = desk_.book.stream(key);
        const auto found = turns.lower_bound(TurnKey{key, Sequence{INT64_MIN}, {}});
        if (found == turns.end() || found->first.stream != key) return;
        const TurnKey turn = found->first;
        const bool has_come = stream.last && (turn.sequence <= *stream.last ||
                                              ledger::follows(turn.sequence, *stream.last));
        if (!has_come) {
            if (!stream.gap_since) {
                stream.gap_since = now_;
                stream.touched = true;
            }
            return;
        }
        const Waiter waiter = std::move(found->second);
        turns.erase(found);
        if (waiter.event) {
            release_one(turn.intent, waiter);
            continue;
        }
        // Dealt with when it came; it only kept its place.
        if (desk_.new_places.erase(turn) == 0) desk_.gone_turns.insert(turn);
        if (turn.sequence <= *stream.last) continue;
        stream.last = turn.sequence;
        stream.gap_since.reset();
        stream.touched = true;
    }
}

void Settling::release_one(const IntentKey& key, const Waiter& waiter) {
    Intent& intent = desk_.intents[key];
    const bool timed_out = intent.outcome == ledger::Outcome::quarantined && intent.waits_for;
    if (intent.outcome != ledger::Outcome::parked && !timed_out) return;
    desk_.released.push_back(*waiter.event);
    settle(waiter.origin, desk_.released.back(), key, intent);
}

}  // namespace pawl::intents
