// The part of the books that one batch of events touches: read from the database under locks,
// changed in memory event by event, written back in one go. Knows no SQL. Owned by one transaction
// of one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/money.hpp"
#include "ledger/entry.hpp"
#include "ledger/sequence.hpp"

namespace pawl::ledger {

// One row of the journal: money moves from the debit account to the credit account.
struct Transfer {
    EffectKey effect_key;
    AccountId debit;
    AccountId credit;
    Money amount;  // above zero
    ProviderName provider;
    EventId event_id;
    std::optional<Sequence> sequence;
    Time posted_at;
    std::string payment_id{};                 // if Pawl's own payment caused it, and no event
    std::string refund_id{};                  // if Pawl's own refund did
    std::optional<ByOperator> by_operator{};  // where an operator did
    EffectKey payment_key{};                  // root of its payment; empty: it belongs to none
    std::optional<Time> occurred_at{};
    EffectKey returns{};      // the movement that it returns, if it does
    std::int64_t id = 0;      // 0: not written yet
    bool taken_back = false;  // by an operator, and nothing is posted in its place
    bool corrected = false;   // by an operator, with another account or amount

    // The event, payment, refund or operator's entry that caused it.
    const std::string& cause() const;
    // The account that is not the clearing account of the books.
    const AccountId& account() const;
    bool is_debit() const;  // of that account
    // A capture from before Pawl, which an operator imported. `occurred_at` is the time as of which
    // its amounts, and those of the payment's returns, were stated.
    bool is_imported() const;
};

struct Balance {
    std::int64_t amount = 0;
    std::optional<Sequence> last_event_sequence;
    std::int64_t late_count = 0;
    std::int64_t version = 0;  // as it is in the database; 0: no row yet
    bool absolute = false;     // maintained by set_balance, which excludes deltas
    bool touched = false;
};

using BalanceKey = std::pair<AccountId, Currency>;

// The provider's last accepted figure for a movement that it reports as a running total.
struct Total {
    AccountId account;
    Money total;
    std::optional<Sequence> last_sequence;
    bool touched = false;
};

// The value of the journal's column `source` for an operator's entry.
inline constexpr std::string_view operator_source = "operator";

// The other side of a movement of these books, whichever provider or gateway reports it.
AccountId clearing_account(const std::string& books);
bool is_clearing(const AccountId& account);

class Book {
  public:
    void load(BalanceKey key, Balance balance) { balances_[std::move(key)] = balance; }
    void load(SequenceKey key, SequenceState stream) { streams_[std::move(key)] = stream; }
    void load(EffectKey key, Total total) { totals_[std::move(key)] = std::move(total); }
    void load(Transfer posted);
    // An operator has moved the transfer with this number to another account.
    void load_corrected(std::int64_t transfer, AccountId holder);
    // When a posted movement was reported again.
    void load_report(const EffectKey& key, Time at) { reports_[key].insert(at); }
    // A return that had nothing to return, and is evaluated again with the movement `need`.
    void await_return(const EffectKey& need, Time at) { awaited_[need].insert(at); }

    // The journal holds one key of each hash (key_hash in migrations/0003): `key` has that of
    // `first`.
    void load_hash(EffectKey key, EffectKey first) { hashes_[std::move(key)] = std::move(first); }

    // The transfer under this key; null if none is posted.
    const Transfer* find(const EffectKey& key) const;
    // The movement that meets this need: under its key, or below it; one that an operator has taken
    // back only if there is no other.
    const Transfer* met_by(const EffectKey& need) const;
    // The transfers of a movement that happened more than once: under its key, and under that with
    // "#" and a number.
    std::vector<const Transfer*> repetitions_of(const EffectKey& key) const;
    // Every movement below a stem, in the order in which they were posted; not that of the stem.
    const std::vector<const Transfer*>& below(const EffectKey& stem) const;
    const AccountId& holding_account(const Transfer& posted) const;
    // The imported capture of a payment, by its root; nullptr where none was imported.
    const Transfer* imported_under(const EffectKey& root) const;
    // The account to which operators have moved what `account` had under a root; else `account`.
    const AccountId& moved_to(const EffectKey& root, const AccountId& account) const;
    const std::vector<const Transfer*>& corrected() const { return corrected_transfers_; }
    std::vector<const Transfer*> returns_of(const EffectKey& key) const;
    const std::set<Time>& reports_of(const EffectKey& key) const;
    const std::set<Time>& awaited_returns_of(const EffectKey& key) const;
    // Another key of its hash is posted, and leaves no place for it.
    bool taken_by_other_key(const EffectKey& key) const;
    Balance& balance(const BalanceKey& key) { return balances_[key]; }
    SequenceState& stream(const SequenceKey& key) { return streams_[key]; }
    const Total* total(const EffectKey& key) const;

    // Adds a row to the journal; the caller has moved the balances.
    const Transfer& post(Transfer transfer);
    void set(const EffectKey& key, Total total) { totals_[key] = std::move(total); }
    void report(const EffectKey& key, Time at);
    void confirm(const EffectKey& total, Sequence number);  // the same total, reported as newer

    const std::map<BalanceKey, Balance>& balances() const { return balances_; }
    const std::map<SequenceKey, SequenceState>& streams() const { return streams_; }
    const std::map<EffectKey, Total>& totals() const { return totals_; }
    const std::vector<const Transfer*>& new_transfers() const { return new_transfers_; }
    const std::vector<std::pair<EffectKey, Time>>& new_reports() const { return new_reports_; }

  private:
    const Transfer& keep(Transfer transfer);

    std::map<BalanceKey, Balance> balances_;  // sorted: locks and writes follow this order
    std::map<SequenceKey, SequenceState> streams_;
    std::map<EffectKey, Total> totals_;
    std::unordered_map<EffectKey, Transfer> effects_;  // nodes: a Transfer stays where it is
    std::map<EffectKey, std::vector<const Transfer*>> below_;  // by stem, without the stem's own
    std::map<EffectKey, std::vector<const Transfer*>> returns_;
    std::map<std::int64_t, AccountId> corrected_;       // of transfers, by number
    std::vector<const Transfer*> corrected_transfers_;  // some of `effects_`
    std::map<EffectKey, std::set<Time>> reports_;
    std::map<EffectKey, std::set<Time>> awaited_;
    std::map<EffectKey, EffectKey> hashes_;       // of keys that share their hash: hardly any
    std::vector<const Transfer*> new_transfers_;  // some of `effects_`, in order
    std::vector<std::pair<EffectKey, Time>> new_reports_;
};

}  // namespace pawl::ledger
