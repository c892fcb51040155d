#include "outbound/gateway.hpp"

#include <algorithm>

#include "outbound/gateways/stripe.hpp"

namespace pawl::outbound {
namespace {

bool visible_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

Result<void> judge(const GatewayConfig& config) {
    const std::string who = "gateway \"" + config.name + "\": ";
    const bool plain = config.base_url.starts_with("http://");
    if (!plain && !config.base_url.starts_with("https://")) {
        return invalid(who + "base_url must begin with https://");
    }
    // The key would be sent in clear text over the network.
    if (plain && !config.allow_private) {
        return invalid(who +
                       "base_url begins with http://; use https://, or set allow_private = true "
                       "for a gateway on this machine");
    }
    if (!visible_ascii(config.base_url)) {
        return invalid(who + "base_url has a space or a character that is not ASCII");
    }
    if (config.api_key.empty()) return invalid(who + "api_key is empty");
    if (!visible_ascii(config.api_key)) {
        return invalid(who + "api_key has a space, a line break or a character that is not ASCII");
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Gateway>> make_gateway(GatewayConfig config) {
    if (config.kind == "adyen" || config.kind == "generic") {
        return invalid("gateway \"" + config.name + "\": kind \"" + config.kind +
                       "\" cannot be called by this version; it can be stripe");
    }
    if (config.kind != "stripe") {
        return invalid("gateway \"" + config.name + "\": kind \"" + config.kind +
                       "\" is unknown; it can be stripe");
    }
    if (auto sound = judge(config); !sound) return sound.error();
    while (config.base_url.ends_with('/')) config.base_url.pop_back();
    return make_stripe(std::move(config));
}

}  // namespace pawl::outbound
