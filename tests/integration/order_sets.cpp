#include "tests/integration/order_sets.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace pawl::orders {

using providers::Action;
using providers::OrderingPolicy;

namespace {

Said from_first(const char* id, const char* effect, const char* account, std::int64_t sequence) {
    return {.id = id,
            .effect = effect,
            .account = account,
            .amount = sequence,
            .sequence = sequence,
            .order = OrderingPolicy::hold,
            .from_first = true};
}

Said captured(const char* id, const char* effect, std::int64_t amount) {
    return {.id = id, .effect = effect, .account = "x", .amount = amount};
}

Said captured_so_far(const char* id, std::int64_t total, std::int64_t sequence) {
    Said said = captured(id, "capture/t", total);
    said.sequence = sequence;
    said.total = true;
    return said;
}

// From the account that holds the payment, which the event does not name.
Said refunded(const char* id, const char* effect, const char* need, std::int64_t amount,
              std::optional<std::int64_t> at = {}) {
    Said said = captured(id, effect, amount);
    said.action = Action::debit;
    said.needs = {need};
    said.account_of_need = true;
    said.at = at;
    return said;
}

Said bounced(const char* id, std::int64_t at) {
    Said said = refunded(id, "refund_failed/r", "refund/r", 30, at);
    said.action = Action::credit;
    said.ignore_unmet = true;
    return said;
}

Said given_back(const char* id, const char* effect, std::int64_t amount) {
    Said said = refunded(id, effect, "capture/p", amount);
    said.action = Action::credit;
    return said;
}

// A number that came with two effects is passed with the first of them.
bool is_alone_with_its_number(const Said& said, const std::vector<Said>& events) {
    return std::none_of(events.begin(), events.end(), [&](const Said& other) {
        return other.account == said.account && other.sequence == said.sequence &&
               other.effect != said.effect;
    });
}

}  // namespace

