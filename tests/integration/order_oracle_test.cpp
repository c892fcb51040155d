// Whatever the order and the number of deliveries, the end is the same: balances, and the set of
// posted effects. Every permutation of small sets, cut into batches in several ways; then random
// larger ones, whose seed is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "base/rng.hpp"
#include "intents/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using providers::Action;
using providers::Order;
using testing::Books;
using testing::in_run;
using testing::Said;

struct Set {
    const char* name;
    std::vector<Said> events;
};

// The end as it must be, computed by the simplest rule there is: the first event to claim an id
// and then an effect decides it. Where contents conflict, who is first depends on the order, and
// only then.
Books expected(const std::vector<Said>& in_order) {
    Books books;
    std::set<std::string> ids;
    std::set<std::string> effects;
    for (const Said& said : in_order) {
        if (!ids.insert(said.id).second || !effects.insert(said.effect).second) continue;
        const bool debit = said.action == Action::debit;
        books.balances[said.account + " " + said.currency] += debit ? -said.amount : said.amount;
        const std::string clearing = "demo:clearing";
        books.effects.insert("demo/" + said.effect + " " + (debit ? said.account : clearing) + " " +
                             (debit ? clearing : said.account) + " " + said.currency + " " +
                             std::to_string(said.amount));
    }
    return books;
}

