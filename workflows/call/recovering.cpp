#include "workflows/call/recovering.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "workflows/sql.hpp"

namespace pawl::workflows {

using outbound::GatewayOutcome;

std::optional<Asking> must_ask(db::Transaction& transaction, const std::string& key,
                               const std::string& order) {
    const auto rows = transaction.run(sql::MustAsk{.key = key, .order_id = order});
    if (rows.empty()) return std::nullopt;
    return Asking{rows[0].is_on()};
}

void mark_asked(db::Transaction& transaction, const std::string& key) {
    transaction.run(sql::MarkAsked{.key = key});
}

// A gateway whose "not found" is never final cannot prove that the call was not executed: while the
// recovery is on, an operator compares; its end says that this was done.
Next after_absence(db::Transaction& transaction, const PinnedCall& call,
                   const outbound::GatewayConfig& gateway, const std::optional<Asking>& asking,
                   const std::string& send_step) {
    const auto& final_after = gateway.not_found_final_after;
    if (final_after && !is_absence_final(call, gateway)) {
        const Duration since = call.since_last_send.value_or(Duration{});
        const Duration left = *final_after + gateway.timeout - since;
        return Wait{"ask_first", std::max<Duration>(left, std::chrono::seconds(1)),
                    "recovery: the gateway has not found it, which is not final yet"};
    }
    if (!final_after && asking && asking->is_on) {
        return Review{fmt::format(
            "{}: not sent during recovery: gateway {} does not find it, which never proves that it "
            "was not executed; compare there, then resume after `pawl recover --end`",
            call.key, gateway.name)};
    }
    mark_asked(transaction, call.key);
    return Go{send_step};
}

std::optional<std::string> first_lost(const outbound::GatewayResult& answer,
                                      const std::string& prefix, const LostObject& lost) {
    for (const outbound::FoundObject& other : answer.others) {
        const bool over =
            other.ending == GatewayOutcome::canceled || other.ending == GatewayOutcome::failed;
        if (over || !other.key.starts_with(prefix)) continue;
        if (auto reason = lost(other)) return reason;
    }
    return std::nullopt;
}

}  // namespace pawl::workflows
