// Reads a Book out of the database under locks, and writes it back. Inside the caller's
// transaction, on the caller's thread.
#pragma once

#include <set>
#include <vector>

#include "db/session.hpp"
#include "ledger/book.hpp"

namespace pawl::ledger {

// The effect keys must already be locked (intents/accept/accept does that): what is read here is
// then what stays true until the commit. The journal holds one key of each hash. Where a posted key
// has the hash of another that is asked for, the book learns so at once; where two of `keys` have
// one, only if they are to be compared, which a retry does, after the journal refused the second.
// With a key comes what is posted below its stem.
enum class Hashes { trusted, compared };
void load_effects(db::Transaction& transaction, const std::set<EffectKey>& keys, Hashes hashes,
                  Book& book);

void read_sequences(db::Transaction& transaction, const std::set<SequenceKey>& keys, Book& book);
void read_totals(db::Transaction& transaction, const std::set<EffectKey>& keys, Book& book);
// The movements that returned those under these keys, and when both were reported again.
void read_returns(db::Transaction& transaction, const std::set<EffectKey>& keys, Book& book);
// The accounts that hold these movements now.
void read_corrections(db::Transaction& transaction, const std::vector<const Transfer*>& posted,
                      Book& book);

// Locks the rows that exist, in sorted order.
void lock_balances(db::Transaction& transaction, const std::set<BalanceKey>& keys, Book& book);

// Throws db::Failure{unique} if another transaction was first: then decide again.
void write(db::Transaction& transaction, const Book& book, Time now);

}  // namespace pawl::ledger
