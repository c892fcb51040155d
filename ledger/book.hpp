// The part of the books that one batch of events touches: read from the database under locks,
// changed in memory event by event, written back in one go. Knows no SQL. Owned by one transaction
// of one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/money.hpp"
#include "ledger/entry.hpp"
#include "ledger/sequence.hpp"

namespace pawl::ledger {

using TotalKey = std::tuple<std::string, std::string, Currency>;  // books, object

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
    std::string payment_id{};                 // where a payment of ours caused it, and no event
    std::string refund_id{};                  // where a refund of ours did
    std::optional<TotalKey> total{};          // the running total that grew by it, if one did
    std::optional<ByOperator> by_operator{};  // where an operator did
    std::string payment_key{};                // root of its payment, if it belongs to one
    bool taken_back = false;                  // by an operator, who posted nothing in its place

    // The event, payment, refund or operator's entry that caused it.
    const std::string& cause() const {
        if (by_operator) return by_operator->entry_id;
        if (!payment_id.empty()) return payment_id;
        return refund_id.empty() ? event_id.str() : refund_id;
    }
};

struct Balance {
    std::int64_t amount = 0;
    std::optional<Sequence> last_event_sequence;
    std::int64_t late_count = 0;
    std::int64_t version = 0;  // as it is in the database; 0: no row yet
    bool absolute = false;     // it is told its amount, and takes no increments
    bool touched = false;
};

using BalanceKey = std::pair<AccountId, Currency>;

// What was posted for an object whose provider reports totals.
struct Total {
    std::int64_t posted = 0;
    std::optional<Sequence> last_sequence;
    bool touched = false;
};

// What the journal's column `source` says of an operator's entry.
inline constexpr std::string_view operator_source = "operator";

// The other side of a movement of these books, whichever provider or gateway reports it.
AccountId clearing_account(const std::string& books);
bool is_clearing(const AccountId& account);

class Book {
  public:
    void load(BalanceKey key, Balance balance) { balances_[std::move(key)] = balance; }
    void load(SequenceKey key, SequenceState stream) { streams_[std::move(key)] = stream; }
    void load(TotalKey key, Total total) { totals_[std::move(key)] = total; }
    void load(Transfer posted);

    // The journal holds one key of each hash (key_hash in migrations/0003): `key` has that of
    // `first`.
    void load_hash(EffectKey key, EffectKey first) { hashes_[std::move(key)] = std::move(first); }

    const Transfer* posted(const EffectKey& key) const;
    // Another key of its hash is posted, and leaves no place for it.
    bool taken_by_other_key(const EffectKey& key) const;
    Balance& balance(const BalanceKey& key) { return balances_[key]; }
    SequenceState& stream(const SequenceKey& key) { return streams_[key]; }
    Total& total(const TotalKey& key) { return totals_[key]; }

    // Adds a row to the journal; the caller has moved the balances.
    void post(Transfer transfer);

    const std::map<BalanceKey, Balance>& balances() const { return balances_; }
    const std::map<SequenceKey, SequenceState>& streams() const { return streams_; }
    const std::map<TotalKey, Total>& totals() const { return totals_; }
    const std::vector<const Transfer*>& new_transfers() const { return new_transfers_; }

  private:
    std::map<BalanceKey, Balance> balances_;  // sorted: locks and writes follow this order
    std::map<SequenceKey, SequenceState> streams_;
    std::map<TotalKey, Total> totals_;
    std::unordered_map<EffectKey, Transfer> effects_;  // nodes: a Transfer stays where it is
    std::map<EffectKey, EffectKey> hashes_;            // of keys that share their hash: hardly any
    std::vector<const Transfer*> new_transfers_;       // some of `effects_`, in order
};

}  // namespace pawl::ledger
