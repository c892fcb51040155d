// Histories of payments drawn by a seed: what the payer, the merchant, the dashboard and the
// network do, with the webhooks that the sandbox really sends, in any order, some of them twice.
// Afterwards each account has what the payment API holds, and `pawl verify` finds nothing.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "base/rng.hpp"
#include "tests/matrix/sandbox_case.hpp"
#include "workflows/capture/capture_payment.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* given = std::getenv(variable);
    return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

sandbox::Options told_to(const sandbox::test::Listener& listener) {
    sandbox::Options options;
    options.webhook_url = listener.url();
    return options;
}

// Histories share a database and a sandbox; every round looks up the open ones.
class Histories : public SandboxCase {
  public:
    explicit Histories(std::uint64_t seed) : Histories(seed, std::make_unique<Heard>()) {}
    void run(std::uint64_t count);

  private:
    // The member before the sandbox that sends to it.
    struct Heard {
        sandbox::test::Listener listener;
    };
    Histories(std::uint64_t seed, std::unique_ptr<Heard> heard)
        : SandboxCase(told_to(heard->listener)), rng_(seed), heard_(std::move(heard)) {}

    void live_through(const std::string& order);
    void expect_exact(const std::string& order);
    void deliver_some(bool all);
    void act(const std::string& order);
    void capture(const std::string& order);
    void refund_at_the_dashboard(const std::string& order);
    std::string reference_of(const std::string& order);

    SeededRng rng_;
    std::unique_ptr<Heard> heard_;
    std::vector<std::string> undelivered_;  // bodies
    std::size_t collected_ = 0;
};

std::string Histories::reference_of(const std::string& order) {
    const std::string id =
        client_
            .get("/v1/payment_intents/search?query=metadata%5B%27order%27%5D%3A%27" + order + "%27")
            .at("/data/0/id");
    return id.starts_with("pi_") ? id : "";
}

// Each in any order, a third of them again later.
void Histories::deliver_some(bool all) {
    const auto requests = heard_->listener.first(0);
    for (; collected_ < requests.size(); ++collected_) {
        undelivered_.push_back(requests[collected_].body);
    }
    while (!undelivered_.empty() && (all || rng_.below(2) == 0)) {
        const std::size_t at = rng_.below(undelivered_.size());
        const std::string body = undelivered_[at];
        if (all || rng_.below(3) != 0) {
            undelivered_.erase(undelivered_.begin() + static_cast<std::ptrdiff_t>(at));
        }
        deliver(
            json::Document::parse(body)->root().at(*json::Pointer::parse("/id"))->text().value(),
            body);
    }
}

void Histories::refund_at_the_dashboard(const std::string& order) {
    client_.post("/v1/refunds", fmt::format("payment_intent={}&amount={}", reference_of(order),
                                            500 + rng_.below(3000)));
}

// All that is authorized, or a part of it.
void Histories::capture(const std::string& order) {
    static int count = 0;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const auto payment =
            payments::find_payment(transaction, "pay_" + order, payments::Lock::row).value();
        payments::NewCapture wanted{"cap_" + std::to_string(++count), std::nullopt, true,
                                    CorrelationId("c")};
        if (rng_.below(2) == 0) wanted.amount = 500 + static_cast<std::int64_t>(rng_.below(3000));
        const auto allocated =
            payments::allocate_capture(transaction, payment, wanted, clock.now());
        if (const auto* capture = std::get_if<payments::Capture>(&allocated)) {
            start_capture(transaction, *capture, payment, clock.now());
        }
    });
}

// One thing that the payer, the merchant, the dashboard or the network does.
void Histories::act(const std::string& order) {
    const auto payment = this->payment("pay_" + order);
    switch (rng_.below(8)) {
        case 0:
            client_.post("/v1/payment_intents/" + reference_of(order) + "/confirm", "");
            break;
        case 1:
            if (payments::is_final(payment.state)) break;
            db::in_transaction(session, [&](db::Transaction& transaction) {
                request_cancel(transaction, payment, clock.now());
            });
            break;
        case 2:
        case 3:
            begin_refund(payment, 500 + static_cast<std::int64_t>(rng_.below(3000)));
            break;
        case 4:
            refund_at_the_dashboard(order);
            break;
        case 5:
            capture(order);
            break;
        default:
            deliver_some(false);
    }
}

void Histories::live_through(const std::string& order) {
    constexpr std::array methods = {"pm_card_visa",       "pm_card_visa",    "pm_card_declined",
                                    "pm_requires_action", "pm_processing:5", "pm_timeout_before:1",
                                    "pm_timeout_after:1", "pm_error_after",  "pm_reset_before",
                                    "pm_reset_after",     "pm_partial:60",   "pm_late_success:5",
                                    "pm_unavailable",     "pm_conflict",     "pm_rate_limit:1"};
    start(order, methods.at(rng_.below(methods.size())), rng_.below(3) == 0);
    const std::uint64_t acts = rng_.below(7);
    for (std::uint64_t i = 0; i < acts; ++i) {
        if (rng_.below(2) == 0) rounds(minutes(rng_.below(90)));
        act(order);
    }
    rounds();
}

void Histories::expect_exact(const std::string& order) {
    const std::string id = reference_of(order);
    std::int64_t held = 0;
    if (!id.empty()) {
        const auto intent = client_.get("/v1/payment_intents/" + id);
        held = std::stoll(intent.at("/amount_received"));
        const auto refunds = client_.get("/v1/refunds?limit=100&payment_intent=" + id);
        for (int i = 0; i < 100; ++i) {
            const std::string at = fmt::format("/data/{}", i);
            const std::string status = refunds.at((at + "/status").c_str());
            if (status == "missing") break;
            if (status == "succeeded") held -= std::stoll(refunds.at((at + "/amount").c_str()));
        }
    }
    const auto payment = this->payment("pay_" + order);
    EXPECT_EQ(on_account(order), held) << order << " by " << payment.payment_method << " is "
                                       << payments::to_text(payment.state) << " " << payment.note;
    EXPECT_EQ(payment.captured - payment.returned, held) << order;
}

void Histories::run(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) live_through(fmt::format("h{}", i));
    for (int i = 0; i < 40; ++i) rounds(hours(1));
    std::this_thread::sleep_for(milliseconds(100));
    deliver_some(true);
    for (int i = 0; i < 10; ++i) rounds(hours(1));
    for (std::uint64_t i = 0; i < count; ++i) expect_exact(fmt::format("h{}", i));
    expect_books_hold();
}

TEST(PaymentHistories, HonestOnesEndExactAndVerifyFindsNothing) {
    constexpr std::uint64_t at_once = 100;
    const auto seed = number_of("PAWL_TEST_SEED", SecureRng().next());
    std::printf("  PAWL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    const auto count = number_of("PAWL_HISTORIES", 1000);
    for (std::uint64_t done = 0; done < count; done += at_once) {
        Histories(seed + done).run(std::min(at_once, count - done));
    }
}

}  // namespace
}  // namespace pawl::workflows
