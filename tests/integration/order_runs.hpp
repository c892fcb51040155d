// Delivers many runs side by side: batch number k of each in one commit. Runs share no account, id
// or effect, so one says nothing about another, and each keeps its own order and its own cuts.
// Thousands of runs take as many commits as one, and that is what makes trying them all affordable.
// For one thread; the session must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "tests/integration/order_sets.hpp"
#include "tests/support/database.hpp"

namespace pawl::orders {

// PAWL_TEST_SEED repeats a run; a new one is drawn, and shown: a run that is killed shows it, too.
std::uint64_t test_seed();
// Whether every order is asked for (PAWL_TEST_ALL_ORDERS), as `make proof` does, and not a sample.
bool all_orders();
void shuffle(std::vector<Said>& events, Rng& rng);
// Any cut of any length, each as likely as the others.
Sizes drawn_cut(std::size_t count, Rng& rng);
// As a committer's, but for durability: that is not what is looked at here, and there are
// thousands of commits.
db::Session committing(const testing::TestDatabase& database);

// "1a 3c | 2b": ids and effects in their order, and between which batches were cut.
std::string shown(const std::vector<Said>& order, const Sizes& sizes);

class SideBySide {
  public:
    // Two with different names do not meet in one database.
    SideBySide(db::Session& session, std::string name)
        : session_(session), name_(std::move(name) + "-") {}

    void add(const std::vector<Said>& arranged, Sizes sizes);
    void deliver();  // what has been added and not been delivered
    // Of all so far: empty, or which runs ended otherwise, or did not come there in order.
    std::string ended_otherwise();
    // Called before each commit, and answers with the filters that it is made with.
    using Filters = std::function<std::shared_ptr<const intents::KnownSegments>()>;
    void before_each_commit(Filters filters) { filters_ = std::move(filters); }
    // Makes it compare each event's answer, too; for sets in which no event is parked.
    void check_answers() { check_answers_ = true; }
    std::size_t runs() const { return runs_; }
    std::size_t events() const { return events_; }

  private:
    struct Run {
        std::vector<Said> order;  // with the run's own names
        Sizes sizes;
        std::size_t at = 0;
        std::size_t batch = 0;
        std::vector<Verdict> verdicts;
    };
    bool deliver_next_batches();
    void judge_answers(const Run& run, std::size_t number);
    std::string posted_out_of_order();

    db::Session& session_;
    const std::string name_;
    std::vector<Run> waiting_;
    Books expected_;
    std::vector<Before> expected_order_;
    std::size_t runs_ = 0;
    std::size_t events_ = 0;
    std::vector<std::string> shown_;  // of each run, how it was delivered
    std::vector<std::string> wrong_answers_;
    bool check_answers_ = false;
    Filters filters_ = [] { return std::make_shared<const intents::KnownSegments>(); };
};

}  // namespace pawl::orders
