// Random mixture of all kinds of events: held streams with gaps, refunds before captures, totals,
// late_ok events that keep a place, twins of one effect, redeliveries. Delivered in any order, cut
// into batches, by one server or by two that race. The end is compared with a model without locks,
// batches or order. PAWL_TEST_SEED repeats a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/rng.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using providers::Action;
using providers::OrderingPolicy;
using testing::Books;
using testing::Said;

bool in_its_place(const Said& said) {
    return said.order == OrderingPolicy::hold || said.dense;
}

// An event is done when its needs are done and, if it is held, all numbers before it are. The model
// repeats this rule until no further event is done.
struct Model {
    explicit Model(const std::vector<Said>& all) : events(all), done(all.size(), false) {
        while (one_more()) {
        }
        count();
    }

    bool one_more() {
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (done[i] || !may(events[i])) continue;
            done[i] = true;
            effects.insert(events[i].effect);
            return true;
        }
        return false;
    }
    bool may(const Said& said) const {
        const auto met = [&](const std::string& need) { return effects.contains(need); };
        if (!std::all_of(said.needs.begin(), said.needs.end(), met)) return false;
        if (said.order != OrderingPolicy::hold) return true;
        for (std::int64_t number = 1; number < *said.sequence; ++number) {
            if (!number_is_done(said.account, number)) return false;
        }
        return true;
    }
    bool number_is_done(const std::string& account, std::int64_t number) const {
        for (std::size_t i = 0; i < events.size(); ++i) {
            const bool it = in_its_place(events[i]) && events[i].account == account &&
                            events[i].sequence == number;
            if (it) return done[i];
        }
        return false;  // it never comes
    }
    // Held, and so in the order in which they were made: of a total only what is new in it moves.
    void count() {
        std::set<std::string> posted;
        std::map<std::string, std::int64_t> totals, sums;
        for (std::size_t i = 0; i < events.size(); ++i) {
            const Said& said = events[i];
            if (!done[i] || (!said.total && !posted.insert(said.effect).second)) continue;
            std::int64_t amount = said.amount;
            if (said.total) amount -= std::exchange(totals[said.effect], said.amount);
            if (amount == 0) continue;  // not even a balance of zero
            if (said.total) {
                sums[said.account + " " + said.effect] += amount;
                books.balances[said.account + " USD"] += amount;
                continue;
            }
            const bool debit = said.action == Action::debit;
            books.balances[said.account + " USD"] += debit ? -amount : amount;
            const std::string other = "demo:clearing";
            books.effects.insert("demo/" + said.effect + " " + (debit ? said.account : other) +
                                 " " + (debit ? other : said.account) + " USD " +
                                 std::to_string(amount));
        }
        for (const auto& [name, sum] : sums) {
            const std::size_t space = name.find(' ');
            books.effects.insert("demo/" + name.substr(space + 1) + "@ demo:clearing " +
                                 name.substr(0, space) + " USD " + std::to_string(sum));
        }
    }
    std::int64_t waiting() const { return std::count(done.begin(), done.end(), false); }

    std::vector<Said> events;
    std::vector<bool> done;
    std::set<std::string> effects;
    Books books;
};

// Events in an order in which each could be done at once.
class Draw {
  public:
    Draw(Rng& rng, std::string run)
        : rng_(rng), run_(std::move(run)), name_(run_.substr(0, run_.size() - 1)) {}

    std::vector<Said> events(int count) {
        for (int i = 0; i < count; ++i) add(i);
        return std::move(all_);
    }

  private:
    void add(int i) {
        const std::string account = run_ + "u" + std::to_string(rng_.below(3));
        Said said{.id = run_ + std::to_string(i),
                  .effect = name_ + "e" + std::to_string(i),
                  .account = account,
                  .amount = static_cast<std::int64_t>(1 + rng_.below(500))};
        said.order = rng_.below(2) == 0 ? OrderingPolicy::hold : OrderingPolicy::late_ok;
        said.dense = said.order != OrderingPolicy::hold && rng_.below(2) == 0;
        const auto kind = rng_.below(6);
        if (kind == 0) make_total(said);
        if (kind == 1 && !all_.empty()) make_refund(said);
        if (kind == 2 && !all_.empty()) make_twin(said);
        if (in_its_place(said)) said.sequence = ++numbers_[said.account];
        all_.push_back(said);
    }
    void make_total(Said& said) {
        said.order = OrderingPolicy::hold;
        said.dense = false;
        said.total = true;
        said.effect = name_ + "total" + said.account.substr(run_.size());
        said.amount = totals_[said.account] += static_cast<std::int64_t>(rng_.below(3) * 50);
    }
    void make_refund(Said& said) {
        said.action = Action::debit;
        for (std::uint64_t n = 0; n <= rng_.below(2); ++n) {
            said.needs.push_back(all_[rng_.below(all_.size())].effect);
        }
        // A total that brought nothing new has posted nothing that could be waited for.
        for (const Said& one : all_) {
            if (one.total) std::erase(said.needs, one.effect);
        }
    }
    void make_twin(Said& said) {
        const Said& first = all_[rng_.below(all_.size())];
        if (first.total) return;
        const std::string id = said.id;
        said = first;
        said.id = id;
    }

