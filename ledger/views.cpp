#include "ledger/views.hpp"

#include "ledger/book.hpp"
#include "ledger/sql.hpp"

namespace pawl::ledger {
namespace {

std::vector<BalanceRow> all_of(const db::RowsOf<sql::BalanceRow>& rows) {
    std::vector<BalanceRow> all;
    for (const auto row : rows) {
        all.push_back({.account = std::string(row.account()),
                       .currency = std::string(row.currency()),
                       .amount = row.amount(),
                       .last_event_sequence = row.last_event_sequence(),
                       .late_count = row.late_count(),
                       .version = row.version()});
    }
    return all;
}

std::vector<TransferRow> all_of(const db::RowsOf<sql::TransferRow>& rows) {
    std::vector<TransferRow> all;
    for (const auto row : rows) {
        all.push_back({.id = row.id(),
                       .effect_key = std::string(row.effect_key()),
                       .debit_account = std::string(row.debit_account()),
                       .credit_account = std::string(row.credit_account()),
                       .currency = std::string(row.currency()),
                       .amount = row.amount(),
                       .provider = std::optional<std::string>(row.provider()),
                       .event_id = std::optional<std::string>(row.event_id()),
                       .sequence = row.sequence(),
                       .posted_at = to_rfc3339(row.posted_at())});
    }
    return all;
}

}  // namespace

std::vector<BalanceRow> list_balances(db::Session& session, const std::string& after_account,
                                      const std::string& after_currency, std::int64_t limit) {
    const sql::ListBalances list{
        .after_account = after_account, .after_currency = after_currency, .limit_rows = limit};
    return all_of(db::Statement::run(session, list));
}

std::vector<BalanceRow> balances_of(db::Session& session, const std::string& account) {
    if (is_clearing(AccountId(account))) {
        return all_of(db::Statement::run(session, sql::SumClearing{.account = account}));
    }
    return all_of(db::Statement::run(session, sql::BalancesOf{.account = account}));
}

std::vector<TransferRow> transfers_of(db::Session& session, const std::string& account,
                                      std::int64_t before_id, std::int64_t limit) {
    if (is_clearing(AccountId(account))) {
        const sql::TransfersOfClearing list{
            .account = account, .before_id = before_id, .limit_rows = limit};
        return all_of(db::Statement::run(session, list));
    }
    const sql::TransfersOf list{.account = account, .before_id = before_id, .limit_rows = limit};
    return all_of(db::Statement::run(session, list));
}

}  // namespace pawl::ledger
