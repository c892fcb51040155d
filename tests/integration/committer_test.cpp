// Group commit where a batch cannot pass as it is: it is cut, and each event gets its own answer.
#include "intents/commit/committer.hpp"

#include <gtest/gtest.h>

#include <future>

#include "intents/commit/commit_queue.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

class Commit : public ::testing::Test {
  protected:
    // Queues all deliveries before the first is taken, so that they can be one batch.
    std::vector<std::optional<DeliveryResult>> commit(std::vector<Submission> deliveries) {
        CommitterOptions options;
        options.batch_max = 100000;
        options.locks_max = 1000000;  // more than the server has room for
        options.answer_within = std::chrono::minutes(2);
        Committer committer(options, database.options(), timer, clock, metrics);
        std::vector<std::promise<std::optional<DeliveryResult>>> promises(deliveries.size());
        for (std::size_t i = 0; i < deliveries.size(); ++i) {
            EXPECT_TRUE(committer.submit(
                std::move(deliveries[i]),
                [&promises, i](const std::optional<DeliveryResult>& answer, const auto&...) {
                    promises[i].set_value(answer);
                }));
        }
        committer.start();
        std::vector<std::optional<DeliveryResult>> answers;
        for (auto& promise : promises) answers.push_back(promise.get_future().get());
        return answers;
    }
    static providers::Event event(const std::string& id, const std::string& account) {
        return testing::event({.id = id, .effect = id, .account = account});
    }
    void expect_books(const std::string& transfers) {
        EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), transfers);
        db::Session patient = database.owner();
        EXPECT_TRUE(holds(verify(patient)));
    }

    testing::TestDatabase database;
    SystemClock clock;
    Metrics metrics;
    Timer timer;
};

TEST_F(Commit, OnlyTheEventsThatAreRefusedAreQuarantinedOfABatchOfTheSendersOwn) {
    database.run(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION 'poison' USING ERRCODE = '22003'; END $$;"
        "CREATE TRIGGER refuse BEFORE INSERT ON transfers FOR EACH ROW "
        "WHEN (NEW.credit_account = 'poison') EXECUTE FUNCTION refuse()");
    std::vector<providers::Event> items;
    for (int i = 0; i < 9; ++i) {
        const bool bad = i == 2 || i == 7;
        items.push_back(event("i" + std::to_string(i), bad ? "poison" : "good"));
    }
    const auto answers =
        commit({testing::deliver({event("other", "good")}), testing::deliver(std::move(items))});
    ASSERT_TRUE(answers[0] && answers[1]);
    for (std::size_t i = 0; i < 9; ++i) {
        const EventResult& answer = (*answers[1])[i];
        const bool bad = i == 2 || i == 7;
        EXPECT_EQ(answer.outcome, bad ? ledger::Outcome::quarantined : ledger::Outcome::applied);
        EXPECT_EQ(answer.note, bad ? "unstorable" : "") << i;
    }
    expect_books("8");
}

TEST_F(Commit, AnswerIsGivenWhenTheCommitCanBeSeen) {
    std::promise<std::string> posted;  // as another session sees it at the moment of the answer
    Committer committer({}, database.options(), timer, clock, metrics);
    EXPECT_TRUE(committer.submit(testing::deliver({event("e1", "good")}),
                                 [&](const std::optional<DeliveryResult>& answer, const auto&...) {
                                     EXPECT_TRUE(answer);
                                     posted.set_value(
                                         database.value("SELECT count(*) FROM transfers"));
                                 }));
    committer.start();
    EXPECT_EQ(posted.get_future().get(), "1");
}

// 120,000 locks at once are more than the table holds; 10,000 fit.
// The server's table of locks has room for all its users together.
TEST_F(Commit, ABatchIsBoundedByTheLocksThatItNeeds) {
    QueueLimits limits;
    limits.locks_max = 20;
    CommitQueue queue(limits, clock, metrics.gauge("depth", "").alone());
    const auto push = [&](const std::string& id, int items) {
        std::vector<providers::Event> events;
        for (int i = 0; i < items; ++i) events.push_back(event(id + std::to_string(i), "a"));
        ASSERT_TRUE(queue.push(testing::deliver(events), [](const auto&...) {}));
    };
    for (const char* id : {"a", "b", "c"}) push(id, 4);  // an event and its effect: eight locks
    push("large", 100);                                  // no delivery is cut
    push("d", 1);
    std::vector<std::size_t> taken;
    for (int batch = 0; batch < 4; ++batch) {
        const std::size_t before = taken.empty() ? 0 : taken.back();
        taken.push_back(queue.take(before).work.size());
    }
    EXPECT_EQ(taken, (std::vector<std::size_t>{2, 1, 1, 1}));
}

// A queue whose smaller batches wait for a minute, unless a rule ends that.
class Gathering : public Commit {
  protected:
    Gathering() {
        limits.gather_max = std::chrono::minutes(1);
        queue.emplace(limits, clock, metrics.gauge("depth", "").alone());
    }
    void push(const std::string& id) {
        ASSERT_TRUE(queue->push(testing::deliver({event(id, "a")}), [](const auto&...) {}));
    }
    std::future<std::size_t> take(std::size_t committed) {
        return std::async(std::launch::async,
                          [this, committed] { return queue->take(committed).work.size(); });
    }
    QueueLimits limits;
    std::optional<CommitQueue> queue;
};

TEST_F(Gathering, ADeliveryThatFindsEveryCommitterIdleIsTakenAtOnce) {
    push("a");
    EXPECT_EQ(take(0).get(), 1U);
}

TEST_F(Gathering, ASmallerBatchGrowsToTheSizeOfTheOneBeingCommitted) {
    for (const char* id : {"a", "b", "c"}) push(id);
    ASSERT_EQ(take(0).get(), 3U);
    push("d");
    auto second = take(0);
    for (const char* id : {"e", "f"}) push(id);
    EXPECT_EQ(second.get(), 3U);
}

TEST_F(Gathering, ASmallerBatchBeginsWhenTheOtherHasEnded) {
    for (const char* id : {"a", "b", "c"}) push(id);
    ASSERT_EQ(take(0).get(), 3U);
    push("d");
    EXPECT_EQ(take(3).get(), 1U);
}

TEST_F(Gathering, NoBatchWaitsWhileTheServerStops) {
    for (const char* id : {"a", "b", "c"}) push(id);
    ASSERT_EQ(take(0).get(), 3U);
    push("d");
    auto second = take(0);
    queue->stop();
    EXPECT_EQ(second.get(), 1U);
}

TEST_F(Commit, ABatchThatFillsTheTableOfLocksIsCut) {
    std::vector<Submission> deliveries;
    for (int d = 0; d < 12; ++d) {
        std::vector<providers::Event> items;
        for (int i = 0; i < 100; ++i) {
            const std::string id = std::to_string(d) + "-" + std::to_string(i);
            testing::Said said{.id = id, .effect = id};
            for (int n = 0; n < 100; ++n) said.needs.push_back(id + "-" + std::to_string(n));
            items.push_back(testing::event(said));
        }
        deliveries.push_back(testing::deliver(std::move(items)));
    }
    for (const auto& answer : commit(std::move(deliveries))) {
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->size(), 100U);
        EXPECT_EQ(answer->back().outcome, ledger::Outcome::parked);
    }
    expect_books("0");
}

}  // namespace
}  // namespace pawl::intents
