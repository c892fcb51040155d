// Ten thousand mixed deliveries, three tenths of them duplicates, shuffled, while the server is
// killed five times, its database with it every other time. Unacknowledged deliveries are
// redelivered, as a provider would do. In the end the books are exact. PAWL_E2E_SEED repeats a run.
#include <gtest/gtest.h>
#include <signal.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "base/rng.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"

namespace pawl::testing {
namespace {

constexpr int events = 7000;
constexpr int deliveries = 10000;
constexpr int kills = 5;
constexpr int senders = 12;

std::uint64_t seed() {
    const char* given = std::getenv("PAWL_E2E_SEED");
    const std::uint64_t seed =
        given != nullptr ? std::strtoull(given, nullptr, 10) : SecureRng().next();
    std::printf("  PAWL_E2E_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

// The expected end, whatever happened before.
struct Expected {
    std::map<std::string, std::int64_t> balances;
    int effects = 0;
    std::map<std::string, int> outcomes;  // applied and applied_late together
};

struct Plan {
    std::vector<Payment> all;  // one of each event
    Expected expected;
};

Plan make_plan(Rng& rng) {
    Plan plan;
    std::vector<Payment> credits;
    for (int i = 0; i < events; ++i) {
        Payment payment{.id = "evt_" + std::to_string(i)};
        payment.account = "user:" + std::to_string(rng.below(4) == 0 ? 0 : rng.below(40));
        payment.amount = static_cast<std::int64_t>(1 + rng.below(10000));
        payment.sequence = static_cast<std::int64_t>(rng.below(1000));
        const auto kind = rng.below(20);
        if (kind < 15 || credits.empty()) {
            credits.push_back(payment);
            plan.expected.balances[payment.account] += payment.amount;
            ++plan.expected.effects;
            ++plan.expected.outcomes["applied"];
        } else if (kind < 17) {
            payment.type = "payment.created";
            ++plan.expected.outcomes["ignored"];
        } else if (kind < 19) {
            const std::string id = payment.id;
            payment = credits[rng.below(credits.size())];
            payment.payment = "pay_" + payment.id;
            payment.id = id;
            ++plan.expected.outcomes["duplicate_effect"];
        } else {
            payment.currency = "???";
            ++plan.expected.outcomes["quarantined"];
        }
        plan.all.push_back(payment);
    }
    return plan;
}

std::deque<Payment> shuffled_with_duplicates(const std::vector<Payment>& all, Rng& rng) {
    std::vector<Payment> sent = all;
    while (sent.size() < deliveries) sent.push_back(all[rng.below(all.size())]);
    for (std::size_t i = sent.size(); i > 1; --i) std::swap(sent[i - 1], sent[rng.below(i)]);
    return {sent.begin(), sent.end()};
}

// The provider: hands out deliveries, and takes back what was not acknowledged.
class Backlog {
  public:
    explicit Backlog(std::deque<Payment> all) : waiting_(std::move(all)) {}

    std::optional<Payment> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return over_ || (open_ && !waiting_.empty()); });
        if (over_) return std::nullopt;
        Payment payment = std::move(waiting_.front());
        waiting_.pop_front();
        return payment;
    }
    void judge(Payment payment, const Response& answer) {
        const std::lock_guard lock(mutex_);
        if (answer.status == 200) {
            ++acknowledged_;
        } else {
            if (answer.status != 0 && answer.status != 503) ++strange_;
            waiting_.push_back(std::move(payment));
        }
        over_ = acknowledged_ == deliveries;
        changed_.notify_all();
    }
    void open(bool open) {
        const std::lock_guard lock(mutex_);
        open_ = open;
        changed_.notify_all();
    }
    bool wait_until(int acknowledged) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 2 * patience, [&] { return acknowledged_ >= acknowledged; });
    }
    void give_up() {
        const std::lock_guard lock(mutex_);
        over_ = true;
        changed_.notify_all();
    }
    int strange() const { return strange_; }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Payment> waiting_;
    bool open_ = true;
    bool over_ = false;
    int acknowledged_ = 0;
    int strange_ = 0;
};

void kill_and_start_again(Server& server, Backlog& backlog, bool database_too) {
    if (database_too) kill(server.postmaster(), SIGKILL);
    server.kill_now();
    backlog.open(false);  // only now: deliveries shall be on their way when it dies
    server.start();
    backlog.open(true);
}

void expect_books(const std::string& url, const Expected& expected) {
    const auto value = [&](const std::string& sql) { return ask(url, sql); };
    for (const auto& [account, amount] : expected.balances) {
        EXPECT_EQ(value("SELECT amount FROM balances WHERE account = '" + account + "'"),
                  std::to_string(amount))
            << account;
    }
    EXPECT_EQ(value("SELECT count(*) FROM balances"), std::to_string(expected.balances.size()));
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), std::to_string(expected.effects));
    // Staged with its money, and moved since or not.
    EXPECT_EQ(value("SELECT count(*) FROM (SELECT payload FROM staged_jobs UNION ALL SELECT "
                    "payload FROM jobs UNION ALL SELECT payload FROM jobs_done) j WHERE "
                    "payload->>'type' LIKE '%.applied'"),
              std::to_string(expected.effects));
    for (const auto& [outcome, count] : expected.outcomes) {
        EXPECT_EQ(value("SELECT count(*) FROM webhook_intents WHERE replace(outcome, "
                        "'applied_late', 'applied') = '" +
                        outcome + "'"),
                  std::to_string(count))
            << outcome;
    }
    EXPECT_EQ(value("SELECT count(*) FROM webhook_intents"), std::to_string(events));
    // The bytes of each are stored once, however often they came.
    EXPECT_EQ(value("SELECT count(*) FROM webhook_intents i JOIN webhook_deliveries d USING "
                    "(delivery_id) WHERE i.body_sha256 = sha256(substring(d.body FROM "
                    "i.item_offset + 1 FOR i.item_length))"),
              std::to_string(events));
    EXPECT_GE(std::stoi(value("SELECT sum(deliveries) FROM webhook_intents")), deliveries);
}

TEST(CrashTraffic, TenThousandMixedDeliveriesThroughFiveKillsEndInExactBooks) {
    SeededRng rng(seed());
    const Plan plan = make_plan(rng);
    Backlog backlog(shuffled_with_duplicates(plan.all, rng));
    const Folder folder;
    Server server({.data_dir = folder / "data"});
    server.start();
    std::vector<std::thread> threads;
    for (int i = 0; i < senders; ++i) {
        threads.emplace_back([&] {
            DemoSender sender(server.port());
            while (auto payment = backlog.next()) {
                const auto answer = sender.send(*payment);
                backlog.judge(std::move(*payment), answer);
            }
        });
    }
    bool progress = true;
    for (int kill = 1; progress && kill <= kills; ++kill) {
        progress = backlog.wait_until(deliveries * kill / (kills + 1));
        kill_and_start_again(server, backlog, kill % 2 == 0);
    }
    EXPECT_TRUE(progress && backlog.wait_until(deliveries)) << "deliveries no longer get through";
    backlog.give_up();
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(backlog.strange(), 0) << "answers that are neither 200 nor 503";
    expect_books(server.embedded_url(), plan.expected);
}

}  // namespace
}  // namespace pawl::testing
