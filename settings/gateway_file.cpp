// config/gateways/NAME.toml: a payment API that Pawl calls.
#include "settings/files.hpp"

namespace pawl::app {

namespace {

void read_own_horizon(TableReader& horizon, std::string_view key, std::optional<Duration>& into) {
    Duration own{};
    if (horizon.duration(key, own, {std::chrono::minutes(1)})) into = own;
}

// One for all kinds of call, or `horizon` with one for each.
void read_horizon(TableReader& root, GatewayFile& into) {
    auto horizon = root.table("horizon");
    if (!horizon) {
        root.require("key_horizon", "write how long it remembers an idempotency key, like \"24h\"");
    }
    root.duration("key_horizon", into.key_horizon, {std::chrono::minutes(1)});
    if (!horizon) return;
    read_own_horizon(*horizon, "charge", into.charge_horizon);
    read_own_horizon(*horizon, "capture", into.capture_horizon);
    read_own_horizon(*horizon, "refund", into.refund_horizon);
    horizon->finish();
}

// authoritative, never, or after:TIME.
void read_lookup(TableReader& root, GatewayFile& into) {
    if (!root.text("lookup", into.lookup)) return;
    if (into.lookup == "authoritative" || into.lookup == "never") return;
    const bool after = into.lookup.starts_with("after:");
    if (after && parse_duration(into.lookup.substr(6))) return;
    root.wrong("lookup", "\"" + into.lookup + "\" is unknown",
               "write \"authoritative\", \"never\" or, like \"after:1h\", after which time");
}

}  // namespace

void read_gateway(TableReader& root, GatewayFile& into, Enabled& enabled) {
    using std::chrono::milliseconds;
    using std::chrono::minutes;
    read_name(root, into.name);
    read_books(root, into.name, into.books);
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
    read_horizon(root, into);
    root.choice<Replays>(
        "replays", into.replays,
        {{"all", Replays::all}, {"success", Replays::success}, {"latest", Replays::latest}});
    read_lookup(root, into);
    root.duration("timeout", into.timeout, {milliseconds(100), minutes(2)});
    root.whole("max_in_flight", into.max_in_flight, {1, 10000});
    root.whole("max_per_second", into.max_per_second, {0, 100000});
    root.flag("allow_private", into.allow_private);
    root.finish();
}

}  // namespace pawl::app
