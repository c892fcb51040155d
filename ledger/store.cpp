#include "ledger/store.hpp"

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

void add_transfers(db::Params& params, const std::vector<const Transfer*>& transfers, Time now) {
    db::Texts keys, debits, credits, currencies, providers, events, payments, refunds, roots;
    db::Numbers amounts, sequences;
    db::Times occurred;
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
        roots.add_known(one->payment_key.str());
        occurred.add(one->occurred_at);
    }
    params.column(std::move(keys))
        .column(std::move(debits))
        .column(std::move(credits))
        .column(std::move(currencies))
        .column(std::move(amounts));
    params.column(std::move(providers))
        .column(std::move(events))
        .column(std::move(sequences))
        .time(now);
    params.column(std::move(payments)).column(std::move(refunds));
    params.column(std::move(roots)).column(std::move(occurred));
}

void write_returned_effects(db::Transaction& transaction,
                            const std::vector<const Transfer*>& transfers) {
    std::vector<std::string> keys, returned;
    for (const Transfer* one : transfers) {
        if (one->returns.empty()) continue;
        keys.push_back(one->effect_key.str());
        returned.push_back(one->returns.str());
    }
    if (keys.empty()) return;
    transaction.run(sql::insert_returned_effects, db::Params().texts(keys).texts(returned));
}

void write_reports(db::Transaction& transaction, const Book& book) {
    std::vector<std::string> keys;
    std::vector<Time> times;
    for (const auto& [key, at] : book.new_reports()) {
        keys.push_back(key.str());
        times.push_back(at);
    }
    if (keys.empty()) return;
    transaction.run(sql::insert_reports, db::Params().texts(keys).times(times));
}

// Without their amounts: the database adds the transfers up. False: there are none.
bool add_balances(db::Params& params, const std::map<BalanceKey, Balance>& balances) {
    db::Texts accounts, currencies;
    db::Numbers late_counts, versions, sequences;
    db::Flags absolutes;
    bool any = false;
    for (const auto& [key, balance] : balances) {
        if (!balance.touched) continue;
        any = true;
        accounts.add(key.first.str());
        currencies.add(key.second.code());
        sequences.add(number_of(balance.last_event_sequence));
        late_counts.add(balance.late_count);
        versions.add(balance.version);
        absolutes.add(balance.absolute);
    }
    params.column(std::move(accounts)).column(std::move(currencies)).column(std::move(sequences));
    params.column(std::move(late_counts)).column(std::move(versions)).column(std::move(absolutes));
    return any;
}

// Every row gets the mark of its link, the last one the link itself.
void add_link(db::Params& params, const db::ChainAppender::Link& written, std::size_t rows) {
    db::Bytes links;
    for (std::size_t i = 1; i < rows; ++i) links.add_null();
    links.add(written.link);
    params.bytes(written.mark).column(std::move(links));
}

void post(db::Transaction& transaction, const Book& book, Time now) {
    const auto& transfers = book.new_transfers();
    db::Params params;
    add_transfers(params, transfers, now);
    const bool any_balance = add_balances(params, book.balances());
    if (!any_balance && transfers.empty()) return;
    db::ChainAppender* chain =
        transfers.empty() ? nullptr : transaction.chain_of(chain::Table::transfers);
    if (chain != nullptr) {
        add_link(params, chain->append(chained(transfers, now)), transfers.size());
    } else {
        params.null().null();
    }
    const db::Rows posted = transaction.run(sql::post_transfers, params);
    if (chain != nullptr) chain->placed(posted.only().text(0), posted.only().number(1));
}

void write_sequences(db::Transaction& transaction,
                     const std::map<SequenceKey, SequenceState>& streams) {
    std::vector<std::string> books, scopes;
    std::vector<std::optional<std::int64_t>> lasts;
    std::vector<std::optional<Time>> gaps;
    for (const auto& [key, stream] : streams) {
        if (!stream.touched) continue;
        books.push_back(key.first);
        scopes.push_back(key.second);
        lasts.push_back(number_of(stream.last));
        gaps.push_back(stream.gap_since);
    }
    if (books.empty()) return;
    transaction.run(sql::write_sequences,
                    db::Params().texts(books).texts(scopes).numbers(lasts).times(gaps));
}

void write_totals(db::Transaction& transaction, const std::map<EffectKey, Total>& totals) {
    std::vector<std::string> keys, accounts, currencies;
    std::vector<std::int64_t> figures;
    std::vector<std::optional<std::int64_t>> sequences;
    for (const auto& [key, total] : totals) {
        if (!total.touched) continue;
        keys.push_back(key.str());
        accounts.push_back(total.account.str());
        currencies.push_back(total.total.currency.str());
        figures.push_back(total.total.minor);
        sequences.push_back(number_of(total.last_sequence));
    }
    if (keys.empty()) return;
    db::Params params;
    params.texts(keys).texts(accounts).texts(currencies).numbers(figures).numbers(sequences);
    transaction.run(sql::write_totals, params);
}

