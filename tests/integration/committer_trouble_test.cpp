// Group commit where something stands in the way of some: locks that others hold, batches that
// stall, bodies that are large. The others must not be taken down with them.
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <optional>
#include <thread>

#include "intents/commit/committer.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Another session's transaction that never ends: an idle psql, or a server that hangs.
class Held {
  public:
    Held(db::Session session, const std::string& statement)
        : session_(std::move(session)), transaction_(session_) {
        transaction_.run_script(statement);
    }

  private:
    db::Session session_;
    db::Transaction transaction_;
};

std::string row_of(const std::string& account) {
    return "SELECT FROM balances WHERE account = '" + account + "' FOR UPDATE";
}

class CommitContention : public ::testing::Test {
  protected:
    ~CommitContention() override {
        committer.reset();
        db::Session patient = database.owner();
        EXPECT_TRUE(holds(verify(patient)));
    }

    void start(CommitterOptions options) { start(options, database.options()); }
    void start(const CommitterOptions& options, const db::SessionOptions& session) {
        committer = std::make_unique<Committer>(options, session, timer, clock, metrics);
        committer->start();
    }
    static Submission delivery(const std::string& id, const std::string& account,
                               std::size_t body_bytes = 2) {
        auto made =
            testing::deliver({testing::event({.id = id, .effect = id, .account = account})});
        made.delivery.body.assign(body_bytes, 'x');
        return made;
    }
    using Answered = std::future<std::optional<DeliveryResult>>;
    Answered submit(Submission submission) {
        auto promise = std::make_shared<std::promise<std::optional<DeliveryResult>>>();
        const bool taken = committer->submit(
            std::move(submission), [promise](const std::optional<DeliveryResult>& answer,
                                             const auto&...) { promise->set_value(answer); });
        if (!taken) promise->set_value(std::nullopt);
        return promise->get_future();
    }
    bool credit(const std::string& id, const std::string& account) {
        return submit(delivery(id, account)).get().has_value();
    }
    // Returns the percentage of each account's deliveries that were answered in time: one after the
    // other, by many senders.
    std::map<std::string, int> percent_durable(const std::vector<std::string>& accounts,
                                               seconds for_so_long) {
        std::mutex mutex;
        std::map<std::string, std::pair<int, int>> counts;
        std::vector<std::thread> senders;
        const auto until = clock.steady() + for_so_long;
        for (std::size_t i = 0; i < accounts.size(); ++i) {
            senders.emplace_back([&, i] {
                for (int n = 0; clock.steady() < until; ++n) {
                    const bool good =
                        credit(std::to_string(i) + "-" + std::to_string(n), accounts[i]);
                    const std::lock_guard lock(mutex);
                    auto& [all, durable] = counts[accounts[i]];
                    ++all;
                    durable += good ? 1 : 0;
                }
            });
        }
        for (std::thread& sender : senders) sender.join();
        std::map<std::string, int> percent;
        for (const auto& [account, count] : counts) {
            percent[account] = count.second * 100 / count.first;
        }
        return percent;
    }

    // "" where there is none.
    std::string metric(const std::string& name) const {
        const std::string all = metrics.render();
        const auto at = all.find(name + " ");
        if (at == std::string::npos) return "";
        return all.substr(at + name.size() + 1, all.find('\n', at) - at - name.size() - 1);
    }

    testing::TestDatabase database;
    SystemClock clock;
    Metrics metrics;
    Timer timer;
    std::unique_ptr<Committer> committer;
};

TEST_F(CommitContention, LockedAccountDoesNotDelayOtherAccounts) {
    start({.committers = 2});
    ASSERT_TRUE(credit("first", "held"));
    std::vector<std::string> accounts;
    for (int i = 0; i < 50; ++i) accounts.emplace_back(i % 2 == 0 ? "held" : "free");
    {
        const Held held(database.owner(), row_of("held"));
        auto percent = percent_durable(accounts, seconds(4));
        EXPECT_EQ(percent["held"], 0);
        EXPECT_GE(percent["free"], 95);
    }
    EXPECT_TRUE(credit("last", "held"));
    EXPECT_TRUE(committer->database_up());
}

