#include "controllers/admin/accounts.hpp"

#include <fmt/core.h>

#include "base/money.hpp"
#include "controllers/ledger_json.hpp"
#include "intents/queries/cursor.hpp"
#include "ledger/views.hpp"

namespace pawl::http {
namespace {

constexpr std::int64_t transfers_shown = 50;

}  // namespace

Reply get_accounts(const Request& request, db::Session& session) {
    const std::int64_t limit = limit_of(request);
    std::vector<std::string> after = {"", ""};
    if (const auto cursor = request.query_value("cursor")) {
        auto parts = intents::read_cursor(*cursor, 2);
        if (!parts) return problem(400, "bad_cursor", parts.error().message);
        if (!Currency::parse((*parts)[1])) {  // another list's
            return problem(400, "bad_cursor", intents::foreign_cursor().message);
        }
        after = std::move(*parts);
    }
    auto rows = ledger::list_balances(session, after[0], after[1], limit + 1);
    std::optional<std::string> next;
    if (static_cast<std::int64_t>(rows.size()) > limit) {
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
        return problem(404, "unknown_account",
                       fmt::format("account {}: not found, nothing was ever posted to it; `pawl "
                                   "accounts` lists the names",
                                   account));
    }
    json::Writer out;
    out.begin_object().member("account", account);
    write_all(out, "balances", balances);
    write_all(out, "transfers", ledger::transfers_of(session, account, 0, transfers_shown));
    out.end_object();
    return json_200(out.take());
}

}  // namespace pawl::http