const std::vector<Set> sets = {
    {"credits",
     {{"1", "a", "x", 5, "USD", 1},
      {"2", "b", "x", 7, "USD", 2},
      {"3", "c", "x", 9, "USD", 3},
      {"4", "d", "y", 1, "USD", 1},
      {"5", "e", "y", 2, "EUR", 9},
      {"6", "f", "y", 4, "USD"}}},
    {"credits and debits",
     {{"1", "a", "x", 5, "USD", 4},
      {"2", "b", "x", 7, "USD", 3, Action::debit},
      {"3", "c", "x", 9, "USD", 2},
      {"4", "d", "x", 2, "USD", 1, Action::debit},
      {"5", "e", "y", 3},
      {"6", "f", "y", 8, "USD", 1, Action::debit}}},
    {"duplicates and shared effects",
     {{"1", "a", "x", 5, "USD", 1},
      {"1", "a", "x", 5, "USD", 1},
      {"2", "a", "x", 5, "USD", 2},
      {"3", "b", "x", 7, "USD", 3},
      {"4", "b", "x", 7, "USD", 3},
      {"5", "b", "x", 7, "USD"}}},
    {"refunds before captures",
     {{.id = "1", .effect = "c1", .account = "x", .amount = 50},
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
       .needs = {"c2", "c1"}},
      {.id = "6",
       .effect = "r4",
       .account = "x",
       .amount = 3,
       .action = Action::debit,
       .needs = {"r3", "r2"}}}},
    // The third is a twin with a number of its own; the fifth came under the number of the fourth.
    {"held with gaps filled",
     {{.id = "1",
       .effect = "a",
       .account = "x",
       .amount = 1,
       .sequence = 1,
       .order = OrderingPolicy::hold},
      {.id = "2",
       .effect = "b",
       .account = "x",
       .amount = 2,
       .sequence = 2,
       .order = OrderingPolicy::hold},
      {.id = "3",
       .effect = "b",
       .account = "x",
       .amount = 2,
       .sequence = 3,
       .order = OrderingPolicy::hold},
      {.id = "4",
       .effect = "d",
       .account = "x",
       .amount = 8,
       .sequence = 4,
       .action = Action::debit,
       .order = OrderingPolicy::hold},
      {.id = "5",
       .effect = "f",
       .account = "x",
       .amount = 32,
       .sequence = 4,
       .order = OrderingPolicy::hold},
      {.id = "6",
       .effect = "e",
       .account = "x",
       .amount = 16,
       .sequence = 5,
       .order = OrderingPolicy::hold}}},
    {"held from whatever comes first",
     {from_first("1", "a", "x", 5), from_first("2", "b", "x", 6), from_first("3", "c", "x", 7),
      from_first("4", "d", "y", 3), from_first("5", "e", "x", 8), from_first("6", "f", "y", 4)}},
    {"held and late_ok mixed, with needs",
     {{.id = "1",
       .effect = "a",
       .account = "x",
       .amount = 1,
       .sequence = 1,
       .order = OrderingPolicy::hold},
      {.id = "2", .effect = "b", .account = "x", .amount = 2, .sequence = 2, .dense = true},
      {.id = "3",
       .effect = "c",
       .account = "x",
       .amount = 4,
       .sequence = 3,
       .order = OrderingPolicy::hold},
      {.id = "4", .effect = "z", .account = "y", .amount = 9},
      {.id = "5",
       .effect = "r",
       .account = "x",
       .amount = 3,
       .sequence = 4,
       .action = Action::debit,
       .needs = {"c", "z"},
       .order = OrderingPolicy::hold},
      {.id = "6",
       .effect = "e",
       .account = "x",
       .amount = 16,
       .sequence = 5,
       .order = OrderingPolicy::hold}},
     true},
    {"several captures of a payment, refunds and a dispute",
     {captured("1", "capture/p:a", 60), captured("2", "capture/p:b", 40),
      refunded("3", "refund/1", "capture/p", 30), refunded("4", "dispute/d:1", "capture/p:b", 20),
      given_back("5", "dispute/d:2", 20), refunded("6", "fee/1", "dispute/d", 5)}},
    {"running totals, refunds and their total",
     {captured_so_far("1", 60, 1), captured_so_far("2", 100, 2), captured_so_far("3", 100, 3),
      refunded("4", "refund/1", "capture/t", 30), captured_so_far("5", 140, 4),
      refunded("6", "refund/2", "refund/1", 10)}},
    {"a refund that bounces, succeeds again and bounces again",
     {captured("1", "capture/p", 100), refunded("2", "refund/r", "capture/p", 30, 1),
      bounced("3", 2), refunded("4", "refund/r", "capture/p", 30, 3), bounced("5", 4),
      refunded("6", "refund/r", "capture/p", 30, 2)}},
    {"a bounce of what succeeds only later",
     {captured("1", "capture/p", 100), bounced("2", 1),
      refunded("3", "refund/r", "capture/p", 30, 5), bounced("4", 4), bounced("5", 8),
      refunded("6", "refund/r", "capture/p", 30, 3)}},
};

const Set conflicts = {"conflicts of ids and of effects",
                       {{"1", "a", "x", 5},
                        {"2", "a", "x", 6},
                        {"1", "b", "x", 7},
                        {"3", "a", "z", 5},
                        {"4", "b", "x", 7, "USD", std::nullopt, Action::debit},
                        {"4", "b", "x", 7, "EUR"}}};

Set first_of(const Set& set, std::size_t count) {
    return {set.name,
            {set.events.begin(), set.events.begin() + static_cast<std::ptrdiff_t>(count)}};
}

std::vector<Said> all_in_run(const std::vector<Said>& events, const std::string& run) {
    std::vector<Said> all;
    for (const Said& said : events) all.push_back(in_run(said, run));
    return all;
}

namespace {

void move(const Said& said, const std::string& key, std::int64_t amount, Books& books) {
    const bool debit = said.action == Action::debit;
    books.balances[said.account + " " + said.currency] += debit ? -amount : amount;
    const std::string clearing = "demo:clearing";
    books.effects.insert("demo/" + key + " " + (debit ? said.account : clearing) + " " +
                         (debit ? clearing : said.account) + " " + said.currency + " " +
                         std::to_string(amount));
}

// By time a movement and its return alternate; what is reported of one kind in between is the same.
void move_and_return(std::vector<Said> reports, Books& books) {
    std::sort(reports.begin(), reports.end(), [](const Said& a, const Said& b) {
        return std::pair(a.at, a.ignore_unmet) < std::pair(b.at, b.ignore_unmet);
    });
    std::map<std::string, int> times;
    bool out = false;
    for (const Said& said : reports) {
        if (said.ignore_unmet != out) continue;
        out = !out;
        const int n = ++times[said.effect];
        move(said, n == 1 ? said.effect : said.effect + "#" + std::to_string(n), said.amount,
             books);
    }
}

}  // namespace

