// Values that several kinds of file share: names, addresses, URLs.
#include <fmt/core.h>

#include <algorithm>

#include "settings/files.hpp"
#include "settings/suggest.hpp"

namespace pawl::app {

bool read_listen(TableReader& reader, std::string_view key, Listen& into) {
    std::string text;
    if (!reader.text(key, text)) return false;
    const auto parsed = parse_listen(text);
    if (!parsed) {
        reader.wrong(key, fmt::format("is no address to listen on: {}", reader.shown(text)),
                     std::string(listen_rule));
        return false;
    }
    into = *parsed;
    return true;
}

bool read_url(TableReader& reader, std::string_view key, std::string& into) {
    std::string text;
    if (!reader.text(key, text)) return false;
    const bool web = text.starts_with("https://") || text.starts_with("http://");
    if (!web || text.find_first_of(" \t\r\n") != std::string::npos) {
        reader.wrong(key, "is no URL", "write it whole, like \"https://example.com/path\"");
        return false;
    }
    into = std::move(text);
    return true;
}

void read_name(TableReader& reader, std::string& into) {
    reader.require("name", "write name = \"...\": it stands in URLs, tables and metrics");
    if (reader.text("name", into) && !is_plain_name(into)) {
        reader.wrong("name", fmt::format("{} is no usable name", reader.shown(into)),
                     std::string(plain_name_rule));
    }
}

const std::vector<std::string>& preset_names() {
    static const std::vector<std::string> names{
        "stripe",         "standard-webhooks", "svix",     "adyen",          "adyen-platform",
        "paypal",         "paypal-ipn",        "square",   "razorpay",       "paystack",
        "flutterwave-v3", "flutterwave-v4",    "mollie",   "mollie-classic", "gocardless",
        "checkout",       "braintree",         "cashfree", "cashfree-vrs",   "phonepe-v1",
        "phonepe-v2",     "shopify",           "coinbase", "wise",           "plaid",
        "xendit",         "midtrans",          "klarna",   "klarna-legacy",  "twilio",
        "github"};
    return names;
}

bool preset_needs_secret(std::string_view preset) {
    // These prove nothing about themselves: their events are known only by asking the provider.
    return preset != "mollie-classic" && preset != "klarna-legacy" && preset != "paypal-ipn" &&
           preset != "paypal" && preset != "plaid";
}

}  // namespace pawl::app
