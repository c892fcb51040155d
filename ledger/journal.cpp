#include "ledger/journal.hpp"

#include <map>

#include "ledger/sql.hpp"

namespace pawl::ledger {
namespace {

Posted to_posted(const sql::PostedRow& row) {
    const auto currency = Currency::parse(row.currency());
    if (!currency) throw db::Failure(db::FailureKind::permanent, "", currency.error().message);
    return {.id = row.id(),
            .effect_key = EffectKey(std::string(row.effect_key())),
            .debit = AccountId(std::string(row.debit_account())),
            .credit = AccountId(std::string(row.credit_account())),
            .amount = {row.amount(), *currency},
            .payment_key = std::string(row.payment_key().value_or("")),
            .entry_id = std::string(row.entry_id().value_or("")),
            .reverses = row.reverses(),
            .corrects = row.corrects(),
            .reversed_by = row.reversed_by()};
}

std::vector<Posted> all_of(const db::RowsOf<sql::PostedRow>& rows) {
    std::vector<Posted> all;
    for (const auto row : rows) all.push_back(to_posted(row));
    return all;
}

}  // namespace

std::optional<Posted> find_transfer(db::Transaction& transaction, std::int64_t id) {
    const auto found = all_of(transaction.run(sql::FindTransfer{.id = id}));
    return found.empty() ? std::nullopt : std::optional(found[0]);
}

std::vector<Posted> transfers_under(db::Transaction& transaction, const std::string& payment_key) {
    return all_of(transaction.run(sql::TransfersUnder{.payment_key = payment_key}));
}

std::vector<Posted> transfers_of_entry(db::Transaction& transaction, const std::string& entry_id) {
    return all_of(transaction.run(sql::TransfersOfEntry{.entry_id = entry_id}));
}

std::vector<Posted> transfers_of_event(db::Transaction& transaction, const std::string& provider,
                                       const std::string& event_id,
                                       const std::vector<std::string>& effect_keys) {
    return all_of(transaction.run(sql::TransfersOfEvent{
        .provider = provider, .event_id = event_id, .effect_key = db::Texts(effect_keys)}));
}

std::vector<Posted> in_force(const std::vector<Posted>& transfers) {
    std::map<std::int64_t, bool> takes_back;  // a reversal comes after what it reverses
    std::vector<Posted> standing;
    for (const Posted& one : transfers) {
        bool& back = takes_back[one.id];
        back = one.reverses && !takes_back[*one.reverses];
        if (!back && !one.reversed_by) standing.push_back(one);
    }
    return standing;
}

}  // namespace pawl::ledger
