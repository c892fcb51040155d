// The lock set of a batch, before any read.
#include "intents/accept/lock_set.hpp"

#include <gtest/gtest.h>

#include "intents/accept/lock_keys.hpp"
#include "intents/tests/sample.hpp"

namespace pawl::intents {
namespace {

using sample::credit;
using sample::delivery_of;
using sample::needing;
using sample::numbered;

const ledger::SequenceKey stream{"demo", sample::scope};

LockSet locks_of(providers::Event event) {
    const Submission submission = delivery_of({std::move(event)});
    return lock_set_of({&submission});
}

TEST(LockSet, ACreditNeedsItsEventItsEffectItsNeedsAndItsBalance) {
    const LockSet locks = locks_of(needing(credit("1", "b"), "a"));
    EXPECT_EQ(locks.intents, (IntentKeys{{ProviderName("demo"), EventId("1")}}));
    EXPECT_EQ(locks.effects, (std::set{EffectKey("demo/a"), EffectKey("demo/b")}));
    EXPECT_EQ(locks.posted, std::set{EffectKey("demo/b")});
    EXPECT_EQ(locks.balances, (std::set{ledger::BalanceKey{sample::payer, sample::usd}}));
    EXPECT_TRUE(locks.streams.empty());
    EXPECT_TRUE(locks.totals.empty());
}

TEST(LockSet, AnEventWithoutMoneyNeedsItsOwnLockOnly) {
    providers::Event event = credit("1", "a");
    event.movements.clear();
    const LockSet locks = locks_of(event);
    EXPECT_EQ(lock_keys(locks).size(), 1U);
    EXPECT_TRUE(locks.balances.empty());
}

TEST(LockSet, AClearingAccountHasNoBalanceToLock) {
    providers::Event event = credit("1", "a");
    event.movements[0].account = ledger::clearing_account("demo");
    EXPECT_TRUE(locks_of(event).balances.empty());
}

TEST(LockSet, ARunningTotalIsLockedByItsKey) {
    providers::Event event = credit("1", "a");
    event.movements[0].is_total = true;
    EXPECT_EQ(locks_of(event).totals, std::set{EffectKey("demo/a")});
}

TEST(LockSet, AStreamIsReadFromTheLowestNumberOfTheBatch) {
    const Submission two =
        delivery_of({numbered(credit("7", "g"), 7), numbered(credit("4", "d"), 4)});
    EXPECT_EQ(lock_set_of({&two}).streams.at(stream).lowest, 4);
    Submission skipping = delivery_of({numbered(credit("7", "g"), 7)});
    skipping.resumed.emplace();
    skipping.resumed->overrides.skip_sequence = true;
    EXPECT_EQ(lock_set_of({&skipping}).streams.at(stream).lowest, INT64_MIN);
}

TEST(LockSet, CoversDependentsOnlyAfterTheyAreAdded) {
    Waits waits;
    const providers::Event parked = numbered(needing(credit("2", "b"), "a"), 9);
    const IntentKey key{ProviderName("demo"), EventId("2")};
    waits.effects[{EffectKey("demo/a"), key}] = {{ProviderName("demo"), "demo", {}, {}}, parked, 0};
    waits.turns[{stream, Sequence{3}, key}] = {};  // a place that is kept, without an event
    LockSet locks = locks_of(credit("1", "a"));
    LockSet with_parked = locks;
    with_parked.add(waits);
    EXPECT_FALSE(locks.covers(with_parked));
    EXPECT_TRUE(with_parked.covers(locks));
    locks.add(waits);
    EXPECT_TRUE(locks.covers(with_parked));
    EXPECT_EQ(lock_keys(locks), lock_keys(with_parked));
}

TEST(LockKeys, DifferForKeysThatReadAlike) {
    const auto intent_lock = [](const char* provider, const char* id) {
        LockSet locks;
        locks.intents.insert({ProviderName(provider), EventId(id)});
        return lock_keys(locks);
    };
    EXPECT_NE(intent_lock("ab", "c"), intent_lock("a", "bc"));
    LockSet effect;
    effect.effects.insert(EffectKey("demo"));
    EXPECT_NE(lock_keys(effect), intent_lock("demo", ""));
}

}  // namespace
}  // namespace pawl::intents
