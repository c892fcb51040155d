// The movements of payments end in the same books, whatever the order and the number of their
// deliveries, and wherever an operator's correction or the answer of a payment API comes among
// them:
//
//                                       make test              make proof
//   five events, each subset twice      1,500 drawn            every order of each
//   seven, a drawn one of them twice    500 drawn              every order
//   8 to 20 drawn events                400                    10,000
//   five or six, with acts among them   300 drawn              every order, a drawn one twice
//
// Each set of money_sets. Orders are delivered in drawn cuts.
#include <gtest/gtest.h>

#include <cstdio>

#include "intents/accept/accept.hpp"
#include "intents/operator/transfer_acts.hpp"
#include "intents/verify/verify.hpp"
#include "tests/integration/order_runs.hpp"

namespace pawl {
namespace {

using namespace orders;
using providers::Action;

class MoneyOracle : public ::testing::Test {
  protected:
    ~MoneyOracle() override { std::printf("  %zu runs, %zu events delivered\n", runs, delivered); }

    void expect_the_end(SideBySide& side, const char* name) {
        EXPECT_EQ(side.ended_otherwise(), "") << name;
        runs += side.runs();
        delivered += side.events();
    }
    void expect_nothing_waits_and_the_books_hold() {
        EXPECT_EQ(database.value("SELECT string_agg(DISTINCT concat_ws(' ', status, split_part("
                                 "note, '/', 1)), ', ') FROM webhook_intents WHERE status <> "
                                 "'done'"),
                  "");
        database.run("ANALYZE");  // as the server's autovacuum does before a later query
        db::Session asking(db::for_reports(database.options()));
        for (const auto& one : intents::verify(asking)) {
            if (one.for_attention || one.breaches.empty()) continue;
            ADD_FAILURE() << one.name << ": " << one.breaches[0].subject << " "
                          << one.breaches[0].what;
        }
    }
    void add(SideBySide& side, const std::vector<Said>& order) {
        side.add(order, drawn_cut(order.size(), rng));
    }

    testing::TestDatabase database;
    db::Session session = committing(database);
    SeededRng rng{test_seed()};
    std::size_t runs = 0;
    std::size_t delivered = 0;
};

TEST_F(MoneyOracle, EveryDuplicationOfFiveEndsTheSameInEveryOrder) {
    for (const Set& set : money_sets) {
        SideBySide side(session, "five" + std::to_string(runs) + "of");
        const Set five = first_of(set, 5);
        if (all_orders()) {
            for (std::size_t bits = 0; bits < 32; ++bits) {
                each_arrangement(some_twice(five.events, bits),
                                 [&](const std::vector<Said>& order) { add(side, order); });
            }
        }
        for (int drawn = all_orders() ? 0 : 1500; drawn > 0; --drawn) {
            std::vector<Said> order = some_twice(five.events, rng.below(32));
            shuffle(order, rng);
            add(side, order);
        }
        expect_the_end(side, set.name);
    }
    expect_nothing_waits_and_the_books_hold();
}

TEST_F(MoneyOracle, SevenEndTheSameInEveryOrderWithOneOfThemTwice) {
    for (const Set& set : money_sets) {
        SideBySide side(session, "seven" + std::to_string(runs) + "of");
        const auto with_one_twice = [&](const std::vector<Said>& arranged) {
            std::vector<Said> order = arranged;
            const Said again = order[rng.below(order.size())];
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(rng.below(order.size() + 1)),
                         again);
            add(side, order);
        };
        if (all_orders()) each_arrangement(set.events, with_one_twice);
        for (int drawn = all_orders() ? 0 : 500; drawn > 0; --drawn) {
            std::vector<Said> order = set.events;
            shuffle(order, rng);
            with_one_twice(order);
        }
        expect_the_end(side, set.name);
    }
    expect_nothing_waits_and_the_books_hold();
}

TEST_F(MoneyOracle, DrawnPaymentsEndTheSame) {
    for (int drawn = all_orders() ? 10000 : 400; drawn > 0;) {
        SideBySide side(session, "drawn" + std::to_string(drawn) + "of");
        for (int some = 100; some > 0; --some, --drawn) {
            std::vector<Said> events = drawn_money(rng);
            if (rng.below(2) == 0) events.push_back(events[rng.below(events.size())]);
            shuffle(events, rng);
            add(side, events);
        }
        expect_the_end(side, "drawn");
    }
    expect_nothing_waits_and_the_books_hold();
}

// Deliveries with acts among them, one run at a time. An act is tried at its place, and again after
// each later delivery until it is possible, as an operator or a worker does.
class MoneyActs : public MoneyOracle {
  protected:
    // Every movement to another account, under the reference of the step's id.
    static Said correction(const std::string& effect) {
        Said said{.id = "correct", .effect = effect, .account = "y"};
        said.object = "correct";
        return said;
    }
    // The movement of an event, posted by the answer of a payment API.
    static Said answered(Said said) {
        said.id += "answer";
        said.object = "answer";
        return said;
    }
    static bool is_act(const Said& said) {
        return said.object == "correct" || said.object == "answer";
    }

