#include "tools/demo/shop.hpp"

#include <fmt/core.h>

#include <chrono>

#include "base/rng.hpp"
#include "outbound/http_client.hpp"
#include "tools/demo/programs.hpp"

namespace pawl::app {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds pause_after_error(300);
constexpr milliseconds pause_between_orders(250);
constexpr int sdk_tries = 3;

bool settled(const Fetched& answer, ShopCounts& counts) {
    if (answer.status != 201) return false;
    const bool paid = answer.body.find("\"state\":\"succeeded\"") != std::string::npos;
    ++(paid ? counts.paid : counts.declined);
    return true;
}

// One key for the order: however often it is asked, it is one payment.
void buy_one(const ShopOptions& options, const std::string& order, ShopCounts& counts,
             const std::atomic<bool>& stop) {
    const std::string orders = options.pawl_url + "/v1/orders/" + order;
    const std::string wanted =
        fmt::format(R"({{"amount":{},"currency":"USD","account":"shop:{}","gateway":"sandbox"}})",
                    order_minor, order);
    while (!stop && send_json("PUT", orders, wanted, options.api_token).status / 100 != 2) {
        std::this_thread::sleep_for(pause_after_error);
    }
    std::string payment;
    while (!stop) {
        ++counts.tries;
        const Fetched answer =
            send_json("POST", orders + "/payments", "{}", options.api_token, "demo-" + order);
        if (settled(answer, counts)) return;
        if (answer.status == 202) break;  // accepted, and not through within the wait
        std::this_thread::sleep_for(pause_after_error);
    }
    while (!stop) {
        const Fetched seen = fetch(orders, options.api_token);
        if (seen.body.find("\"state\":\"succeeded\"") != std::string::npos) {
            ++counts.paid;
            return;
        }
        if (seen.body.find("\"state\":\"declined\"") != std::string::npos) {
            ++counts.declined;
            return;
        }
        std::this_thread::sleep_for(pause_after_error);
    }
}

// One call of a payment API's SDK: when no usable answer comes, two more tries under the same key.
bool charge_through_sdk(const ShopOptions& options, const std::string& order, ShopCounts& counts,
                        const std::atomic<bool>& stop) {
    SecureRng rng;
    outbound::HttpRequest request;
    request.method = "POST";
    request.url = options.sandbox_url + "/v1/payment_intents";
    request.headers = {{"Authorization", "Bearer " + options.sandbox_key},
                       {"Content-Type", "application/x-www-form-urlencoded"},
                       {"Idempotency-Key", uuid_v4(rng)}};
    request.body =
        fmt::format("amount={}&currency=usd&confirm=true&metadata[order]={}", order_minor, order);
    request.allow_private = true;
    request.within = milliseconds(1500);
    for (int attempt = 0; attempt < sdk_tries && !stop; ++attempt) {
        ++counts.tries;
        const auto outcome = outbound::send(request);
        const auto* reply = std::get_if<outbound::HttpReply>(&outcome);
        if (reply != nullptr && reply->status == 200) return true;
        std::this_thread::sleep_for(pause_after_error);
    }
    return false;
}

// The page says that it did not work, and the customer presses Pay again: a new call, a new key.
void buy_one_as_rival(const ShopOptions& options, const std::string& order, ShopCounts& counts,
                      const std::atomic<bool>& stop) {
    for (int press = 0; press < 5 && !stop; ++press) {
        if (charge_through_sdk(options, order, counts, stop)) {
            ++counts.paid;
            return;
        }
    }
}

}  // namespace

void buy_through_pawl(const ShopOptions& options, ShopCounts& counts,
                      const std::atomic<bool>& stop) {
    for (int i = 0; i < options.orders && !stop; ++i) {
        buy_one(options, options.prefix + std::to_string(i), counts, stop);
        std::this_thread::sleep_for(pause_between_orders);
    }
    counts.over = true;
}

void buy_as_rival(const ShopOptions& options, ShopCounts& counts, const std::atomic<bool>& stop) {
    for (int i = 0; i < options.orders && !stop; ++i) {
        buy_one_as_rival(options, options.prefix + std::to_string(i), counts, stop);
        std::this_thread::sleep_for(pause_between_orders);
    }
    counts.over = true;
}

}  // namespace pawl::app
