#include "controllers/admin/accounts.hpp"

#include "intents/cursor.hpp"
#include "ledger/views.hpp"

namespace pawl::http {
namespace {

constexpr std::int64_t transfers_shown = 50;

void write(json::Writer& out, const ledger::BalanceRow& row) {
    out.begin_object().member("account", row.account).member("currency", row.currency);
    out.member("amount", row.amount).member("last_event_sequence", row.last_event_sequence);
    out.member("late_count", row.late_count).member("version", row.version).end_object();
}

void write(json::Writer& out, const ledger::TransferRow& row) {
    out.begin_object().member("id", row.id).member("effect_key", row.effect_key);
    out.member("debit_account", row.debit_account).member("credit_account", row.credit_account);
    out.member("currency", row.currency).member("amount", row.amount);
    out.member("provider", row.provider).member("event_id", row.event_id);
    out.member("sequence", row.sequence).member("posted_at", row.posted_at).end_object();
}

template <class Rows>
void write_all(json::Writer& out, const char* name, const Rows& rows) {
    out.key(name).begin_array();
    for (const auto& row : rows) write(out, row);
    out.end_array();
}

}  // namespace

Reply get_accounts(const Request& request, db::Session& session) {
    const auto limit = limit_of(request);
    if (!limit) return problem(400, "bad_limit", "limit is a number from 1 to 500");
    std::vector<std::string> after = {"", ""};
    if (const auto cursor = request.query_value("cursor")) {
        auto parts = intents::read_cursor(*cursor, 2);
        if (!parts) return problem(400, "bad_cursor", parts.error().message);
        after = std::move(*parts);
    }
    auto rows = ledger::list_balances(session, after[0], after[1], *limit + 1);
    std::optional<std::string> next;
    if (static_cast<std::int64_t>(rows.size()) > *limit) {
        rows.pop_back();
        next = intents::make_cursor({rows.back().account, rows.back().currency});
    }
    return list_reply(
        [&rows](json::Writer& out) {
            for (const auto& row : rows) write(out, row);
        },
        next);
}

Reply get_account(const Request& request, db::Session& session) {
    const std::string& account = request.param("account");
    const auto balances = ledger::balances_of(session, account);
    if (balances.empty()) {
        return problem(404, "unknown_account", "nothing was ever moved on this account");
    }
    json::Writer out;
    out.begin_object().member("account", account);
    write_all(out, "balances", balances);
    write_all(out, "transfers", ledger::transfers_of(session, account, 0, transfers_shown));
    out.end_object();
    Reply reply;
    reply.body = out.take();
    return reply;
}

}  // namespace pawl::http
