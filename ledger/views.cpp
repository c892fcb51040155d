#include "ledger/views.hpp"

#include "ledger/book.hpp"
#include "ledger/sql.hpp"

namespace pawl::ledger {
namespace {

BalanceRow to_balance(const db::Row& row) {
    return {row.str(0),          row.str(1),    row.number(2),
            row.maybe_number(3), row.number(4), row.number(5)};
}

std::vector<BalanceRow> all_of(const db::Rows& rows) {
    std::vector<BalanceRow> all;
    for (const db::Row row : rows) all.push_back(to_balance(row));
    return all;
}

}  // namespace

std::vector<BalanceRow> list_balances(db::Session& session, const std::string& after_account,
                                      const std::string& after_currency, std::int64_t limit) {
    const auto params = db::Params().text(after_account).text(after_currency).number(limit);
    return all_of(db::Statement::run(session, sql::list_balances, params));
}

std::vector<BalanceRow> balances_of(db::Session& session, const std::string& account) {
    const bool summed = is_clearing(AccountId(account));
    const db::Query& query = summed ? sql::sum_clearing : sql::balances_of;
    return all_of(db::Statement::run(session, query, db::Params().text(account)));
}

std::vector<TransferRow> transfers_of(db::Session& session, const std::string& account,
                                      std::int64_t before_id, std::int64_t limit) {
    const auto params = db::Params().text(account).number(before_id).number(limit);
    const bool clearing = is_clearing(AccountId(account));
    const db::Query& query = clearing ? sql::transfers_of_clearing : sql::transfers_of;
    std::vector<TransferRow> all;
    for (const db::Row row : db::Statement::run(session, query, params)) {
        all.push_back({row.number(0), row.str(1), row.str(2), row.str(3), row.str(4), row.number(5),
                       row.maybe_text(6), row.maybe_text(7), row.maybe_number(8),
                       to_rfc3339(row.time(9))});
    }
    return all;
}

}  // namespace pawl::ledger
