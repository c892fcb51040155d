#include "intents/commit/locked.hpp"

#include "intents/accept/lock_keys.hpp"
#include "intents/accept/lock_set.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

std::set<std::int64_t> numbers_of(const LockSet& lock_set) {
    std::set<std::int64_t> numbers = lock_keys(lock_set);
    for (const ledger::BalanceKey& balance : lock_set.balances) numbers.insert(lock_key(balance));
    return numbers;
}

}  // namespace

std::set<std::int64_t> locks_of(const Submission& submission) {
    return numbers_of(lock_set_of({&submission}));
}

Locks look_at_locks(db::Session& session, const Batch& batch) {
    const LockSet lock_set = lock_set_of(batch);
    Locks locks{numbers_of(lock_set), {}};
    db::Numbers numbers;
    for (const std::int64_t number : lock_keys(lock_set)) numbers.add(number);
    db::Texts accounts, currencies;
    for (const auto& [account, currency] : lock_set.balances) {
        accounts.add(account.str());
        currencies.add(currency.code());
    }
    db::Transaction question(session);  // what it locks, its end lets go
    // Asking waits for no row, but it would for somebody who has locked a whole table.
    question.run_script("SET LOCAL lock_timeout = '100ms'");
    const auto advisory = db::Params().column(std::move(numbers));
    for (const db::Row row : question.run(sql::locked_keys, advisory)) {
        locks.held.insert(row.number(0));
    }
    const auto rows = db::Params().column(std::move(accounts)).column(std::move(currencies));
    for (const db::Row row : question.run(sql::locked_balances, rows)) {
        const auto currency = Currency::parse(row.text(1));
        if (currency) locks.held.insert(lock_key({AccountId(row.str(0)), *currency}));
    }
    return locks;
}

}  // namespace pawl::intents
