// config/gateways/NAME.toml: a payment API that Pawl calls.
#include "settings/files.hpp"

namespace pawl::app {

void read_gateway(TableReader& root, GatewayFile& into, Enabled& enabled) {
    using std::chrono::milliseconds;
    using std::chrono::minutes;
    read_name(root, into.name);
    into.books = into.name;
    root.text("books", into.books);
    read_enabled(root, enabled);
    root.require("kind", "write kind = \"stripe\", \"adyen\" or \"generic\"");
    root.choice<GatewayKind>("kind", into.kind,
                             {{"stripe", GatewayKind::stripe},
                              {"adyen", GatewayKind::adyen},
                              {"generic", GatewayKind::generic}});
    root.require("base_url", "write where it is, like base_url = \"https://api.stripe.com\"");
    read_url(root, "base_url", into.base_url);
    root.require("api_key", "write api_key = \"${env:NAME}\"");
    root.text("api_key", into.api_key);
    root.require("key_horizon", "write how long it remembers an idempotency key, like \"24h\"");
    root.duration("key_horizon", into.key_horizon, {minutes(1)});
    root.duration("timeout", into.timeout, {milliseconds(100), minutes(2)});
    root.whole("max_in_flight", into.max_in_flight, {1, 10000});
    root.whole("max_per_second", into.max_per_second, {0, 100000});
    root.flag("allow_private", into.allow_private);
    root.finish();
}

}  // namespace pawl::app
