// Stopped and started again and again while deliveries come in: each stop ends with 0, leaves no
// lease, and not one delivery that was answered 200 is missing or counted twice. `make proof` does
// it a thousand times (PAWL_E2E_STOPS); here a sample.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/rng.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

constexpr int senders = 4;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr milliseconds slowest{9000};  // a sanitizer's checks take their time
#else
constexpr milliseconds slowest{4000};
#endif

int stops() {
    const char* given = std::getenv("PAWL_E2E_STOPS");
    return given == nullptr ? 6 : std::atoi(given);
}

// A provider with one connection: sends one event after the other, each until it is acknowledged.
class Provider {
  public:
    Provider(std::uint16_t port, int number)
        : thread_([this, port, number] {
              DemoSender sender(port);
              for (int i = 0; !over_; ++i) {
                  const std::string n = std::to_string(number) + "-" + std::to_string(i);
                  const Payment payment{
                      .id = "e" + n, .account = "stops:" + n, .amount = 1 + i % 9};
                  if (!deliver(sender, payment)) return;
                  amount_ += payment.amount;
                  ++acknowledged_;
              }
          }) {}
    ~Provider() { finish(); }
    void finish() {
        over_ = true;
        if (thread_.joinable()) thread_.join();
    }
    int acknowledged() const { return acknowledged_; }
    std::int64_t amount() const { return amount_; }
    int strange() const { return strange_; }

  private:
    bool deliver(DemoSender& sender, const Payment& payment) {
        for (;;) {
            const int status = sender.send(payment).status;
            if (status == 200) return true;
            if (status != 503 && status != 0) ++strange_;
            if (over_) return false;
            if (status == 0) std::this_thread::sleep_for(milliseconds(5));  // it does not listen
        }
    }

    std::atomic<int> acknowledged_{0};
    std::atomic<std::int64_t> amount_{0};
    std::atomic<int> strange_{0};
    std::atomic<bool> over_{false};
    std::thread thread_;
};

class ServerStops : public ::testing::Test {
  protected:
    std::int64_t number(const std::string& sql) { return std::stoll(database.value(sql)); }
    int acknowledged() const {
        int all = 0;
        for (const auto& one : providers) all += one->acknowledged();
        return all;
    }
    // However little of the processor there is: some deliveries are on their way each time.
    void serve_some() {
        const int before = acknowledged();
        EXPECT_TRUE(eventually([&] { return acknowledged() >= before + senders; }));
        std::this_thread::sleep_for(milliseconds(rng.below(40)));
    }
    void stop() {
        const auto began = std::chrono::steady_clock::now();
        server.signal(SIGTERM);
        ASSERT_TRUE(server.ended_within(patience));
        took.push_back(
            std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began));
        ASSERT_EQ(server.how_it_ended(), "exited with 0");
    }
    void expect_exact_books() {
        std::int64_t amount = 0;
        for (const auto& one : providers) {
            amount += one->amount();
            EXPECT_EQ(one->strange(), 0) << "answers that are neither 200 nor 503";
        }
        // The last delivery of each may have been committed without its answer having arrived.
        const std::int64_t rows = number("SELECT count(*) FROM webhook_intents");
        EXPECT_GE(rows, acknowledged());
        EXPECT_LE(rows, acknowledged() + senders);
        EXPECT_EQ(number("SELECT count(*) FROM transfers"), rows);
        EXPECT_EQ(number("SELECT count(DISTINCT credit_account) FROM transfers"), rows);
        EXPECT_EQ(number("SELECT sum(amount) FROM transfers"),
                  number("SELECT sum(amount) FROM balances WHERE account LIKE 'stops:%'"));
        EXPECT_GE(number("SELECT sum(amount) FROM transfers"), amount);
        EXPECT_EQ(number("SELECT count(*) FROM jobs WHERE locked_until > now()"), 0);
    }

    Folder folder;
    TestDatabase database;
    Server server{{.data_dir = folder / "data", .database_url = database.url()}};
    SecureRng rng;
    std::vector<std::unique_ptr<Provider>> providers;
    std::vector<milliseconds> took;
};

TEST_F(ServerStops, AndStartsUnderLoadLoseAndDoubleNothing) {
    server.start();
    for (int i = 0; i < senders; ++i) {
        providers.push_back(std::make_unique<Provider>(server.port(), i));
    }
    for (int i = 0; i < stops(); ++i) {
        serve_some();
        ASSERT_NO_FATAL_FAILURE(stop());
        server.start();
    }
    for (const auto& one : providers) one->finish();
    ASSERT_NO_FATAL_FAILURE(stop());
    expect_exact_books();
    std::sort(took.begin(), took.end());
    std::printf(
        "  %zu stops, all with 0: median %ld ms, slowest %ld ms; %d deliveries acknowledged\n",
        took.size(), static_cast<long>(took[took.size() / 2].count()),
        static_cast<long>(took.back().count()), acknowledged());
    EXPECT_LT(took.back(), slowest);
}

}  // namespace
}  // namespace pawl::testing
