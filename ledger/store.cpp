#include "ledger/store.hpp"

#include <algorithm>

#include "db/chain/writer.hpp"
#include "ledger/chained.hpp"
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

struct TransferColumns {
    db::Texts keys, debits, credits, currencies, providers, events, payments, refunds;
    db::Numbers amounts, sequences;

    explicit TransferColumns(const std::vector<const Transfer*>& transfers) {
        for (const Transfer* one : transfers) {
            keys.add(one->effect_key.str());
            debits.add(one->debit.str());
            credits.add(one->credit.str());
            currencies.add(one->amount.currency.code());
            amounts.add(one->amount.minor);
            providers.add_known(one->provider.str());
            events.add_known(one->event_id.str());
            sequences.add(number_of(one->sequence));
            payments.add_known(one->payment_id);
            refunds.add_known(one->refund_id);
        }
    }
};

// Columns that nearly all transfers leave empty are sent only where one of these does not.
void add_rare_columns(sql::PostTransfers& posting, const std::vector<const Transfer*>& transfers) {
    const auto any = [&](auto has) { return std::any_of(transfers.begin(), transfers.end(), has); };
    if (any([](const Transfer* one) { return !one->payment_key.empty(); })) {
        db::Texts roots;
        for (const Transfer* one : transfers) roots.add_known(one->payment_key);
        posting.payment_keys = std::move(roots);
    }
    if (!any([](const Transfer* one) { return one->by_operator.has_value(); })) return;
    db::Texts entries, sources, reasons;
    db::Numbers reversed, corrected;
    for (const Transfer* one : transfers) {
        const ByOperator act = one->by_operator.value_or(ByOperator{});
        entries.add_known(act.entry_id);
        sources.add_known(one->by_operator ? operator_source : "");
        reasons.add_known(act.reason);
        reversed.add(act.reverses);
        corrected.add(act.corrects);
    }
    posting.entry_ids = std::move(entries);
    posting.sources = std::move(sources);
    posting.reasons = std::move(reasons);
    posting.reversed = std::move(reversed);
    posting.corrected = std::move(corrected);
}

void write_total_transfers(db::Transaction& transaction,
                           const std::vector<const Transfer*>& transfers) {
    db::Texts keys, books, objects, currencies;
    for (const Transfer* one : transfers) {
        if (!one->total) continue;
        keys.add(one->effect_key.str());
        books.add(std::get<0>(*one->total));
        objects.add(std::get<1>(*one->total));
        currencies.add(std::get<2>(*one->total).code());
    }
    if (keys.empty()) return;
    transaction.run(sql::InsertTotalTransfers{.effect_key = std::move(keys),
                                              .books = std::move(books),
                                              .object = std::move(objects),
                                              .currency = std::move(currencies)});
}

// Those that were touched, without their amounts: the database adds the transfers up.
struct BalanceColumns {
    db::Texts accounts, currencies;
    db::Numbers late_counts, versions, sequences;
    db::Flags absolutes;

    explicit BalanceColumns(const std::map<BalanceKey, Balance>& balances) {
        for (const auto& [key, balance] : balances) {
            if (!balance.touched) continue;
            accounts.add(key.first.str());
            currencies.add(key.second.code());
            sequences.add(number_of(balance.last_event_sequence));
            late_counts.add(balance.late_count);
            versions.add(balance.version);
            absolutes.add(balance.absolute);
        }
    }
};

// Every row gets the mark of its link, the last one the link itself.
void add_link(sql::PostTransfers& posting, db::ChainAppender::Link written, std::size_t rows) {
    db::Bytes links;
    for (std::size_t i = 1; i < rows; ++i) links.add_null();
    links.add(written.link);
    posting.chain_mark = std::move(written.mark);
    posting.chain_links = std::move(links);
}

void post(db::Transaction& transaction, const Book& book, Time now) {
    const auto& transfers = book.new_transfers();
    BalanceColumns balances(book.balances());
    if (balances.accounts.empty() && transfers.empty()) return;
    TransferColumns columns(transfers);
    sql::PostTransfers posting{.effect_keys = std::move(columns.keys),
                               .debits = std::move(columns.debits),
                               .credits = std::move(columns.credits),
                               .currencies = std::move(columns.currencies),
                               .amounts = std::move(columns.amounts),
                               .provider_names = std::move(columns.providers),
                               .event_ids = std::move(columns.events),
                               .numbers = std::move(columns.sequences),
                               .at = now,
                               .payment_ids = std::move(columns.payments),
                               .refund_ids = std::move(columns.refunds),
                               .accounts = std::move(balances.accounts),
                               .account_currencies = std::move(balances.currencies),
                               .last_sequences = std::move(balances.sequences),
                               .late_counts = std::move(balances.late_counts),
                               .versions = std::move(balances.versions),
                               .absolutes = std::move(balances.absolutes),
                               .chain_mark = std::nullopt,
                               .chain_links = std::nullopt,
                               .payment_keys = std::nullopt,
                               .entry_ids = std::nullopt,
                               .sources = std::nullopt,
                               .reasons = std::nullopt,
                               .reversed = std::nullopt,
                               .corrected = std::nullopt};
    add_rare_columns(posting, transfers);
    db::ChainAppender* chain =
        transfers.empty() ? nullptr : transaction.chain_of(chain::Table::transfers);
    if (chain != nullptr) {
        add_link(posting, chain->append(chained(transfers, now)), transfers.size());
    }
    const auto posted = transaction.run(posting);
    if (chain == nullptr) return;
    chain->placed(posted.only().ids(), posted.only().last_id().value());
}

