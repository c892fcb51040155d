// The sets of order_sets.hpp that are payments, and drawn ones.
#include <algorithm>

#include "tests/integration/order_sets.hpp"

namespace pawl::orders {
namespace {

using providers::Action;

Said captured(const std::string& id, const std::string& effect, std::int64_t amount) {
    return {.id = id, .effect = effect, .account = "x", .amount = amount};
}

// The event of a movement that needs another: from the account that holds it, or back to it.
Said needing(const std::string& id, const std::string& effect, const std::string& need,
             std::int64_t amount, Action action) {
    Said said = captured(id, effect, amount);
    said.action = action;
    said.needs = {need};
    said.account_of_need = true;
    return said;
}

Said taken(const std::string& id, const std::string& effect, const std::string& need,
           std::int64_t amount) {
    return needing(id, effect, need, amount, Action::debit);
}

Said given_back(const std::string& id, const std::string& effect, const std::string& need,
                std::int64_t amount) {
    return needing(id, effect, need, amount, Action::credit);
}

Said so_far(Said said, std::int64_t sequence) {
    said.sequence = sequence;
    said.total = true;
    return said;
}

Said at_time(Said said, std::int64_t at, bool ignore_unmet) {
    said.at = at;
    said.ignore_unmet = ignore_unmet;
    return said;
}

Said succeeded(const std::string& id, const std::string& payment, std::int64_t at) {
    return at_time(taken(id, "refund/" + payment, "capture/" + payment, 30), at, false);
}

Said bounced(const std::string& id, const std::string& payment, std::int64_t at) {
    const std::string refund = "refund/" + payment;
    return at_time(given_back(id, "refund_failed/" + payment, refund, 30), at, true);
}

// Adds events under drawn ids; the same movement may be reported by two of them.
class Drawn {
  public:
    explicit Drawn(Rng& rng) : rng_(rng) {}

    void add_payment() {
        const std::string name = std::string(1, static_cast<char>('p' + payments_++));
        switch (rng_.below(3)) {
            case 0:
                return add_ids(name);
            case 1:
                return add_totals(name);
            default:
                return add_bounces(name);
        }
    }
    std::vector<Said> take() { return std::move(events_); }
    std::size_t count() const { return events_.size(); }

  private:
    void add(Said said, bool may_have_a_twin = true) {
        said.id = "e" + std::to_string(events_.size());
        events_.push_back(said);
        if (!may_have_a_twin || rng_.below(4) != 0) return;
        said.id += "twin";  // another event, as of another type
        events_.push_back(std::move(said));
    }
    std::int64_t amount() { return 1 + static_cast<std::int64_t>(rng_.below(50)); }

    void add_returns(const std::string& name, const std::string& of) {
        for (std::uint64_t i = 0; i < rng_.below(3); ++i) {
            add(taken("", "refund/" + name + std::to_string(i), "capture/" + name, amount()));
        }
        if (rng_.below(2) == 0) return;
        const std::int64_t disputed = amount();
        const std::string dispute = "dispute/" + name;
        // Without times, a second report of what was reinstated since is for an operator.
        add(taken("", dispute + ":1", of, disputed), false);
        if (rng_.below(2) == 0) add(taken("", "fee/" + name, dispute, 5));
        if (rng_.below(2) == 0) add(given_back("", dispute + ":2", dispute + ":1", disputed));
    }
    void add_ids(const std::string& name) {
        const std::string root = "capture/" + name;
        for (std::uint64_t i = 0; i <= rng_.below(3); ++i) {
            add(captured("", root + ":" + std::to_string(i), amount()));
        }
        add_returns(name, root + ":0");
    }
    void add_totals(const std::string& name) {
        std::int64_t total = 0;
        for (std::int64_t i = 1; i <= 1 + static_cast<std::int64_t>(rng_.below(4)); ++i) {
            total += amount();
            add(so_far(captured("", "capture/" + name, total), i));
        }
        add_returns(name, "capture/" + name);
    }
    void add_bounces(const std::string& name) {
        add(captured("", "capture/" + name, 100));
        for (std::int64_t at = 1; at <= 1 + static_cast<std::int64_t>(rng_.below(6)); ++at) {
            add(rng_.below(2) == 0 ? succeeded("", name, at) : bounced("", name, at));
        }
    }

    Rng& rng_;
    int payments_ = 0;
    std::vector<Said> events_;
};

}  // namespace

const std::vector<Set> money_sets = {
    {"captures under ids, refunds, a dispute withdrawn and reinstated, its fee",
     {captured("1", "capture/p:a", 60), captured("2", "capture/p:b", 40),
      taken("3", "refund/1", "capture/p", 30), taken("4", "dispute/d:1", "capture/p:b", 20),
      given_back("5", "dispute/d:2", "dispute/d:1", 20), taken("6", "fee/d", "dispute/d", 5),
      taken("7", "refund/1", "capture/p", 30)}},
    {"running totals, a dispute, a refund that two events report",
     {so_far(captured("1", "capture/t", 60), 1), so_far(captured("2", "capture/t", 100), 2),
      taken("3", "refund/1", "capture/t", 30), so_far(captured("4", "capture/t", 100), 3),
      taken("5", "dispute/d:1", "capture/t", 50), so_far(captured("6", "capture/t", 140), 4),
      given_back("7", "dispute/d:2", "dispute/d:1", 50)}},
    {"a refund that bounces twice and succeeds three times",
     {captured("1", "capture/p", 100), succeeded("2", "p", 1), bounced("3", "p", 2),
      succeeded("4", "p", 3), bounced("5", "p", 4), succeeded("6", "p", 5),
      succeeded("7", "p", 1)}},
    {"refunds of each cause: of the provider, as a total, by the bank, a lost dispute",
     {captured("1", "capture/p", 100), taken("2", "refund/1", "capture/p", 20),
      taken("3", "return/p:e1", "capture/p", 7), taken("4", "dispute/d:1", "capture/p", 8),
      so_far(taken("5", "refund_total/p", "capture/p", 10), 1),
      so_far(taken("6", "refund_total/p", "capture/p", 25), 2),
      given_back("7", "return_back/p:e1", "return/p", 7)}},
};

std::vector<Said> drawn_money(Rng& rng) {
    for (;;) {
        Drawn drawn(rng);
        for (std::uint64_t i = 0; i <= rng.below(3); ++i) drawn.add_payment();
        if (drawn.count() >= 8 && drawn.count() <= 20) return drawn.take();
    }
}

}  // namespace pawl::orders
