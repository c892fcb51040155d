#include "intents/queries/attention.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "base/printable.hpp"
#include "intents/queries/cursor.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

struct Remedy {
    std::string_view reason;  // how it begins
    std::string_view text;    // {0} the scope, {1} the example
};

constexpr std::string_view assign_account =
    "it names an account of the system: pawl intents assign {0} {1} --account OTHER, or dismiss it";

// Remedies for quarantined events; the first that matches applies.
constexpr std::array<Remedy, 15> quarantine_remedies{{
    {"needs_timeout", "pawl intents post {0} {1}: apply it without what it needs"},
    {"need_reversed", "if that was this very return: pawl intents dismiss {0} {1}; else post it"},
    {"id_conflict", "compare both: pawl intents show {0} {1}; then post it, or leave it"},
    {"effect_conflict",
     "if its money is in the books already, by an import or another event: pawl intents dismiss "
     "{0} {1}; else post it as a movement of its own (pawl intents post {0} {1} --check "
     "effect_conflict)"},
    {"total_fell", "if the provider did take it back: pawl intents post {0} {1}; else dismiss it"},
    {"effect_returned", "if it has happened once more: pawl intents post {0} {1}; else dismiss it"},
    {"confirm_timeout", "pawl intents retry {0} {1}: fetch it again"},
    {"balance_overflow",
     "the balance would exceed 64 bits: pawl intents assign {0} {1} --account OTHER, or dismiss "
     "it"},
    {"clearing_account", assign_account},
    {"system_account", assign_account},
    {"currency_mismatch",
     "pawl intents assign {0} {1} --amount MINOR_UNITS --currency CODE, or dismiss it"},
    {"no_run", "if its run begins later: pawl intents retry {0} {1}; else dismiss it"},
    {"unreadable", "read it: pawl intents show {0} {1}; then pawl intents assign, or dismiss it"},
    {"attempts_exhausted",
     "find its cause in the log, then pawl intents retry {0} {1}, or dismiss it"},
    {"",
     "correct the provider file, then pawl intents retry {0} {1}; or assign what it lacks, or "
     "dismiss it"},
}};

std::string remedy_of(const AttentionItem& item) {
    const auto text = [&item](std::string_view form) {
        return fmt::format(fmt::runtime(form), item.scope, shell_word(item.example));
    };
    if (item.kind == "quarantined") {
        for (const auto& [reason, form] : quarantine_remedies) {
            if (item.reason.value_or("").starts_with(reason)) return text(form);
        }
    }
    if (item.kind == "paused") {
        return text(
            "when its cause is removed: pawl providers resume {0}; its events are applied then");
    }
    if (item.kind == "recovery") {
        return text("when the lost period is dealt with: pawl recover --end --reason TEXT");
    }
    if (item.kind == "stale") {
        return text(
            "if the provider did take it back: correct the transfer (pawl intents show {0} "
            "{1}); then pawl intents dismiss {0} {1}");
    }
    if (item.kind == "forced") {
        return text(
            "compare call {1} with gateway {0}: a webhook confirms it; or let the gateway be asked "
            "once it answers (pawl workflows list --q {1}, pawl workflows resume RUN)");
    }
    if (item.kind == "parked")
        return text("find out why the need is late: pawl intents show {0} {1}");
    if (item.kind == "gap") {
        const std::size_t slash = item.example.find('/');
        return fmt::format("pawl intents release {} {}: skip the missing numbers",
                           item.example.substr(0, slash),
                           shell_word(item.example.substr(slash + 1)));
    }
    if (item.kind == "needs_review") {
        return text("look it up at the gateway, then pawl workflows resolve {1}, or resume {1}");
    }
    if (item.kind == "overpaid") {
        return text(
            "find its payments (GET /v1/orders/{1}); refund what is too much, or raise the order's "
            "amount to what it is to keep");
    }
    if (item.kind == "payment") return text("look payment {1} up at gateway {0}");
    if (item.kind == "authorization") {
        return text("capture or cancel payment {1} before it expires: /v1/payments/{1}");
    }
    if (item.kind == "gateway_gone") return text("configure gateway {0} again: config/gateways");
    if (item.kind == "dead_jobs") return text("pawl jobs retry {1}, or pawl jobs discard {1}");
    return text("repair subscriber {0}, or pawl jobs discard {1}");
}

sql::ListAttention question_of(const AttentionFilter& filter) {
    return {.now = filter.now,
            .gateways = db::Texts(filter.configured.gateways),
            .subscribers = db::Texts(filter.configured.subscribers),
            .unknown = !filter.configured.known,
            .from_since = filter.since.from,
            .to_since = filter.since.to,
            .after_since = std::nullopt,
            .after_kind = std::nullopt,
            .after_scope = std::nullopt,
            .after_tie = std::nullopt,
            .limit_rows = filter.limit + 1};
}

}  // namespace

Result<AttentionPage> list_attention(db::Session& session, const AttentionFilter& filter) {
    sql::ListAttention question = question_of(filter);
    std::vector<std::string> after;
    if (!filter.cursor.empty()) {
        auto parts = read_cursor(filter.cursor, 4);
        if (!parts) return parts.error();
        const auto since = parse_rfc3339((*parts)[0]);
        if (!since) return foreign_cursor();
        after = std::move(*parts);
        question.after_since = *since;
        question.after_kind = after[1];
        question.after_scope = after[2];
        question.after_tie = after[3];
    }
    AttentionPage page;
    std::vector<std::string> last;
    for (const auto row : db::Statement::run(session, question)) {
        if (std::ssize(page.items) == filter.limit) {
            page.next = make_cursor(last);
            break;
        }
        AttentionItem item;
        item.kind = row.kind();
        item.scope = row.scope();
        item.reason = row.reason();
        item.type = row.type();
        item.example = row.example();
        item.count = row.counted();
        item.since = to_rfc3339(row.since());
        item.remedy = remedy_of(item);
        last = {item.since, item.kind, item.scope, std::string(row.tie())};
        page.items.push_back(std::move(item));
    }
    return page;
}

}  // namespace pawl::intents
