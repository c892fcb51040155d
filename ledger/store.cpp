#include "ledger/store.hpp"

#include <algorithm>

#include "base/keys.hpp"
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

// Columns that many transfers leave empty are sent only where one of these does not.
void add_rare_columns(sql::PostTransfers& posting, const std::vector<const Transfer*>& transfers) {
    db::Texts roots;
    db::Times occurred;
    for (const Transfer* one : transfers) {
        roots.add_known(one->payment_key.str());
        occurred.add(one->occurred_at);
    }
    posting.payment_keys = std::move(roots);
    posting.occurred = std::move(occurred);
    const bool by_operator =
        std::any_of(transfers.begin(), transfers.end(),
                    [](const Transfer* one) { return one->by_operator.has_value(); });
    if (!by_operator) return;
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

void write_returned_effects(db::Transaction& transaction,
                            const std::vector<const Transfer*>& transfers) {
    db::Texts keys, returned;
    for (const Transfer* one : transfers) {
        if (one->returns.empty()) continue;
        keys.add(one->effect_key.str());
        returned.add(one->returns.str());
    }
    if (keys.empty()) return;
    transaction.run(
        sql::InsertReturnedEffects{.effect_key = std::move(keys), .returns = std::move(returned)});
}

void write_reports(db::Transaction& transaction, const Book& book) {
    db::Texts keys;
    db::Times times;
    for (const auto& [key, at] : book.new_reports()) {
        keys.add(key.str());
        times.add(at);
    }
    if (keys.empty()) return;
    transaction.run(
        sql::InsertReports{.effect_key = std::move(keys), .occurred_at = std::move(times)});
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
                               .occurred = std::nullopt,
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

void write_totals(db::Transaction& transaction, const std::map<EffectKey, Total>& totals) {
    db::Texts keys, accounts, currencies;
    db::Numbers figures, sequences;
    for (const auto& [key, total] : totals) {
        if (!total.touched) continue;
        keys.add(key.str());
        accounts.add(total.account.str());
        currencies.add(total.total.currency.code());
        figures.add(total.total.minor);
        sequences.add(number_of(total.last_sequence));
    }
    if (keys.empty()) return;
    transaction.run(sql::WriteTotals{.effect_key = std::move(keys),
                                     .account = std::move(accounts),
                                     .currency = std::move(currencies),
                                     .total = std::move(figures),
                                     .last_sequence = std::move(sequences)});
}

std::optional<ByOperator> operator_of(std::optional<std::string_view> entry_id) {
    if (!entry_id) return std::nullopt;
    return ByOperator{std::string(*entry_id), ""};
}

std::string or_empty(std::optional<std::string_view> text) {
    return std::string(text.value_or(""));
}

Transfer transfer_of(const sql::EffectRow& row) {
    return {.effect_key = EffectKey(std::string(row.effect_key())),
            .debit = AccountId(std::string(row.debit_account())),
            .credit = AccountId(std::string(row.credit_account())),
            .amount = money_of(row.amount(), row.currency()),
            .provider = ProviderName(or_empty(row.provider())),
            .event_id = EventId(or_empty(row.event_id())),
            .sequence = sequence_of(row.sequence()),
            .posted_at = row.posted_at(),
            .payment_id = or_empty(row.payment_id()),
            .refund_id = or_empty(row.refund_id()),
            .by_operator = operator_of(row.entry_id()),
            .payment_key = EffectKey(or_empty(row.payment_key())),
            .occurred_at = row.occurred_at(),
            .returns = {},
            .id = row.id()};
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

void read_totals(db::Transaction& transaction, const std::set<EffectKey>& keys, Book& book) {
    if (keys.empty()) return;
    for (const auto row : transaction.run(sql::ReadTotals{.effect_key = texts_of(keys)})) {
        book.load(
            EffectKey(std::string(row.effect_key())),
            Total{AccountId(std::string(row.account())), money_of(row.total(), row.currency()),
                  sequence_of(row.last_sequence()), false});
    }
}

void load_effects(db::Transaction& transaction, const std::set<EffectKey>& keys, Hashes hashes,
                  Book& book) {
    if (keys.empty()) return;
    std::set<EffectKey> asked = keys;
    for (const EffectKey& key : keys) {
        if (!is_stem(key)) asked.insert(stem_of(key));
    }
    std::set<EffectKey> known = asked;
    for (const auto row : transaction.run(sql::PostedEffects{.effect_key = texts_of(asked)})) {
        Transfer posted = transfer_of(row.effect());
        posted.taken_back = row.taken_back();
        posted.corrected = row.corrected();
        if (!asked.contains(stem_of(posted.effect_key))) known.insert(posted.effect_key);
        book.load(std::move(posted));
    }
    const bool one_more = known.size() > asked.size();
    if (known.size() < 2 || (hashes == Hashes::trusted && !one_more)) return;
    for (const auto row : transaction.run(sql::EffectsOfOneHash{.effect_key = texts_of(known)})) {
        book.load_hash(EffectKey(std::string(row.effect_key())),
                       EffectKey(std::string(row.first())));
    }
}

void read_returns(db::Transaction& transaction, const std::set<EffectKey>& keys, Book& book) {
    if (keys.empty()) return;
    std::set<EffectKey> reported = keys;
    for (const auto row : transaction.run(sql::ReadReturns{.effect_key = texts_of(keys)})) {
        Transfer posted = transfer_of(row.effect());
        posted.returns = EffectKey(std::string(row.returns()));
        const std::string& key = posted.effect_key.str();
        reported.insert(EffectKey(key.substr(0, key.find('#'))));
        book.load(std::move(posted));
    }
    for (const auto row : transaction.run(sql::ReadReports{.effect_key = texts_of(reported)})) {
        book.load_report(EffectKey(std::string(row.effect_key())), row.occurred_at());
    }
}

void read_corrections(db::Transaction& transaction, const std::vector<const Transfer*>& posted,
                      Book& book) {
    std::set<std::int64_t> each;
    for (const Transfer* one : posted) {
        if (one->id != 0) each.insert(one->id);
    }
    if (each.empty()) return;
    db::Numbers ids;
    for (const std::int64_t id : each) ids.add(id);
    for (const auto row : transaction.run(sql::ReadCorrections{.id = std::move(ids)})) {
        const AccountId debit{std::string(row.debit_account())};
        const AccountId credit{std::string(row.credit_account())};
        book.load_corrected(row.first(), is_clearing(debit) ? credit : debit);
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
    write_returned_effects(transaction, book.new_transfers());
    write_reports(transaction, book);
}

}  // namespace pawl::ledger
