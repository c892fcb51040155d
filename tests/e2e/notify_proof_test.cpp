// From the fact to the subscriber, with real processes that are killed on the way: subscribers get
// every committed fact and no other. PAWL_E2E_SEED repeats a run.
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>

#include "base/rng.hpp"
#include "jobs/stage.hpp"
#include "tests/e2e/notify_case.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

class NotifyProof : public NotifyCase {
  protected:
    std::unique_ptr<Server> process(const std::string& name, const std::string& roles,
                                    const std::string& faults = "") {
        ServerOptions options{
            .data_dir = folder / name, .database_url = database.url(), .config = config};
        options.roles = roles;
        options.faults = faults;
        auto one = std::make_unique<Server>(options);
        one->spawn();
        return one;
    }
    // A fact and its message in one transaction, which takes its time and may roll back.
    void produce(std::uint64_t seed, int producer, int facts) {
        SeededRng chance(seed + static_cast<std::uint64_t>(producer));
        db::Session session(database.owner());
        for (int i = 0; i < facts; ++i) {
            const std::string fact = std::to_string(producer) + "-" + std::to_string(i);
            db::Transaction transaction(session);
            transaction.run_script("INSERT INTO facts VALUES ('" + fact + "')");
            jobs::stage(transaction,
                        {{"notify", R"({"type":"credit.applied","account":")" + fact + R"("})",
                          CorrelationId("c-" + fact)}},
                        now());
            std::this_thread::sleep_for(milliseconds(chance.below(20)));
            if (chance.below(5) != 0) transaction.commit();
        }
    }
    // In one snapshot: every fact has its message, staged or enqueued, and no other message exists.
    std::string difference() {
        return database.value(
            "SELECT count(*) FROM (SELECT payload->>'account' AS fact FROM staged_jobs UNION ALL "
            "SELECT payload->>'account' FROM jobs UNION ALL "
            "SELECT payload->>'account' FROM jobs_done) AS sent FULL JOIN facts USING (fact) "
            "WHERE facts.fact IS NULL OR sent.fact IS NULL");
    }
    bool all_done() {
        return database.value("SELECT count(*) FROM staged_jobs") == "0" &&
               count("state <> 'done'") == "0";
    }
    std::set<std::string> facts() {
        std::set<std::string> all;
        db::Session session = database.owner();
        constexpr db::Query query{"test_facts", "SELECT fact FROM facts"};
        for (const auto& row : db::Statement::run(session, query).named()) {
            all.insert(row.at("fact"));
        }
        return all;
    }
};

// No message without its fact, and no fact without its message, from end to end.
TEST_F(NotifyProof, SentMessagesAreTheCommittedOnesDespiteRollbacksAndKills) {
    const char* given = std::getenv("PAWL_E2E_SEED");
    const std::uint64_t seed =
        given == nullptr ? SecureRng().next() % 100000 : std::strtoull(given, nullptr, 10);
    std::printf("  PAWL_E2E_SEED=%llu\n", static_cast<unsigned long long>(seed));
    database.run("CREATE TABLE facts (fact text PRIMARY KEY)");
    subscribe("shop", "flaky", "events = [\"credit.applied\"]");
    write_text(config + "/pawl.toml",
               "[work]\nlease = \"3s\"\nretry_first = \"50ms\"\nenqueue_max = 20\n" + subscribers);
    std::vector<std::unique_ptr<Server>> killed;
    killed.push_back(process("one", "enqueue"));
    killed.push_back(process("two", "enqueue"));
    killed.push_back(process("three", "work"));
    std::atomic<int> producing{4};
    std::vector<std::thread> producers;
    for (int p = 0; p < 4; ++p) {
        producers.emplace_back([&, p] {
            produce(seed, p, 200);
            --producing;
        });
    }
    SeededRng chance(seed);
    int kills = 0;
    while (producing > 0) {
        std::this_thread::sleep_for(milliseconds(100 + chance.below(400)));
        Server& victim = *killed[chance.below(killed.size())];
        victim.kill_now();
        EXPECT_EQ(difference(), "0");
        victim.spawn();
        ++kills;
    }
    for (std::thread& producer : producers) producer.join();
    ASSERT_TRUE(eventually([&] { return all_done(); })) << count("state <> 'done'");
    EXPECT_EQ(difference(), "0");
    std::set<std::string> told_of, ids;
    for (const Told& one : told("flaky")) {
        told_of.insert(one.account);
        ids.insert(one.id);
    }
    EXPECT_EQ(told_of, facts());
    EXPECT_EQ(ids.size(), told_of.size()) << "one webhook-id for each fact, however often it came";
    EXPECT_EQ(refused(), "");
    EXPECT_GT(kills, 2);
    EXPECT_GT(facts().size(), 400U);
}

// The end comes in each of the gaps that have a name.
class NotifyGaps : public NotifyProof, public ::testing::WithParamInterface<const char*> {};

TEST_P(NotifyGaps, AProcessEndLosesAndInventsNoMessage) {
    database.run("CREATE TABLE facts (fact text PRIMARY KEY)");
    subscribe("shop", "ok");
    write_text(config + "/pawl.toml", "[work]\nlease = \"3s\"\n" + subscribers);
    const auto doomed = process("one", "work,enqueue", GetParam());
    for (int producer = 0; producer < 200 && doomed->running(); ++producer) {
        produce(7, producer, 5);
    }
    ASSERT_TRUE(doomed->ended_within(patience)) << "the point was never reached";
    EXPECT_EQ(difference(), "0");
    const auto next = process("two", "work,enqueue");
    ASSERT_TRUE(eventually([&] { return all_done(); })) << count("state <> 'done'");
    EXPECT_EQ(difference(), "0");
    std::set<std::string> told_of;
    for (const Told& one : told("ok")) told_of.insert(one.account);
    EXPECT_EQ(told_of, facts());
    EXPECT_EQ(times_by_id("ok").size(), told_of.size());
}

INSTANTIATE_TEST_SUITE_P(Each, NotifyGaps,
                         ::testing::Values("enqueuer_before_commit=kill@4",
                                           "enqueuer_after_commit=kill@4",
                                           "worker_after_claim=kill@4",
                                           "worker_after_exchange=kill@4"));

}  // namespace
}  // namespace pawl::testing