TEST_F(CommitContention, BlockedDeliveryIsAnsweredWhenTheLockIsReleased) {
    start({.committers = 1});
    ASSERT_TRUE(credit("first", "held"));
    auto held = std::make_unique<Held>(database.owner(), row_of("held"));
    EXPECT_FALSE(credit("blocked", "held"));
    Answered waits = submit(delivery("second", "held"));
    EXPECT_TRUE(credit("other", "free"));
    held.reset();
    EXPECT_TRUE(waits.get());
}

// A row without a visible lock holder: bisection finds the delivery that needs it.
TEST_F(CommitContention, BatchWithALockWithoutVisibleHolderIsBisected) {
    start({.committers = 1, .answer_within = seconds(5)});
    ASSERT_TRUE(credit("seen", "a"));
    const Held held(database.owner(),
                    "SELECT FROM webhook_intents WHERE event_id = 'seen' FOR UPDATE");
    std::vector<Answered> others;
    Answered again = submit(delivery("seen", "a"));
    for (int i = 0; i < 8; ++i) others.push_back(submit(delivery(std::to_string(i), "a")));
    for (Answered& other : others) EXPECT_TRUE(other.get());
    EXPECT_FALSE(again.get());
}

TEST_F(CommitContention, StalledBatchDoesNotFillTheQueue) {
    db::SessionOptions patient = database.options();
    patient.lock_timeout = patient.statement_timeout = seconds(30);
    start({.committers = 2, .queue_max = 64, .answer_within = seconds(30)}, patient);
    ASSERT_TRUE(credit("first", "held"));
    auto held = std::make_unique<Held>(database.owner(), row_of("held"));
    Answered stalled = submit(delivery("stalled", "held"));
    const std::string waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        " AND datname = current_database()";
    while (database.value(waiting) == "0") std::this_thread::yield();
    int durable = 0;
    for (int i = 0; i < 200; ++i) durable += credit(std::to_string(i), "free") ? 1 : 0;
    EXPECT_EQ(durable, 200);
    held.reset();
    EXPECT_TRUE(stalled.get());
}

TEST_F(CommitContention, BatchTooLargeForItsTimeIsBisected) {
    db::SessionOptions hasty = database.options();
    database.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM pg_sleep(0.02); RETURN NEW; END $$;"
        "CREATE TRIGGER slow BEFORE INSERT ON transfers FOR EACH ROW EXECUTE FUNCTION slow()");
    hasty.statement_timeout = milliseconds(300);
    committer = std::make_unique<Committer>(CommitterOptions{.answer_within = seconds(30)}, hasty,
                                            timer, clock, metrics);
    std::vector<Answered> all;
    for (int i = 0; i < 40; ++i) all.push_back(submit(delivery(std::to_string(i), "a")));
    committer->start();
    for (Answered& one : all) EXPECT_TRUE(one.get());
}

TEST_F(CommitContention, SixtyLargeBodiesAtOnceAreDurableInTheEnd) {
    constexpr std::size_t large = std::size_t{1} << 20U;
    committer =
        std::make_unique<Committer>(CommitterOptions{}, database.options(), timer, clock, metrics);
    committer->start();
    // A sender that gets a 503 redelivers.
    std::vector<std::string> refused;
    for (int i = 0; i < 60; ++i) refused.push_back(std::to_string(i));
    for (int round = 0; round < 10 && !refused.empty(); ++round) {
        std::map<std::string, Answered> all;
        for (const auto& id : refused) all.emplace(id, submit(delivery(id, "a", large)));
        refused.clear();
        for (auto& [id, one] : all) {
            if (!one.get()) refused.push_back(id);
        }
    }
    EXPECT_EQ(refused.size(), 0U);
    EXPECT_EQ(metric("pawl_commit_batch_size_bucket{le=\"4\"}"),
              metric("pawl_commit_batch_size_count"));
}

TEST_F(CommitContention, EmptyQueueDoesNotMarkTheDatabaseAvailable) {
    database.run(
        "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM pg_sleep(0.5); RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$;"
        "CREATE TRIGGER late BEFORE INSERT ON transfers FOR EACH ROW EXECUTE FUNCTION late()");
    start({.committers = 1, .answer_within = milliseconds(300)});
    database.take_away();
    EXPECT_FALSE(credit("first", "a"));
    while (committer->database_up()) std::this_thread::yield();
    database.bring_back();
    EXPECT_FALSE(credit("second", "a"));
    committer->stop();
    EXPECT_FALSE(committer->database_up());
}

}  // namespace
}  // namespace pawl::intents
