#include "ledger/store.hpp"

#include "ledger/sql.hpp"

namespace pawl::ledger {
namespace {

// The currency was checked when the row was written; a row that is no currency is no row of ours.
Money money_of(std::int64_t minor, std::string_view code) {
    const auto currency = Currency::parse(code);
    if (!currency) throw db::Failure(db::FailureKind::permanent, "", currency.error().message);
    return {minor, *currency};
}

std::optional<Sequence> sequence_of(std::optional<std::int64_t> number) {
    return number ? std::optional(Sequence{*number}) : std::nullopt;
}

std::optional<std::int64_t> number_of(std::optional<Sequence> sequence) {
    return sequence ? std::optional(sequence->value) : std::nullopt;
}

void write_transfers(db::Transaction& transaction, const std::vector<Transfer>& transfers,
                     Time now) {
    if (transfers.empty()) return;
    std::vector<std::string> keys, debits, credits, currencies, providers, events;
    std::vector<std::int64_t> amounts;
    std::vector<std::optional<std::int64_t>> sequences;
    for (const Transfer& one : transfers) {
        keys.push_back(one.effect_key.str());
        debits.push_back(one.debit.str());
        credits.push_back(one.credit.str());
        currencies.push_back(one.amount.currency.str());
        amounts.push_back(one.amount.minor);
        providers.push_back(one.provider.str());
        events.push_back(one.event_id.str());
        sequences.push_back(number_of(one.sequence));
    }
    db::Params params;
    params.texts(keys).texts(debits).texts(credits).texts(currencies).numbers(amounts);
    params.texts(providers).texts(events).numbers(sequences).time(now);
    transaction.run(sql::post_transfers, params);
}

void write_balances(db::Transaction& transaction, const std::map<BalanceKey, Balance>& balances) {
    std::vector<std::string> accounts, currencies;
    std::vector<std::int64_t> amounts, late_counts, versions;
    std::vector<std::optional<std::int64_t>> sequences;
    for (const auto& [key, balance] : balances) {
        if (!balance.touched) continue;
        accounts.push_back(key.first.str());
        currencies.push_back(key.second.str());
        amounts.push_back(balance.amount);
        sequences.push_back(number_of(balance.last_event_sequence));
        late_counts.push_back(balance.late_count);
        versions.push_back(balance.version);
    }
    if (accounts.empty()) return;
    db::Params params;
    params.texts(accounts).texts(currencies).numbers(amounts).numbers(sequences);
    params.numbers(late_counts).numbers(versions);
    const auto written = transaction.run(sql::write_balances, params).affected();
    if (written != static_cast<std::int64_t>(accounts.size())) {
        throw db::Failure(db::FailureKind::unique, "",
                          "a balance was written by somebody else since it was read");
    }
}

}  // namespace

void load_effects(db::Transaction& transaction, const std::set<EffectKey>& keys, Book& book) {
    if (keys.empty()) return;
    std::vector<std::string> wanted;
    for (const EffectKey& key : keys) wanted.push_back(key.str());
    for (const db::Row row : transaction.run(sql::posted_effects, db::Params().texts(wanted))) {
        book.load(Transfer{EffectKey(row.str(0)), AccountId(row.str(1)), AccountId(row.str(2)),
                           money_of(row.number(4), row.text(3)), ProviderName(row.str(5)),
                           EventId(row.str(6)), sequence_of(row.maybe_number(7)), row.time(8)});
    }
}

void lock_balances(db::Transaction& transaction, const std::set<BalanceKey>& keys, Book& book) {
    if (keys.empty()) return;
    std::vector<std::string> accounts, currencies;
    for (const auto& [account, currency] : keys) {
        accounts.push_back(account.str());
        currencies.push_back(currency.str());
    }
    const auto params = db::Params().texts(accounts).texts(currencies);
    for (const db::Row row : transaction.run(sql::lock_balances, params)) {
        const Currency currency = money_of(0, row.text(1)).currency;
        book.load({AccountId(row.str(0)), currency},
                  Balance{row.number(2), sequence_of(row.maybe_number(3)), row.number(4),
                          row.number(5), false});
    }
}

void write(db::Transaction& transaction, const Book& book, Time now) {
    write_transfers(transaction, book.new_transfers(), now);
    write_balances(transaction, book.balances());
}

}  // namespace pawl::ledger
