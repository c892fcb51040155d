#include "controllers/v1/accounts.hpp"

#include <charconv>

#include "controllers/admin/admin.hpp"
#include "controllers/ledger_json.hpp"
#include "intents/queries/cursor.hpp"
#include "ledger/views.hpp"

namespace pawl::http {
namespace {

// 0: from the newest. Nothing: no cursor of ours.
std::optional<std::int64_t> place_of(const std::optional<std::string>& cursor) {
    std::int64_t id = 0;
    if (!cursor) return id;
    const auto parts = intents::read_cursor(*cursor, 1);
    if (!parts) return std::nullopt;
    const std::string& text = parts->front();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    const bool good = error == std::errc{} && end == text.data() + text.size() && id > 0;
    return good ? std::optional(id) : std::nullopt;
}

}  // namespace

HandlerResult get_balances(const Request& request, db::Session& session) {
    const std::string& account = request.param("account");
    const auto balances = ledger::balances_of(session, account);
    if (balances.empty()) {
        return problem(404, "unknown_account",
                       "account: not found, nothing was ever posted to it; check the name");
    }
    json::Writer out;
    out.begin_object().member("account", account);
    write_all(out, "balances", balances);
    out.end_object();
    return json_reply(out.take());
}

HandlerResult get_transfers(const Request& request, db::Session& session) {
    const std::int64_t limit = limit_of(request);
    const auto before = place_of(request.query_value("cursor"));
    if (!before)
        return problem(400, "bad_cursor", "cursor: invalid; write `next` of the page before");
    auto rows = ledger::transfers_of(session, request.param("account"), *before, limit + 1);
    std::optional<std::string> next;
    if (static_cast<std::int64_t>(rows.size()) > limit) {
        rows.pop_back();
        next = intents::make_cursor({std::to_string(rows.back().id)});
    }
    Reply reply = list_reply(
        [&rows](json::Writer& out) {
            for (const auto& row : rows) write(out, row);
        },
        next);
    reply.headers.emplace_back("Cache-Control", "no-store");
    return reply;
}

}  // namespace pawl::http