// The columns from `at` on.
Transfer transfer_of(const db::Row& row, int at) {
    Transfer one{EffectKey(row.str(at)),
                 AccountId(row.str(at + 1)),
                 AccountId(row.str(at + 2)),
                 money_of(row.number(at + 4), row.text(at + 3)),
                 ProviderName(row.str(at + 5)),
                 EventId(row.str(at + 6)),
                 sequence_of(row.maybe_number(at + 7)),
                 row.time(at + 8),
                 row.str(at + 9),
                 row.str(at + 10)};
    one.payment_key = EffectKey(row.str(at + 11));
    one.occurred_at = row.maybe_time(at + 12);
    one.id = row.number(at + 13);
    one.entry_id = row.str(at + 14);
    return one;
}

db::Params texts_of(const std::set<EffectKey>& keys) {
    db::Texts texts;
    for (const EffectKey& key : keys) texts.add(key.str());
    return db::Params().column(std::move(texts));
}

}  // namespace

void read_sequences(db::Transaction& transaction, const std::set<SequenceKey>& keys, Book& book) {
    if (keys.empty()) return;
    std::vector<std::string> books, scopes;
    for (const auto& [name, scope] : keys) {
        books.push_back(name);
        scopes.push_back(scope);
    }
    for (const db::Row row :
         transaction.run(sql::read_sequences, db::Params().texts(books).texts(scopes))) {
        book.load(SequenceKey{row.str(0), row.str(1)},
                  SequenceState{sequence_of(row.maybe_number(2)), row.maybe_time(3), false});
    }
}

void read_totals(db::Transaction& transaction, const std::set<EffectKey>& keys, Book& book) {
    if (keys.empty()) return;
    for (const db::Row row : transaction.run(sql::read_totals, texts_of(keys))) {
        book.load(EffectKey(row.str(0)),
                  Total{AccountId(row.str(1)), money_of(row.number(3), row.text(2)),
                        sequence_of(row.maybe_number(4)), false});
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
    for (const db::Row row : transaction.run(sql::posted_effects, texts_of(asked))) {
        Transfer posted = transfer_of(row, 0);
        if (!asked.contains(stem_of(posted.effect_key))) known.insert(posted.effect_key);
        book.load(std::move(posted));
    }
    const bool one_more = known.size() > asked.size();
    if (known.size() < 2 || (hashes == Hashes::trusted && !one_more)) return;
    for (const db::Row row : transaction.run(sql::effects_of_one_hash, texts_of(known))) {
        book.load_hash(EffectKey(row.str(0)), EffectKey(row.str(1)));
    }
}

void read_returns(db::Transaction& transaction, const std::set<EffectKey>& keys, Book& book) {
    if (keys.empty()) return;
    std::set<EffectKey> reported = keys;
    for (const db::Row row : transaction.run(sql::read_returns, texts_of(keys))) {
        Transfer posted = transfer_of(row, 1);
        posted.returns = EffectKey(row.str(0));
        reported.insert(
            EffectKey(posted.effect_key.str().substr(0, posted.effect_key.str().find('#'))));
        book.load(std::move(posted));
    }
    for (const db::Row row : transaction.run(sql::read_reports, texts_of(reported))) {
        book.load_report(EffectKey(row.str(0)), row.time(1));
    }
}

void read_corrections(db::Transaction& transaction, const std::set<EffectKey>& needs, Book& book) {
    std::vector<std::int64_t> numbers;
    for (const EffectKey& need : needs) {
        const Transfer* met = book.met_by(need);
        if (met != nullptr && met->id != 0) numbers.push_back(met->id);
    }
    if (numbers.empty()) return;
    for (const db::Row row :
         transaction.run(sql::read_corrections, db::Params().numbers(numbers))) {
        const AccountId debit(row.str(1)), credit(row.str(2));
        book.load_corrected(row.number(0), is_clearing(debit) ? credit : debit);
    }
}

void lock_balances(db::Transaction& transaction, const std::set<BalanceKey>& keys, Book& book) {
    if (keys.empty()) return;
    db::Texts accounts, currencies;
    for (const auto& [account, currency] : keys) {
        accounts.add(account.str());
        currencies.add(currency.code());
    }
    const auto params = db::Params().column(std::move(accounts)).column(std::move(currencies));
    for (const db::Row row : transaction.run(sql::lock_balances, params)) {
        const Currency currency = money_of(0, row.text(1)).currency;
        book.load(BalanceKey{AccountId(row.str(0)), currency},
                  Balance{row.number(2), sequence_of(row.maybe_number(3)), row.number(4),
                          row.number(5), row.flag(6), false});
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