Books expected(const std::vector<Said>& in_order) {
    Books books;
    std::set<std::string> ids;
    std::set<std::string> effects;
    std::map<std::string, Said> totals;
    std::map<std::string, std::vector<Said>> timed;  // by refund: what its effect ends with
    for (const Said& said : in_order) {
        if (!ids.insert(said.id).second) continue;
        if (said.at) {
            timed[said.effect.substr(said.effect.find('/'))].push_back(said);
        } else if (said.total) {
            const Said& known = totals.emplace(said.effect, said).first->second;
            if (known.amount < said.amount) totals[said.effect] = said;
        } else if (effects.insert(said.effect).second) {
            move(said, said.effect, said.amount, books);
        }
    }
    for (const auto& [effect, said] : totals) move(said, effect + "@", said.amount, books);
    for (const auto& [refund, reports] : timed) move_and_return(reports, books);
    return books;
}

std::vector<Before> expected_order(const std::vector<Said>& events) {
    std::vector<Before> pairs;
    for (const Said& then : events) {
        for (const std::string& need : then.needs) pairs.push_back({need, then.effect});
        if (then.order != OrderingPolicy::hold || then.from_first) continue;
        for (const Said& first : events) {
            const bool counts = (first.order == OrderingPolicy::hold || first.dense) &&
                                is_alone_with_its_number(first, events);
            const bool ahead = counts && first.account == then.account &&
                               first.sequence < then.sequence && first.effect != then.effect;
            if (ahead) pairs.push_back({first.effect, then.effect});
        }
    }
    return pairs;
}

std::vector<Verdict> expected_verdicts(const std::vector<Said>& in_order) {
    std::vector<Verdict> verdicts;
    for (std::size_t i = 0; i < in_order.size(); ++i) {
        const Said& said = in_order[i];
        const auto before = in_order.begin() + static_cast<std::ptrdiff_t>(i);
        const auto same_bytes = std::find(in_order.begin(), before, said);
        if (same_bytes != before) {
            verdicts.push_back(verdicts[static_cast<std::size_t>(same_bytes - in_order.begin())]);
            verdicts.back().duplicate = true;
            continue;
        }
        const bool id_taken = std::any_of(in_order.begin(), before,
                                          [&](const Said& one) { return one.id == said.id; });
        const Said* poster = nullptr;
        for (std::size_t j = 0; j < i; ++j) {
            if (in_order[j].effect != said.effect || verdicts[j].outcome != "applied") continue;
            poster = &in_order[j];
            break;
        }
        if (id_taken) {
            verdicts.push_back({"quarantined", "id_conflict"});
        } else if (poster == nullptr) {
            verdicts.push_back({"applied", ""});
        } else {
            Said twin = *poster;
            twin.id = said.id;
            verdicts.push_back(twin == said ? Verdict{"duplicate_effect", ""}
                                            : Verdict{"quarantined", "effect_conflict"});
        }
    }
    return verdicts;
}

void each_arrangement(const std::vector<Said>& events,
                      const std::function<void(const std::vector<Said>&)>& visit) {
    std::vector<std::size_t> order;
    for (const Said& said : events) {
        const auto first = std::find(events.begin(), events.end(), said);
        order.push_back(static_cast<std::size_t>(first - events.begin()));
    }
    std::sort(order.begin(), order.end());
    do {
        std::vector<Said> arranged;
        for (const std::size_t i : order) arranged.push_back(events[i]);
        visit(arranged);
    } while (std::next_permutation(order.begin(), order.end()));
}

std::vector<Said> some_twice(const std::vector<Said>& events, std::size_t bits) {
    std::vector<Said> all = events;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if ((bits >> i & 1U) != 0) all.push_back(events[i]);
    }
    return all;
}

std::size_t ways_to_cut(std::size_t count) {
    return std::size_t{1} << (count - 1);
}

Sizes cut(std::size_t count, std::size_t way) {
    Sizes sizes{1};
    for (std::size_t i = 0; i + 1 < count; ++i) {
        if ((way >> i & 1U) != 0) {
            sizes.push_back(1);
        } else {
            ++sizes.back();
        }
    }
    return sizes;
}

}  // namespace pawl::orders