void write_sequences(db::Transaction& transaction,
                     const std::map<SequenceKey, SequenceState>& streams) {
    db::Texts books, scopes;
    db::Numbers lasts;
    db::Times gaps;
    for (const auto& [key, stream] : streams) {
        if (!stream.touched) continue;
        books.add(key.first);
        scopes.add(key.second);
        lasts.add(number_of(stream.last));
        gaps.add(stream.gap_since);
    }
    if (books.empty()) return;
    transaction.run(sql::WriteSequences{.books = std::move(books),
                                        .scope = std::move(scopes),
                                        .last = std::move(lasts),
                                        .gap_since = std::move(gaps)});
}

void write_totals(db::Transaction& transaction, const std::map<TotalKey, Total>& totals) {
    db::Texts books, objects, currencies;
    db::Numbers posted, sequences;
    for (const auto& [key, total] : totals) {
        if (!total.touched) continue;
        books.add(std::get<0>(key));
        objects.add(std::get<1>(key));
        currencies.add(std::get<2>(key).code());
        posted.add(total.posted);
        sequences.add(number_of(total.last_sequence));
    }
    if (books.empty()) return;
    transaction.run(sql::WriteTotals{.books = std::move(books),
                                     .object = std::move(objects),
                                     .currency = std::move(currencies),
                                     .posted = std::move(posted),
                                     .last_sequence = std::move(sequences)});
}

std::optional<ByOperator> operator_of(std::optional<std::string_view> entry_id) {
    if (!entry_id) return std::nullopt;
    return ByOperator{std::string(*entry_id), ""};
}

db::Texts texts_of(const std::set<EffectKey>& keys) {
    db::Texts texts;
    for (const EffectKey& key : keys) texts.add(key.str());
    return texts;
}

}  // namespace

void read_sequences(db::Transaction& transaction, const std::set<SequenceKey>& keys, Book& book) {
    if (keys.empty()) return;
    db::Texts books, scopes;
    for (const auto& [name, scope] : keys) {
        books.add(name);
        scopes.add(scope);
    }
    for (const auto row : transaction.run(
             sql::ReadSequences{.books = std::move(books), .scope = std::move(scopes)})) {
        book.load(SequenceKey{std::string(row.books()), std::string(row.scope())},
                  SequenceState{sequence_of(row.last()), row.gap_since(), false});
    }
}

void read_totals(db::Transaction& transaction, const std::set<TotalKey>& keys, Book& book) {
    if (keys.empty()) return;
    db::Texts books, objects, currencies;
    for (const auto& [name, object, currency] : keys) {
        books.add(name);
        objects.add(object);
        currencies.add(currency.code());
    }
    for (const auto row : transaction.run(sql::ReadTotals{.books = std::move(books),
                          .object = std::move(objects),
                          .currency = std::move(currencies)})) {
        const Currency currency = money_of(0, row.currency()).currency;
        book.load(TotalKey{std::string(row.books()), std::string(row.object()), currency},
                  Total{row.posted(), sequence_of(row.last_sequence()), false});
    }
}

void load_effects(db::Transaction& transaction, const std::set<EffectKey>& keys, Hashes hashes,
                  Book& book) {
    if (keys.empty()) return;
    std::set<EffectKey> known = keys;
    for (const auto row : transaction.run(sql::PostedEffects{.effect_key = texts_of(keys)})) {
        const EffectKey& key = *known.emplace(std::string(row.effect_key())).first;
        book.load(Transfer{.effect_key = key,
                           .debit = AccountId(std::string(row.debit_account())),
                           .credit = AccountId(std::string(row.credit_account())),
                           .amount = money_of(row.amount(), row.currency()),
                           .provider = ProviderName(std::string(row.provider())),
                           .event_id = EventId(std::string(row.event_id())),
                           .sequence = sequence_of(row.sequence()),
                           .posted_at = row.posted_at(),
                           .payment_id = std::string(row.payment_id().value_or("")),
                           .refund_id = std::string(row.refund_id().value_or("")),
                           .total = std::nullopt,
                           .by_operator = operator_of(row.entry_id()),
                           .payment_key = std::string(row.payment_key().value_or("")),
                           .taken_back = row.taken_back()});
    }
    const bool one_more = known.size() > keys.size();
    if (known.size() < 2 || (hashes == Hashes::trusted && !one_more)) return;
    for (const auto row : transaction.run(sql::EffectsOfOneHash{.effect_key = texts_of(known)})) {
        book.load_hash(EffectKey(std::string(row.effect_key())),
                       EffectKey(std::string(row.first())));
    }
}

void lock_balances(db::Transaction& transaction, const std::set<BalanceKey>& keys, Book& book) {
    if (keys.empty()) return;
    db::Texts accounts, currencies;
    for (const auto& [account, currency] : keys) {
        accounts.add(account.str());
        currencies.add(currency.code());
    }
    for (const auto row : transaction.run(sql::LockBalances{.accounts = std::move(accounts),
                          .currencies = std::move(currencies)})) {
        const Currency currency = money_of(0, row.currency()).currency;
        book.load(BalanceKey{AccountId(std::string(row.account())), currency},
                  Balance{row.amount(), sequence_of(row.last_event_sequence()), row.late_count(),
                          row.version(), row.absolute(), false});
    }
}

void write(db::Transaction& transaction, const Book& book, Time now) {
    post(transaction, book, now);
    write_sequences(transaction, book.streams());
    write_totals(transaction, book.totals());
    write_total_transfers(transaction, book.new_transfers());
}

}  // namespace pawl::ledger