    bool correct(const Said& said) {
        const std::string id =
            database.value("SELECT coalesce(min(id), 0) FROM transfers WHERE effect_key = 'demo/" +
                           said.effect + "'");
        if (id == "0") return false;
        const auto result = intents::apply_transfer_act(
            session,
            intents::CorrectTransfer{std::stoll(id), said.id, AccountId(said.account),
                                     std::nullopt},
            {"ana", "the wrong account"}, SystemClock().now());
        const auto* refused = std::get_if<intents::TransferActRefused>(&result);
        if (refused != nullptr) ADD_FAILURE() << refused->code << ": " << refused->message;
        return true;
    }
    bool answer(const Said& said) {
        const bool capture = said.needs.empty();
        ledger::Movement movement;
        movement.kind = capture ? ledger::Kind::credit : ledger::Kind::debit;
        if (capture) movement.account = AccountId(said.account);
        movement.amount = {said.amount, Currency::parse(said.currency).value()};
        movement.effect_key = EffectKey("demo/" + said.effect);
        ledger::Entry entry{"demo", {movement}, {}, {}};
        if (capture) entry.cause = ledger::ByPayment{said.id};
        if (!capture) entry.cause = ledger::ByRefund{said.id};
        for (const std::string& need : said.needs) entry.needs.emplace_back("demo/" + need);
        bool done = false;
        struct NotYet {};
        try {
            db::in_transaction(session, [&](db::Transaction& transaction) {
                const auto posted = intents::post_money(transaction, entry, CorrelationId("c"),
                                                        SystemClock().now());
                done = posted.outcome == ledger::Outcome::applied ||
                       posted.outcome == ledger::Outcome::duplicate_effect;
                if (!done) throw NotYet{};
            });
        } catch (const NotYet&) {
        }
        return done;
    }
    void run(const std::vector<Said>& steps, const std::string& name) {
        std::vector<Said> waiting;
        for (const Said& step : steps) {
            if (is_act(step)) {
                waiting.push_back(step);
            } else {
                testing::commit(session, {testing::deliver({testing::event(step)})});
            }
            std::erase_if(waiting, [&](const Said& act) {
                return act.object == "correct" ? correct(act) : answer(act);
            });
        }
        EXPECT_TRUE(waiting.empty()) << name;
        ++runs;
        delivered += steps.size();
    }
    // Returns the run's balances that are not zero, and the keys that events and answers posted.
    std::string ended(const std::string& name) {
        std::string dotted = name;
        std::replace(dotted.begin(), dotted.end(), ':', '.');
        return database.value(
            "SELECT (SELECT coalesce(string_agg(substr(account, " +
            std::to_string(name.size() + 1) +
            ") || ' ' || amount, ', ' ORDER BY account), '') FROM balances WHERE amount <> 0 AND "
            "starts_with(account, '" +
            name +
            "')) || '; ' || (SELECT string_agg(key || ' ' || amount, ', ' ORDER BY key) FROM "
            "(SELECT replace(substr(split_part(effect_key, '@', 1), 6), '" +
            dotted +
            "', '') AS key, sum(amount) AS amount FROM transfers WHERE entry_id IS NULL AND "
            "strpos(effect_key, '" +
            dotted + "') > 0 GROUP BY 1) AS posted)");
    }
    void every_order_ends(const std::vector<Said>& steps, const std::string& end) {
        const auto one_twice = [&](const std::vector<Said>& arranged) {
            const std::string name = "act" + std::to_string(runs) + ":";
            std::vector<Said> order = arranged;
            order.push_back(order[rng.below(order.size())]);
            run(all_in_run(order, name), name);
            ASSERT_EQ(ended(name), end) << shown(order, Sizes(order.size(), 1));
        };
        if (all_orders()) return each_arrangement(steps, one_twice);
        for (int drawn = 300; drawn > 0 && !HasFatalFailure(); --drawn) {
            std::vector<Said> order = steps;
            shuffle(order, rng);
            one_twice(order);
        }
    }
};

Said of(const std::string& id, const std::string& effect, std::int64_t amount,
        const std::string& need = "", Action action = Action::debit) {
    Said said{.id = id, .effect = effect, .account = "x", .amount = amount};
    if (need.empty()) return said;
    said.action = action;
    said.needs = {need};
    said.account_of_need = true;
    return said;
}

TEST_F(MoneyActs, ACorrectionOfTheAccountTakesThePaymentWithItAtAnyPlace) {
    every_order_ends(
        {of("1", "capture/p:a", 60), of("2", "capture/p:b", 40),
         of("3", "refund/1", 30, "capture/p"), of("4", "dispute/d:1", 20, "capture/p:b"),
         of("5", "dispute/d:2", 20, "dispute/d:1", Action::credit), correction("capture/p:a")},
        "y 70; capture/p:a 60, capture/p:b 40, dispute/d:1 20, dispute/d:2 20, "
        "refund/1 30");
}

TEST_F(MoneyActs, AnswersAndEventsOfOneMovementPostItOnceAtAnyPlace) {
    const Said capture = of("1", "capture/p", 100), refund = of("2", "refund/1", 30, "capture/p");
    every_order_ends({capture, answered(capture), refund, answered(refund),
                      of("3", "refund/2", 20, "capture/p"), correction("capture/p")},
                     "y 50; capture/p 100, refund/1 30, refund/2 20");
}

}  // namespace
}  // namespace pawl
