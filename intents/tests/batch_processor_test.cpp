// Decisions and releases of a batch, in memory.
#include "intents/accept/batch_processor.hpp"

#include <gtest/gtest.h>

#include "intents/tests/sample.hpp"

namespace pawl::intents {
namespace {

using ledger::Outcome;
using sample::credit;
using sample::needing;
using sample::numbered;

TEST(BatchProcessor, RedeliveredEventPostsOnce) {
    sample::Transaction batch;
    EXPECT_EQ(batch.take(credit("1", "a")).outcome, Outcome::applied);
    const EventResult again = batch.take(credit("1", "a"));
    EXPECT_TRUE(again.duplicate);
    EXPECT_EQ(again.outcome, Outcome::applied);
    EXPECT_EQ(batch.intent("1").more_deliveries, 1);
    EXPECT_EQ(batch.balance(), 100);
}

TEST(BatchProcessor, TwoEventsOfOneEffectPostItOnce) {
    sample::Transaction batch;
    batch.take(credit("1", "a"));
    EXPECT_EQ(batch.take(credit("2", "a")).outcome, Outcome::duplicate_effect);
    EXPECT_EQ(batch.balance(), 100);
}

TEST(BatchProcessor, OtherContentUnderAKnownIdIsKeptApartAndMovesNothing) {
    sample::Transaction batch;
    batch.take(credit("1", "a"));
    const EventResult other = batch.take(credit("1", "b", 900));
    EXPECT_TRUE(is_conflict_id(other.event_id.str(), credit("1", "b", 900).fingerprint));
    EXPECT_EQ(other.outcome, Outcome::quarantined);
    EXPECT_EQ(other.note, "id_conflict");
    EXPECT_EQ(batch.balance(), 100);
    EXPECT_TRUE(batch.take(credit("1", "b", 900)).duplicate) << "it has its row by now";
}

TEST(BatchProcessor, EffectReleasesItsDependentsAndTheirs) {
    sample::Transaction batch;
    EXPECT_EQ(batch.take(needing(credit("3", "c"), "b")).outcome, Outcome::parked);
    EXPECT_EQ(batch.take(needing(credit("2", "b"), "a")).outcome, Outcome::parked);
    EXPECT_EQ(batch.context.new_effect_waits.size(), 2U);
    batch.take(credit("1", "a"));
    EXPECT_EQ(batch.posted(), "a b c ");
    EXPECT_EQ(batch.intent("3").outcome, Outcome::applied);
    EXPECT_FALSE(batch.intent("3").wake_at);
    EXPECT_TRUE(batch.context.new_effect_waits.empty()) << "no row is written for them";
    EXPECT_TRUE(batch.context.gone_effect_waits.empty()) << "no row was there";
}

TEST(BatchProcessor, EventQuarantinedForALateNeedIsReleasedByIt) {
    sample::Transaction batch;
    providers::Event late = needing(credit("2", "b"), "a");
    late.needs_deadline = Duration::zero();
    const EventResult timed_out = batch.take(late);
    EXPECT_EQ(timed_out.outcome, Outcome::quarantined);
    EXPECT_EQ(timed_out.note, "needs_timeout");
    batch.take(credit("1", "a"));
    EXPECT_EQ(batch.intent("2").outcome, Outcome::applied);
}

TEST(BatchProcessor, RunIsSignaledTheAmountOfAMovementAndNotOfAReturn) {
    sample::Transaction batch;
    providers::Event moved = credit("1", "a", 70);
    moved.signal_key = "pay:o1:1";
    batch.take(moved);
    providers::Event failed = needing(credit("2", "refund_failed/r", 70), "refund/r");
    failed.signal_key = "refund:o1:1";
    failed.unmet = providers::Unmet::ignore;
    EXPECT_EQ(batch.take(failed).note, ledger::nothing_to_return);
    ASSERT_EQ(batch.context.signals.size(), 2U);
    EXPECT_EQ(batch.context.signals[0].says.amount, (Money{70, sample::usd}));
    EXPECT_FALSE(batch.context.signals[1].says.amount) << "a refund that failed moved nothing";
}

TEST(BatchProcessor, NumbersArePostedInTheirOrder) {
    sample::Transaction batch;
    EXPECT_EQ(batch.take(numbered(credit("3", "c"), 3)).outcome, Outcome::parked);
    EXPECT_EQ(batch.take(numbered(credit("2", "b"), 2)).outcome, Outcome::parked);
    const auto& stream = batch.context.book.stream({"demo", sample::scope});
    EXPECT_EQ(stream.gap_since, batch.now);
    batch.take(numbered(credit("1", "a"), 1));
    EXPECT_EQ(batch.posted(), "a b c ");
    EXPECT_EQ(stream.last, Sequence{3});
    EXPECT_FALSE(stream.gap_since);
    EXPECT_TRUE(batch.context.new_turn_waits.empty());
}

TEST(BatchProcessor, NumberThatOnlyKeepsItsPlaceLetsTheNextPass) {
    sample::Transaction batch;
    batch.take(numbered(credit("3", "c"), 3));
    providers::Event ignored = numbered(credit("2", "b"), 2);
    ignored.note = "test_mode";
    EXPECT_EQ(batch.take(ignored).outcome, Outcome::ignored);
    EXPECT_EQ(batch.context.new_places.size(), 1U);
    batch.take(numbered(credit("1", "a"), 1));
    EXPECT_EQ(batch.posted(), "a c ");
    EXPECT_TRUE(batch.context.new_places.empty());
}

TEST(BatchProcessor, OperatorSkipsMissingNumbers) {
    sample::Transaction batch;
    batch.take(numbered(credit("5", "e"), 5));
    batch.take(numbered(credit("6", "f"), 6));
    batch.context.intents.at({ProviderName("demo"), EventId("5")}).stored = true;
    batch.context.intents.at({ProviderName("demo"), EventId("5")}).decided = false;
    Submission released = sample::delivery_of({numbered(credit("5", "e"), 5)});
    released.resumed.emplace();
    released.resumed->overrides.skip_sequence = true;
    EXPECT_EQ(batch.take(std::move(released)).outcome, Outcome::applied);
    EXPECT_EQ(batch.posted(), "e f ");
}

TEST(BatchProcessor, PausedProvidersEventIsStoredAsPending) {
    sample::Transaction batch;
    batch.context.paused.insert(ProviderName("demo"));
    EXPECT_EQ(batch.take(credit("1", "a")).outcome, Outcome::pending);
    EXPECT_EQ(batch.intent("1").wake_at, batch.now);
    EXPECT_EQ(batch.posted(), "");
}

TEST(BatchProcessor, AWorkerWithAnOldFencingTokenWritesNothing) {
    sample::Transaction batch;
    Intent& stored = batch.context.intents[{ProviderName("demo"), EventId("1")}];
    stored.stored = true;
    stored.fencing_token = 2;
    Submission resumed = sample::delivery_of({credit("1", "a")});
    resumed.resumed.emplace();
    resumed.resumed->fencing_token = 1;
    EXPECT_TRUE(batch.take(resumed).stale_write);
    EXPECT_EQ(batch.posted(), "");
    EXPECT_FALSE(batch.intent("1").decided);
    resumed.resumed->fencing_token = 2;
    EXPECT_EQ(batch.take(resumed).outcome, Outcome::applied);
}

TEST(BatchProcessor, EventUnderALiveLeaseIsNotProcessed) {
    sample::Transaction batch;
    const providers::Event event = credit("1", "a");
    Intent& stored = batch.context.intents[{ProviderName("demo"), EventId("1")}];
    stored.stored = true;
    stored.leased = true;
    stored.fingerprint = event.fingerprint;
    EXPECT_TRUE(batch.take(event).worked_on);
    EXPECT_EQ(batch.posted(), "");
    stored.leased = false;
    EXPECT_EQ(batch.take(event).outcome, Outcome::applied) << "its lease has expired";
}

}  // namespace
}  // namespace pawl::intents
