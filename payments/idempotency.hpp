// What a caller asked for under a key of its own, and the answer, byte for byte. The row is written
// in the transaction that makes the payment, and the answer in the transaction that settles it, so
// that neither can be there without the other. Inside the caller's transaction, on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "db/session.hpp"

namespace pawl::payments {

struct KeyScope {
    std::string principal;
    std::string route;  // "POST /v1/orders/{order}/payments"
    std::string key;    // normalised: a structured-field string and a bare value are the same
};

struct StoredAnswer {
    int status = 0;
    std::string headers;  // lines "Name: value\n": Location, ETag, Content-Type
    std::string body;
};

struct KeyUse {
    std::string fingerprint;  // 32 bytes
    std::string subject;      // the payment or refund that the first use made
    Time wait_until;
    Time expires_at;
    std::optional<StoredAnswer> answer;
};

// Taken by this transaction (nothing is returned), or taken before: by whom.
std::optional<KeyUse> take_key(db::Transaction& transaction, const KeyScope& scope,
                               const KeyUse& wanted, Time now);

std::optional<KeyUse> find_key(db::Transaction& transaction, const KeyScope& scope);

// Stores the answer of every key that waits for the subject and has none yet: called where a
// payment or refund settles, in the same transaction. How many there were.
std::int64_t answer_subject(db::Transaction& transaction, const std::string& subject,
                            const StoredAnswer& answer, Time now);

// The wait ran out: stores the 202, unless the settlement was faster. What is stored then.
StoredAnswer answer_key(db::Transaction& transaction, const KeyScope& scope,
                        const StoredAnswer& answer, Time now);

// The first use came to nothing (the order is unknown, another payment is in the way): the key is
// free again when this transaction commits.
void give_up_key(db::Transaction& transaction, const KeyScope& scope);

// Whoever waited is gone, and its time has run out: the caller waits instead, until `wait_until`.
// False: somebody else does, or it has been answered.
bool take_over_wait(db::Transaction& transaction, const KeyScope& scope, Time wait_until, Time now);

// Of many keys those that have been answered, by their place in `scopes`.
std::map<std::size_t, StoredAnswer> find_answers(db::Transaction& transaction,
                                                 const std::vector<KeyScope>& scopes);

// Deletes keys that were answered and whose lifetime is over, at most so many. One without an
// answer is never deleted, however old. How many there were.
std::int64_t reap_keys(db::Session& session, std::int64_t keys_max, Time now);

}  // namespace pawl::payments
