// [[subscriber]] in pawl.toml: one receiver of notifications, and its topics.
#include <fmt/core.h>

#include <algorithm>

#include "outbound/message_signer.hpp"
#include "settings/files.hpp"
#include "settings/suggest.hpp"

namespace pawl::app {
namespace {

const std::vector<std::string> events{
    "credit.applied",     "debit.applied",      "balance.set",          "payment.succeeded",
    "payment.declined",   "payment.authorized", "payment.needs_review", "refund.succeeded",
    "intent.quarantined", "intent.parked"};

// With a pattern that matches no topic of Pawl, a subscriber would never receive anything.
bool matches_some(const std::string& pattern) {
    return std::any_of(events.begin(), events.end(), [&](const std::string& event) {
        if (!pattern.ends_with('*')) return pattern == event;
        return event.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
    });
}

void judge_secrets(TableReader& reader, const std::vector<std::string>& secrets) {
    if (secrets.empty()) return;
    const auto signer = outbound::MessageSigner::create(secrets);
    if (!signer) {
        reader.wrong("secrets", "cannot sign: " + signer.error().message,
                     "write whsec_ and the base64 of 24 to 64 random bytes");
    }
}

void read_events(TableReader& reader, std::vector<std::string>& into) {
    reader.require("events", "list the topics it receives, like events = [\"credit.applied\"]");
    reader.texts("events", into);
    for (const std::string& pattern : into) {
        if (matches_some(pattern)) continue;
        reader.wrong("events", fmt::format("has \"{}\", which is never sent", pattern),
                     suggestion(pattern, events));
    }
}

}  // namespace

void read_subscribers(TableReader& root, std::vector<Subscriber>& into) {
    for (TableReader& reader : root.tables("subscriber")) {
        Subscriber one;
        read_name(reader, one.name);
        reader.require("url", "write where it listens, like url = \"https://shop.example/pawl\"");
        read_url(reader, "url", one.url);
        reader.require("secrets", "list what messages are signed with, as whsec_...");
        reader.texts("secrets", one.secrets);
        judge_secrets(reader, one.secrets);
        read_events(reader, one.events);
        reader.flag("ordered", one.ordered);
        reader.flag("allow_private", one.allow_private);
        reader.whole("concurrency", one.concurrency, {1, 64});
        reader.duration("timeout", one.timeout,
                        {std::chrono::milliseconds(100), std::chrono::minutes(1)});
        reader.finish();
        const bool known = std::any_of(into.begin(), into.end(), [&](const Subscriber& other) {
            return other.name == one.name;
        });
        if (known && !one.name.empty()) {
            reader.wrong("name", fmt::format("\"{}\" is taken", one.name),
                         "give each subscriber a name of its own");
        }
        into.push_back(std::move(one));
    }
}

}  // namespace pawl::app
