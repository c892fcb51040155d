// Sets of events whose end must not depend on the order or the number of their deliveries, and
// what that end is. Plain values and functions; made apart from the tests that deliver them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "tests/support/events.hpp"

namespace pawl::orders {

using testing::Books;
using testing::Said;

struct Set {
    const char* name;
    std::vector<Said> events;
    bool every_cut = false;  // where most depends on them
};

// Six events each. The first four of each are a set by themselves: nothing in them waits for one
// of the others.
extern const std::vector<Set> sets;

// The movements of one payment, seven events each: captures, totals, refunds of each cause,
// disputes with their fees, bounces. The first five of each are a set by themselves.
extern const std::vector<Set> money_sets;
// Eight to twenty events of one to three payments, each of a drawn kind. Each event's needs are
// among them.
std::vector<Said> drawn_money(Rng& rng);

// Ids that come with two contents, and effects with two amounts, accounts, currencies and
// directions. The first one wins, so the end is a function of the order.
extern const Set conflicts;

Set first_of(const Set& set, std::size_t count);

std::vector<Said> all_in_run(const std::vector<Said>& events, const std::string& run);

// Returns the required end, computed by the simplest rule: the first event to claim an id
// and then an effect decides it. Only where contents conflict does it depend on the
// order.
Books expected(const std::vector<Said>& in_order);

// Pairs of effects with a required order of posting, whatever the order of the deliveries: a need
// before its dependent, and all lower numbers before a held one, if the stream has a known start.
// Amounts add up to the same without it, so the end alone would not show a fault.
struct Before {
    std::string first, then;  // effects
};
std::vector<Before> expected_order(const std::vector<Said>& events);

// The answer to each event, in this order, in a set without parked events.
struct Verdict {
    std::string outcome;
    std::string note;  // of what is quarantined
    bool duplicate = false;
    bool operator==(const Verdict&) const = default;
};
std::vector<Verdict> expected_verdicts(const std::vector<Said>& in_order);

// Every order in which these events can come; two equal ones are not told apart.
void each_arrangement(const std::vector<Said>& events,
                      const std::function<void(const std::vector<Said>&)>& visit);

// The events, and once more those whose bit is set.
std::vector<Said> some_twice(const std::vector<Said>& events, std::size_t bits);

// The sizes of batches: each of the 2^(count-1) ways to cut `count` events has a number.
using Sizes = std::vector<std::size_t>;
std::size_t ways_to_cut(std::size_t count);
Sizes cut(std::size_t count, std::size_t way);

}  // namespace pawl::orders
