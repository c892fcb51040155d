#include "ledger/journal.hpp"

#include <map>

#include "ledger/sql.hpp"

namespace pawl::ledger {
namespace {

Posted to_posted(const db::Row& row) {
    const auto currency = Currency::parse(row.text(4));
    if (!currency) throw db::Failure(db::FailureKind::permanent, "", currency.error().message);
    Posted posted{row.number(0),
                  EffectKey(row.str(1)),
                  AccountId(row.str(2)),
                  AccountId(row.str(3)),
                  {row.number(5), *currency},
                  row.maybe_text(6).value_or(""),
                  row.maybe_text(7).value_or("")};
    posted.reverses = row.maybe_number(8);
    posted.corrects = row.maybe_number(9);
    posted.reversed_by = row.maybe_number(10);
    return posted;
}

std::vector<Posted> all_of(const db::Rows& rows) {
    std::vector<Posted> all;
    for (const db::Row row : rows) all.push_back(to_posted(row));
    return all;
}

}  // namespace

std::optional<Posted> find_transfer(db::Transaction& transaction, std::int64_t id) {
    const auto found = all_of(transaction.run(sql::find_transfer, db::Params().number(id)));
    return found.empty() ? std::nullopt : std::optional(found[0]);
}

std::vector<Posted> transfers_under(db::Transaction& transaction, const std::string& payment_key) {
    return all_of(transaction.run(sql::transfers_under, db::Params().text(payment_key)));
}

std::vector<Posted> transfers_of_entry(db::Transaction& transaction, const std::string& entry_id) {
    return all_of(transaction.run(sql::transfers_of_entry, db::Params().text(entry_id)));
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
