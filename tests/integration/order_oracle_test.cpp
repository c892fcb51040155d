// Whatever the order and the number of deliveries, the end is the same: balances, and the set of
// posted effects; and no event is posted before its needs. The following orders run for each set of
// order_sets.cpp:
//
//                              make test                       make proof
//   six events                 every order x 4 cuts (one set:  every order x all 32 cuts
//                                all 32)
//   the first four, each       every order, each in a          every order, each in four
//     subset of them twice       drawn cut                       drawn cuts
//   six, each subset twice     64 subsets x 12 drawn orders,   64 x 200
//                                each in a drawn cut
//   six, a run by itself       60 drawn orders and cuts        every order, in a drawn cut
//
// and larger sets that are drawn altogether. money_oracle_test.cpp has the movements of payments.
// Every draw follows from a seed that is printed.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <thread>

#include "base/rng.hpp"
#include "intents/verify/verify.hpp"
#include "tests/integration/order_runs.hpp"
#include "tests/support/database.hpp"
#include "tests/support/segments.hpp"

namespace pawl {
namespace {

using namespace orders;
using providers::Action;

// One by one, in pairs, all at once, and the first before all others.
const std::vector<Sizes> named_cuts = {{1, 1, 1, 1, 1, 1}, {2, 2, 2}, {6}, {1, 5}};

std::vector<Sizes> cuts_of(const Set& set) {
    if (!set.every_cut && !all_orders()) return named_cuts;
    std::vector<Sizes> all;
    for (std::size_t way = 0; way < ways_to_cut(6); ++way) all.push_back(cut(6, way));
    return all;
}

class OrderOracle : public ::testing::Test {
  protected:
    ~OrderOracle() override { std::printf("  %zu runs, %zu events delivered\n", runs, delivered); }

    void expect_the_end(SideBySide& side, const Set& set) {
        EXPECT_EQ(side.ended_otherwise(), "") << set.name;
        runs += side.runs();
        delivered += side.events();
    }
    void expect_that_the_books_hold() const {
        database.run("ANALYZE");  // as the server's autovacuum does before a later query
        db::Session asking(db::for_reports(database.options()));
        EXPECT_TRUE(intents::holds(intents::verify(asking)));
    }
    void expect_that_nothing_waits() const {
        EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents WHERE status <> 'done'"),
                  "0");
    }

    // `fill` says in which orders and cuts a set is delivered.
    void each_set_ends_the_same(const std::string& name,
                                const std::function<void(const Set&, SideBySide&)>& fill) {
        for (std::size_t i = 0; i < sets.size(); ++i) {
            SideBySide side(session, name + std::to_string(i));
            fill(sets[i], side);
            expect_the_end(side, sets[i]);
        }
        expect_that_nothing_waits();
    }

    static void every_order(const Set& set, SideBySide& side) {
        const std::vector<Sizes> cuts = cuts_of(set);
        each_arrangement(set.events, [&](const std::vector<Said>& arranged) {
            for (const Sizes& sizes : cuts) side.add(arranged, sizes);
        });
    }
    static void every_order_of_each_duplication(const Set& set, Rng& rng, SideBySide& side) {
        for (std::size_t bits = 0; bits < std::size_t{1} << set.events.size(); ++bits) {
            each_arrangement(some_twice(set.events, bits), [&](const std::vector<Said>& arranged) {
                for (int cuts = all_orders() ? 4 : 1; cuts > 0; --cuts) {
                    side.add(arranged, drawn_cut(arranged.size(), rng));
                }
            });
        }
    }
    static void drawn_orders_of_each_duplication(const Set& set, Rng& rng, SideBySide& side) {
        for (std::size_t bits = 0; bits < std::size_t{1} << set.events.size(); ++bits) {
            std::vector<Said> events = some_twice(set.events, bits);
            for (int orders = all_orders() ? 200 : 12; orders > 0; --orders) {
                shuffle(events, rng);
                side.add(events, drawn_cut(events.size(), rng));
            }
        }
    }