// PAWL_TEST_SEED repeats a run; a new one is drawn, and shown: a run that is killed shows it, too.
std::uint64_t test_seed() {
    const char* given = std::getenv("PAWL_TEST_SEED");
    const auto seed = given ? std::strtoull(given, nullptr, 10) : SecureRng().next();
    std::printf("PAWL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

class OrderOracle : public ::testing::Test {
  protected:
    OrderOracle() {
        // Durability is not what is looked at here, and there are thousands of commits.
        db::Statement::run_script(session, "SET synchronous_commit = off");
    }

    // Delivers in this order, in batches of these sizes (the last size repeats).
    static void deliver_with(db::Session& session, const std::vector<Said>& order,
                             const std::vector<std::size_t>& sizes) {
        std::size_t at = 0;
        for (std::size_t cut = 0; at < order.size(); ++cut) {
            const std::size_t size = sizes[std::min(cut, sizes.size() - 1)];
            std::vector<intents::Submission> batch;
            for (std::size_t i = 0; i < size && at < order.size(); ++i, ++at) {
                batch.push_back(testing::deliver({testing::event(order[at])}));
            }
            testing::commit(session, batch);
        }
    }
    Books deliver(const std::vector<Said>& order, const std::vector<std::size_t>& sizes,
                  const std::string& run) {
        deliver_with(session, order, sizes);
        return testing::books_of(session, run);
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    int runs = 0;
};

const std::vector<Set> sets = {
    {"credits",
     {{"1", "a", "x", 5, "USD", 1},
      {"2", "b", "x", 7, "USD", 2},
      {"3", "c", "x", 9, "USD", 3},
      {"4", "d", "y", 1, "USD", 1},
      {"5", "e", "y", 2, "EUR", 9}}},
    {"credits and debits",
     {{"1", "a", "x", 5, "USD", 4},
      {"2", "b", "x", 7, "USD", 3, Action::debit},
      {"3", "c", "x", 9, "USD", 2},
      {"4", "d", "x", 2, "USD", 1, Action::debit},
      {"5", "e", "y", 3}}},
    {"refunds before captures",
     {{"1", "c1", "x", 50, "USD"},
      {.id = "2",
       .effect = "r1",
       .account = "x",
       .amount = 20,
       .action = Action::debit,
       .needs = {"c1"}},
      {.id = "3",
       .effect = "r2",
       .account = "x",
       .amount = 5,
       .action = Action::debit,
       .needs = {"r1"}},
      {.id = "4", .effect = "c2", .account = "y", .amount = 1},
      {.id = "5",
       .effect = "r3",
       .account = "y",
       .amount = 1,
       .action = Action::debit,
       .needs = {"c2", "c1"}}}},
    {"held with gaps filled",
     {{.id = "1", .effect = "a", .account = "x", .amount = 1, .sequence = 1, .order = Order::hold},
      {.id = "2", .effect = "b", .account = "x", .amount = 2, .sequence = 2, .order = Order::hold},
      {.id = "3", .effect = "c", .account = "x", .amount = 4, .sequence = 3, .order = Order::hold},
      {.id = "4",
       .effect = "d",
       .account = "x",
       .amount = 8,
       .sequence = 4,
       .action = Action::debit,
       .order = Order::hold},
      {.id = "5",
       .effect = "d",
       .account = "x",
       .amount = 8,
       .sequence = 4,
       .action = Action::debit,
       .order = Order::hold}}},
    {"held and late_ok mixed, with needs",
     {{.id = "1", .effect = "a", .account = "x", .amount = 1, .sequence = 1, .order = Order::hold},
      {.id = "2", .effect = "b", .account = "x", .amount = 2, .sequence = 2, .dense = true},
      {.id = "3", .effect = "c", .account = "x", .amount = 4, .sequence = 3, .order = Order::hold},
      {.id = "4",
       .effect = "r",
       .account = "x",
       .amount = 3,
       .sequence = 4,
       .action = Action::debit,
       .needs = {"c", "z"},
       .order = Order::hold},
      {.id = "5", .effect = "z", .account = "y", .amount = 9},
      {.id = "5", .effect = "z", .account = "y", .amount = 9}}},
    {"duplicates and shared effects",
     {{"1", "a", "x", 5, "USD", 1},
      {"1", "a", "x", 5, "USD", 1},
      {"2", "a", "x", 5, "USD", 2},
      {"3", "b", "x", 7, "USD", 3},
      {"4", "b", "x", 7, "USD", 3}}},
};

// Conflicts are always decided for the first: the end is a function of who that is.
const Set conflicts = {"conflicts",
                       {{"1", "a", "x", 5},
                        {"2", "a", "x", 6},
                        {"1", "b", "x", 7},
                        {"3", "c", "y", 1},
                        {"3", "c", "y", 1}}};

void each_permutation(const Set& set, const std::function<void(std::vector<Said>)>& visit) {
    std::vector<std::size_t> order(set.events.size());
    std::iota(order.begin(), order.end(), 0U);
    do {
        std::vector<Said> arranged;
        for (const std::size_t i : order) arranged.push_back(set.events[i]);
        visit(std::move(arranged));
    } while (std::next_permutation(order.begin(), order.end()));
}

std::vector<Said> all_in_run(const std::vector<Said>& events, const std::string& run) {
    std::vector<Said> all;
    for (const Said& said : events) all.push_back(in_run(said, run));
    return all;
}

void shuffle(std::vector<Said>& events, SeededRng& rng) {
    for (std::size_t i = events.size(); i > 1; --i) std::swap(events[i - 1], events[rng.below(i)]);
}

const std::vector<std::vector<std::size_t>> cuts = {{1}, {2}, {6}, {1, 5}};

TEST_F(OrderOracle, EveryPermutationEndsTheSameHoweverItIsCut) {
    for (const Set& set : sets) {
        // Each permutation gets two of the cuts, and its neighbour the others.
        std::size_t permutation = 0;
        each_permutation(set, [&](const std::vector<Said>& arranged) {
            for (std::size_t c = permutation++ % 2; c < cuts.size(); c += 2) {
                const std::string run = "r" + std::to_string(++runs) + ":";
                const auto order = all_in_run(arranged, run);
                ASSERT_EQ(deliver(order, cuts[c], run), expected(order))
                    << set.name << ", permutation " << permutation << ", cut " << c;
            }
        });
    }
}

// Each subset of a set comes twice: all of it at the end, and mixed in by chance.
TEST_F(OrderOracle, EveryDuplicationOfASetEndsTheSame) {
    SeededRng rng(test_seed());
    for (const Set& set : sets) {
        for (std::size_t twice = 0; twice < std::size_t{1} << set.events.size(); ++twice) {
            std::vector<Said> events = set.events;
            for (std::size_t i = 0; i < set.events.size(); ++i) {
                if ((twice >> i & 1U) != 0) events.push_back(set.events[i]);
            }
            for (const bool mixed : {false, true}) {
                if (mixed) shuffle(events, rng);
                const std::string run = "d" + std::to_string(++runs) + ":";
                const auto order = all_in_run(events, run);
                ASSERT_EQ(deliver(order, cuts[rng.below(cuts.size())], run), expected(order))
                    << set.name << ", twice " << twice << ", mixed " << mixed;
            }
        }
    }
}

TEST_F(OrderOracle, AConflictIsDecidedForTheFirstAndMovesMoneyOnce) {
    each_permutation(conflicts, [&](const std::vector<Said>& arranged) {
        const std::string run = "r" + std::to_string(++runs) + ":";
        const auto order = all_in_run(arranged, run);
        const Books books = deliver(order, {static_cast<std::size_t>(runs % 3) + 1}, run);
        // An event that lost its id keeps its effect unclaimed, so only ids decide before effects.
        ASSERT_EQ(books, expected(order)) << "run " << runs;
    });
}

TEST_F(OrderOracle, RandomSetsDeliveredManyTimesInAnyOrderEndTheSame) {
    const std::uint64_t seed = test_seed();
    SCOPED_TRACE("PAWL_TEST_SEED=" + std::to_string(seed));
    SeededRng rng(seed);
    for (int round = 0; round < 60; ++round) {
        const std::string run = "q" + std::to_string(round) + ":";
        std::vector<Said> events;
        for (std::size_t i = 0; i < 20; ++i) {
            const std::string effect = std::to_string(rng.below(15));
            // Content follows from the effect: twins agree, so order cannot matter.
            Said said{run + std::to_string(i),
                      run + effect,
                      run + "u" + std::to_string(effect.size()),
                      static_cast<std::int64_t>(effect.size() * 7 + effect[0]),
                      "USD",
                      static_cast<std::int64_t>(rng.below(30))};
            if (effect[0] % 2 == 0) said.action = Action::debit;
            const std::uint64_t copies = 1 + rng.below(3);
            for (std::uint64_t c = 0; c < copies; ++c) events.push_back(said);
        }
        const Books first_end = expected(events);
        shuffle(events, rng);
        ASSERT_EQ(deliver(events, {1 + rng.below(9), 1 + rng.below(40)}, run), first_end) << round;
    }
}

// Two servers on one database, each with a part of the deliveries and some of the other's.
TEST_F(OrderOracle, TwoReplicasThatRaceEndTheSame) {
    const std::uint64_t seed = test_seed();
    SCOPED_TRACE("PAWL_TEST_SEED=" + std::to_string(seed));
    SeededRng rng(seed);
    db::Session other = database.session();
    for (int round = 0; round < 150; ++round) {
        const Set& set = sets[rng.below(sets.size())];
        const std::string run = "t" + std::to_string(round) + ":";
        std::vector<Said> all;
        std::vector<Said> shares[2];
        for (const Said& said : set.events) {
            all.push_back(in_run(said, run));
            const std::uint64_t who = rng.below(3);  // one, the other, or both
            if (who != 1) shares[0].push_back(all.back());
            if (who != 0) shares[1].push_back(all.back());
        }
        for (auto& share : shares) shuffle(share, rng);
        std::thread racing([&] { deliver_with(other, shares[1], {1}); });
        deliver_with(session, shares[0], {1, 2});
        racing.join();
        ASSERT_EQ(testing::books_of(session, run), expected(all)) << set.name << ", " << round;
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents WHERE status <> 'done'"), "0");
    EXPECT_TRUE(intents::holds(intents::verify(session)));
}

}  // namespace
}  // namespace pawl
