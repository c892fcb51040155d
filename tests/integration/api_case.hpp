// The handlers of /v1 and of the admin API on a real database, with a fake in the place of the
// payment workflows: it charges what was started, counts what it charged, and settles as the engine
// does. One thread drives; requests may be many at once.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "controllers/http/routes.hpp"
#include "controllers/v1/pending_responses.hpp"
#include "controllers/v1/table.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {

// Time that flows, from wherever a test has set it.
class MovableClock final : public Clock {
  public:
    Time now() const override { return system_.now() + ahead_.load(); }
    std::chrono::steady_clock::time_point steady() const override { return system_.steady(); }
    void advance(Duration by) { ahead_ = ahead_.load() + by; }

  private:
    SystemClock system_;
    std::atomic<Duration> ahead_{Duration(0)};
};

// Settles what was started, by its payment method: pm_decline, pm_held (never), else success; a
// manual payment is authorized, and its captures succeed, with pm_capture_held never.
class FakeProvider {
  public:
    FakeProvider(const TestDatabase& database, const Clock& clock);
    ~FakeProvider();

    http::PaymentDeps deps();
    int charges(const std::string& key);  // what a provider would count
    std::size_t charged_keys();
    void settle(const std::string& payment_id, payments::State state);
    void settle_capture(const std::string& capture_id, payments::CaptureState state);
    void settle_refund(const std::string& refund_id, payments::RefundState state);

  private:
    void run();
    void settle_all();

    const TestDatabase& database_;
    const Clock& clock_;
    std::atomic<bool> ending_{false};
    std::mutex mutex_;
    std::map<std::string, int> charges_;
    std::thread thread_;
};

struct Asked {
    std::string method, target, body;
    http::HeaderLines headers;
};

class Api : public ::testing::Test {
  protected:
    // Patient, because machines that run tests are busy.
    explicit Api(http::KeyPolicy policy = {}, Duration answer_within = std::chrono::seconds(20));
    ~Api() override;

    std::future<http::Reply> send(const Asked& asked, const std::string& token = "shop");
    http::Reply ask(const Asked& asked, const std::string& token = "shop");

    // The calls that most tests are about.
    http::Reply put_order(const std::string& order, int amount = 5000);
    static Asked payment(const std::string& order, const std::string& key,
                         const std::string& body = "{}", const std::string& wait = "5");
    http::Reply pay(const std::string& order, const std::string& key,
                    const std::string& body = "{}", const std::string& wait = "5") {
        return ask(payment(order, key, body, wait));
    }

    TestDatabase database;
    MovableClock clock;
    FakeProvider provider;
    Counter unanswered;

    const http::Routes& routes() const { return routes_; }

  private:
    Timer timer_;  // outlives what is answered by a deadline
    http::PaymentDeps deps_;
    db::Pool sessions_;
    Executor blocking_;
    Executor verify_;
    http::PendingResponses pending_;
    http::Routes routes_;
};

std::string header(const http::Reply& reply, const std::string& name);  // empty: not there
std::string member(const http::Reply& reply, const std::string& name);  // of its JSON, as text
std::string code(const http::Reply& reply);                             // "409 order_paid"

}  // namespace pawl::testing