    // By itself, in commits of its own.
    static void deliver(db::Session& session, const std::vector<Said>& order, const Sizes& sizes) {
        std::size_t at = 0;
        for (const std::size_t size : sizes) {
            std::vector<intents::Submission> batch;
            for (std::size_t i = 0; i < size; ++i, ++at) {
                batch.push_back(testing::deliver({testing::event(order[at])}));
            }
            testing::commit(session, batch);
        }
    }
    testing::TestDatabase database;
    db::Session session = committing(database);
    std::size_t runs = 0;
    std::size_t delivered = 0;
};

TEST_F(OrderOracle, EveryOrderEndsTheSameHoweverItIsCut) {
    each_set_ends_the_same("order", every_order);
}

TEST_F(OrderOracle, EveryDuplicationEndsTheSameInEveryOrder) {
    SeededRng rng(test_seed());
    each_set_ends_the_same("four", [&rng](const Set& set, SideBySide& side) {
        every_order_of_each_duplication(first_of(set, 4), rng, side);
    });
}

TEST_F(OrderOracle, EveryDuplicationOfSixEndsTheSameInDrawnOrders) {
    SeededRng rng(test_seed());
    each_set_ends_the_same("six", [&rng](const Set& set, SideBySide& side) {
        drawn_orders_of_each_duplication(set, rng, side);
    });
}

// The others deliver many runs side by side; that must not be what makes them end as they should.
TEST_F(OrderOracle, ARunByItselfEndsTheSame) {
    SeededRng rng(test_seed());
    for (const Set& set : sets) {
        std::vector<Said> events = set.events;
        const auto alone = [&](const std::vector<Said>& arranged) {
            SideBySide one(session, "one" + std::to_string(runs));
            one.add(arranged, drawn_cut(arranged.size(), rng));
            expect_the_end(one, set);
        };
        if (all_orders()) {
            each_arrangement(events, alone);
            continue;
        }
        for (int orders = 0; orders < 60; ++orders) {
            shuffle(events, rng);
            alone(events);
        }
    }
    expect_that_nothing_waits();
}

// Events, duplicates, needs and turns whose partners lie in other segments, sealed or not, by
// servers that have loaded all filters, some of them or none.
TEST_F(OrderOracle, ARunAcrossManySegmentsEndsTheSame) {
    SeededRng rng(test_seed());
    testing::Segments segments(session);
    const auto next = [&] {
        if (rng.below(3) == 0) segments.open_next();
        if (rng.below(2) == 0) segments.seal_all();
        if (rng.below(2) == 0) segments.load();
        return rng.below(4) == 0 ? std::make_shared<const intents::KnownSegments>()
                                 : segments.known();
    };
    for (std::size_t i = 0; i < sets.size(); ++i) {
        SideBySide side(session, "borders" + std::to_string(i));
        side.before_each_commit(next);
        for (int orders = all_orders() ? 400 : 24; orders > 0; --orders) {
            std::vector<Said> events = some_twice(sets[i].events, rng.below(64));
            shuffle(events, rng);
            side.add(events, drawn_cut(events.size(), rng));
            if (rng.below(3) == 0) side.deliver();
        }
        expect_the_end(side, sets[i]);
    }
    expect_that_nothing_waits();
    EXPECT_GT(segments.sealed(), 5);
    database.run("ANALYZE");
    db::Session asking(db::for_reports(database.options()));
    EXPECT_TRUE(intents::holds(intents::verify(asking, intents::Depth::deep)));
}

// The first delivery owns the id, and of those the first owns the effect: its money moves, once,
// and each of the others is answered with its reason.
TEST_F(OrderOracle, AConflictIsDecidedForTheFirstAndMovesMoneyOnce) {
    SeededRng rng(test_seed());
    SideBySide side(session, "conflict");
    side.check_answers();
    every_order(conflicts, side);
    every_order_of_each_duplication(first_of(conflicts, 4), rng, side);
    drawn_orders_of_each_duplication(conflicts, rng, side);
    expect_the_end(side, conflicts);
    expect_that_the_books_hold();
}

// Content follows from the effect: twins agree, so order cannot matter.
std::vector<Said> drawn_events(const std::string& run, Rng& rng) {
    std::vector<Said> events;
    for (std::size_t i = 0; i < 20; ++i) {
        const std::string effect = std::to_string(rng.below(15));
        Said said{run + std::to_string(i),
                  run + effect,
                  run + "u" + std::to_string(effect.size()),
                  static_cast<std::int64_t>(effect.size() * 7) + effect[0],
                  "USD",
                  static_cast<std::int64_t>(rng.below(30))};
        if (effect[0] % 2 == 0) said.action = Action::debit;
        const std::uint64_t copies = 1 + rng.below(3);
        for (std::uint64_t c = 0; c < copies; ++c) events.push_back(said);
    }
    return events;
}

TEST_F(OrderOracle, RandomSetsDeliveredManyTimesInAnyOrderEndTheSame) {
    SeededRng rng(test_seed());
    for (const int last = all_orders() ? 600 : 60; runs < static_cast<std::size_t>(last);) {
        const std::string run = "q" + std::to_string(++runs) + ":";
        std::vector<Said> events = drawn_events(run, rng);
        const Books end = expected(events);
        shuffle(events, rng);
        deliver(session, events, drawn_cut(events.size(), rng));
        delivered += events.size();
        ASSERT_EQ(testing::books_of(session, run), end) << run;
    }
}

// Two servers on one database, each with a part of the deliveries and some of the other's.
TEST_F(OrderOracle, TwoReplicasThatRaceEndTheSame) {
    SeededRng rng(test_seed());
    db::Session other = committing(database);
    const std::size_t last = all_orders() ? 1500 : 150;
    while (runs < last) {
        const Set& set = sets[rng.below(sets.size())];
        const std::string run = "t" + std::to_string(++runs) + ":";
        const std::vector<Said> all = all_in_run(set.events, run);
        std::vector<Said> shares[2];
        for (const Said& said : all) {
            const std::uint64_t who = rng.below(3);  // one, the other, or both
            if (who != 1) shares[0].push_back(said);
            if (who != 0) shares[1].push_back(said);
        }
        for (auto& share : shares) shuffle(share, rng);
        const Sizes sizes[2] = {drawn_cut(shares[0].size(), rng), drawn_cut(shares[1].size(), rng)};
        std::thread racing([&] { deliver(other, shares[1], sizes[1]); });
        deliver(session, shares[0], sizes[0]);
        racing.join();
        delivered += shares[0].size() + shares[1].size();
        ASSERT_EQ(testing::books_of(session, run), expected(all)) << set.name << ", " << run;
    }
    expect_that_nothing_waits();
    expect_that_the_books_hold();
}

}  // namespace
}  // namespace pawl
