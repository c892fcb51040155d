#include "tests/integration/order_runs.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "ledger/outcome.hpp"

namespace pawl::orders {
namespace {

// Events in one commit: many enough to save the round trips, few enough for PostgreSQL's table of
// locks.
constexpr std::size_t events_at_once = 600;
constexpr std::size_t shown_max = 5;

Verdict verdict_of(const intents::EventResult& answer) {
    const bool quarantined = answer.outcome == ledger::Outcome::quarantined;
    return {std::string(ledger::to_text(answer.outcome)), quarantined ? answer.note : "",
            answer.duplicate};
}

// Returns a line's run: a key of the books holds its number between the test's name and a colon.
std::size_t run_of(const std::string& line, const std::string& name) {
    return std::strtoul(line.c_str() + line.find(name) + name.size(), nullptr, 10);
}

template <class Lines, class Text>
void add_differences(const Lines& a, const Lines& b, const Text& text,
                     std::map<std::size_t, std::string>& runs, const std::string& name) {
    Lines only;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(only, only.end()));
    for (const auto& line : only) runs[run_of(text(line), name)] += "\n    " + text(line);
}

std::map<std::size_t, std::string> differences(const Books& a, const Books& b,
                                               const std::string& name) {
    std::map<std::size_t, std::string> runs;
    const auto balance = [](const auto& line) {
        return line.first + " " + std::to_string(line.second);
    };
    const auto effect = [](const std::string& line) { return line; };
    add_differences(a.balances, b.balances, balance, runs, name);
    add_differences(a.effects, b.effects, effect, runs, name);
    return runs;
}

}  // namespace

std::uint64_t test_seed() {
    const char* given = std::getenv("PAWL_TEST_SEED");
    const auto seed = given ? std::strtoull(given, nullptr, 10) : SecureRng().next();
    std::printf("  PAWL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

bool all_orders() {
    return std::getenv("PAWL_TEST_ALL_ORDERS") != nullptr;
}

void shuffle(std::vector<Said>& events, Rng& rng) {
    for (std::size_t i = events.size(); i > 1; --i) std::swap(events[i - 1], events[rng.below(i)]);
}

Sizes drawn_cut(std::size_t count, Rng& rng) {
    Sizes sizes(count == 0 ? 0 : 1, 1);
    for (std::size_t i = 1; i < count; ++i) {
        if (rng.below(2) == 0) {
            ++sizes.back();
        } else {
            sizes.push_back(1);
        }
    }
    return sizes;
}

db::Session committing(const testing::TestDatabase& database) {
    db::SessionOptions options = database.options();
    db::Session session(options);
    db::Statement::run_script(session, "SET synchronous_commit = off");
    return session;
}

std::string shown(const std::vector<Said>& order, const Sizes& sizes) {
    std::string text;
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
        if (!text.empty()) text += "| ";
        for (std::size_t i = 0; i < size; ++i, ++at) text += order[at].id + order[at].effect + " ";
    }
    return text;
}

void SideBySide::add(const std::vector<Said>& arranged, Sizes sizes) {
    const std::string run = name_ + std::to_string(++runs_) + ":";
    Run added{all_in_run(arranged, run), std::move(sizes)};
    Books end = expected(added.order);
    expected_.balances.merge(end.balances);
    expected_.effects.merge(end.effects);
    const auto pairs = expected_order(added.order);
    expected_order_.insert(expected_order_.end(), pairs.begin(), pairs.end());
    events_ += arranged.size();
    const std::size_t most = *std::max_element(added.sizes.begin(), added.sizes.end());
    shown_.push_back(shown(arranged, added.sizes));
    waiting_.push_back(std::move(added));
    if (waiting_.size() * most >= events_at_once) deliver();
}

void SideBySide::deliver() {
    while (deliver_next_batches()) {
    }
    if (check_answers_) {
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            judge_answers(waiting_[i], runs_ - waiting_.size() + i);
        }
    }
    waiting_.clear();
}

// The first event of each run's batch, then the second of each: runs alternate, too.
bool SideBySide::deliver_next_batches() {
    std::vector<intents::Submission> batch;
    std::vector<Run*> whose;
    bool more = true;
    for (std::size_t i = 0; more; ++i) {
        more = false;
        for (Run& run : waiting_) {
            if (run.at == run.order.size() || i >= run.sizes[run.batch]) continue;
            batch.push_back(testing::deliver({testing::event(run.order[run.at + i])}));
            whose.push_back(&run);
            more = true;
        }
    }
    if (batch.empty()) return false;
    const auto answers = testing::commit(session_, batch, *filters_());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        whose[i]->verdicts.push_back(verdict_of(answers[i].at(0)));
    }
    for (Run& run : waiting_) {
        if (run.at < run.order.size()) run.at += run.sizes[run.batch++];
    }
    return true;
}

void SideBySide::judge_answers(const Run& run, std::size_t number) {
    if (run.verdicts == expected_verdicts(run.order)) return;
    std::string text = "answers of " + shown_[number] + ":";
    for (const Verdict& verdict : run.verdicts) {
        text += " " + verdict.outcome + " " + verdict.note + (verdict.duplicate ? " again;" : ";");
    }
    wrong_answers_.push_back(std::move(text));
}

std::string SideBySide::ended_otherwise() {
    deliver();
    const Books books = testing::books_of(session_, name_);
    std::string text;
    const auto list = [&](const char* what, const std::map<std::size_t, std::string>& runs) {
        std::size_t count = 0;
        for (const auto& [run, lines] : runs) {
            if (++count > shown_max) break;
            text += "\n  " + shown_.at(run - 1) + what + lines;
        }
        if (runs.size() > shown_max) text += "\n  " + std::to_string(runs.size()) + " in all";
    };
    list("misses", differences(expected_, books, name_));
    list("has too much", differences(books, expected_, name_));
    for (std::size_t i = 0; i < std::min(shown_max, wrong_answers_.size()); ++i) {
        text += "\n  " + wrong_answers_[i];
    }
    return text + posted_out_of_order();
}

std::string SideBySide::posted_out_of_order() {
    if (expected_order_.empty()) return "";
    const std::string journal =
        "SELECT effect_key FROM transfers WHERE starts_with(effect_key, 'demo/" + name_ +
        "') ORDER BY id";
    const std::string named = "test_journal " + name_;
    std::map<std::string, std::size_t> place;
    for (const auto& row : db::Statement::run(session_, db::Query{named, journal}).named()) {
        place.emplace(row.at("effect_key").substr(5), place.size());
    }
    std::string text;
    std::size_t count = 0;
    for (const auto& [first, then] : expected_order_) {
        const auto one = place.find(first);
        const auto other = place.find(then);
        if (one == place.end() || other == place.end()) continue;  // the end's comparison fails
        if (one->second < other->second || ++count > shown_max) continue;
        text +=
            "\n  " + shown_.at(run_of(first, name_) - 1) + "posted " + then + " before " + first;
    }
    return text;
}

}  // namespace pawl::orders
