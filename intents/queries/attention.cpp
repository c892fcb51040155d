#include "intents/queries/attention.hpp"

#include <fmt/format.h>

#include <array>

#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

struct Remedy {
    std::string_view reason;  // how it begins
    std::string_view text;    // {0} the scope, {1} the example
};

// Remedies for quarantined events; the first that matches applies.
constexpr std::array<Remedy, 8> quarantine_remedies{{
    {"needs_timeout", "pawl intents post {0} {1}: apply it without what it needs"},
    {"need_reversed", "if that was this very return: pawl intents dismiss {0} {1}; else post it"},
    {"id_conflict", "compare both: pawl intents show {0} {1}; then post it, or leave it"},
    {"effect_conflict",
     "compare both: pawl intents show {0} {1}; then post it as a movement of its own, or dismiss "
     "it"},
    {"total_fell", "if the provider did take it back: pawl intents post {0} {1}; else dismiss it"},
    {"effect_returned", "if it has happened once more: pawl intents post {0} {1}; else dismiss it"},
    {"confirm_timeout", "pawl intents retry {0} {1}: fetch it again"},
    {"", "correct the provider file, then pawl intents retry {0} {1}"},
}};

std::string remedy_of(const AttentionItem& item) {
    const auto text = [&item](std::string_view form) {
        return fmt::format(fmt::runtime(form), item.scope, item.example);
    };
    if (item.kind == "quarantined") {
        for (const auto& [reason, form] : quarantine_remedies) {
            if (item.reason.value_or("").starts_with(reason)) return text(form);
        }
    }
    if (item.kind == "parked")
        return text("find out why the need is late: pawl intents show {0} {1}");
    if (item.kind == "gap") {
        const std::size_t slash = item.example.find('/');
        return fmt::format("pawl intents release {} {}: skip the missing numbers",
                           item.example.substr(0, slash), item.example.substr(slash + 1));
    }
    if (item.kind == "needs_review") {
        return text("look it up at the gateway, then pawl workflows resolve {1}, or resume {1}");
    }
    if (item.kind == "payment") return text("look payment {1} up at gateway {0}");
    if (item.kind == "gateway_gone") return text("configure gateway {0} again: config/gateways");
    if (item.kind == "dead_jobs") return text("pawl jobs retry {1}, or pawl jobs discard {1}");
    return text("repair subscriber {0}, or pawl jobs discard {1}");
}

}  // namespace

std::vector<AttentionItem> list_attention(db::Session& session, const AttentionFilter& filter) {
    std::vector<AttentionItem> items;
    for (const auto row :
         db::Statement::run(session, sql::ListAttention{.now = filter.now,
                                     .gateways = db::Texts(filter.configured.gateways),
                                     .subscribers = db::Texts(filter.configured.subscribers),
                                     .from_since = filter.since.from,
                                     .to_since = filter.since.to,
                                     .limit_rows = filter.limit})) {
        AttentionItem item;
        item.kind = row.kind();
        item.scope = row.scope();
        item.reason = row.reason();
        item.type = row.type();
        item.example = row.example();
        item.count = row.counted();
        item.since = to_rfc3339(row.since());
        item.remedy = remedy_of(item);
        items.push_back(std::move(item));
    }
    return items;
}

}  // namespace pawl::intents