    Rng& rng_;
    std::string run_;
    std::string name_;  // of the run, within an effect key
    std::vector<Said> all_;
    std::map<std::string, std::int64_t> numbers_;
    std::map<std::string, std::int64_t> totals_;
};

void shuffle(std::vector<Said>& all, Rng& rng) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[rng.below(i)]);
}

class MixedOrder : public ::testing::Test {
  protected:
    MixedOrder() {
        const char* given = std::getenv("PAWL_TEST_SEED");
        seed = given == nullptr ? SecureRng().next() : std::strtoull(given, nullptr, 10);
        db::Statement::run_script(session, "SET synchronous_commit = off");
    }
    ~MixedOrder() override {
        db::Session patient = database.owner();
        EXPECT_TRUE(intents::holds(intents::verify(patient)));
    }
    static void deliver(db::Session& session, const std::vector<Said>& order,
                        const std::vector<std::size_t>& sizes) {
        std::size_t at = 0;
        for (std::size_t cut = 0; at < order.size(); ++cut) {
            std::vector<intents::Submission> batch;
            for (std::size_t i = 0; i < sizes[cut % sizes.size()] && at < order.size(); ++i) {
                batch.push_back(testing::deliver({testing::event(order[at++])}));
            }
            testing::commit(session, batch);
        }
    }
    // Some never come: their streams stay held up behind them, and so do their dependents.
    std::vector<Said> draw(Rng& rng, const std::string& run) {
        std::vector<Said> events = Draw(rng, run).events(24);
        for (std::uint64_t missing = rng.below(3); missing > 0; --missing) {
            events.erase(events.begin() + static_cast<std::ptrdiff_t>(rng.below(events.size())));
        }
        return events;
    }
    void expect_end(const std::vector<Said>& events, const std::string& run) {
        const Model model(events);
        EXPECT_EQ(testing::books_of(session, run), model.books);
        EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents WHERE status <> 'done' AND "
                                 "starts_with(event_id, '" +
                                 run + "')"),
                  std::to_string(model.waiting()));
        waiting += model.waiting();
    }

    std::uint64_t seed = 0;
    std::int64_t waiting = 0;
    testing::TestDatabase database;
    db::Session session = database.session();
};

TEST_F(MixedOrder, EveryOrderAndCutEndsAsTheModelSays) {
    SCOPED_TRACE("PAWL_TEST_SEED=" + std::to_string(seed));
    SeededRng rng(seed);
    for (int round = 0; round < 60 && !HasFailure(); ++round) {
        const std::string run = "m" + std::to_string(round) + ":";
        SCOPED_TRACE(run);
        const std::vector<Said> events = draw(rng, run);
        std::vector<Said> all = events;
        for (const Said& said : events) all.insert(all.end(), rng.below(3), said);
        shuffle(all, rng);
        deliver(session, all, {1 + rng.below(4), 1 + rng.below(40), 1});
        expect_end(events, run);
    }
    EXPECT_GT(waiting, 20) << "no gap stays open: the draw is too tame";
}

TEST_F(MixedOrder, TwoServersThatRaceEndAsTheModelSays) {
    SCOPED_TRACE("PAWL_TEST_SEED=" + std::to_string(seed));
    SeededRng rng(seed);
    db::Session other = database.session();
    db::Statement::run_script(other, "SET synchronous_commit = off");
    for (int round = 0; round < 60 && !HasFailure(); ++round) {
        const std::string run = "t" + std::to_string(round) + ":";
        SCOPED_TRACE(run);
        const std::vector<Said> events = draw(rng, run);
        std::vector<Said> shares[2];
        for (const Said& said : events) {
            const auto who = rng.below(3);  // one, the other, or both
            if (who != 1) shares[0].push_back(said);
            if (who != 0) shares[1].push_back(said);
        }
        for (auto& share : shares) shuffle(share, rng);
        const std::vector<std::size_t> cuts = {1 + rng.below(5), 1, 1 + rng.below(8)};
        std::thread racing([&] { deliver(other, shares[1], cuts); });
        deliver(session, shares[0], {1, 2, 6});
        racing.join();
        expect_end(events, run);
    }
}

}  // namespace
}  // namespace pawl
