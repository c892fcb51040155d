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

std::set<std::int64_t> required_locks(const Submission& submission) {
    return numbers_of(lock_set_of({&submission}));
}

Locks probe_locks(db::Session& session, const Batch& batch) {
    const LockSet lock_set = lock_set_of(batch);
    Locks locks{numbers_of(lock_set), {}};
    db::Numbers numbers;
    for (const std::int64_t number : lock_keys(lock_set)) numbers.add(number);
    db::Texts accounts, currencies;
    for (const auto& [account, currency] : lock_set.balances) {
        accounts.add(account.str());
        currencies.add(currency.code());
    }
    db::Transaction question(session);  // its end releases its own locks
    // The query waits for no row, but it would wait for a session that has locked a whole table.
    question.run_script("SET LOCAL lock_timeout = '100ms'");
    for (const auto row : question.run(sql::LockedKeys{.key = std::move(numbers)})) {
        locks.held.insert(row.key());
    }
    for (const auto row : question.run(sql::LockedBalances{.accounts = std::move(accounts),
                          .currencies = std::move(currencies)})) {
        const auto currency = Currency::parse(row.currency());
        if (!currency) continue;
        locks.held.insert(lock_key({AccountId(std::string(row.account())), *currency}));
    }
    return locks;
}

}  // namespace pawl::intents
