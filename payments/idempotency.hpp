// The request under an idempotency key, and its response, byte for byte. The row is written with
// the payment, and the response with the settlement, in one transaction each, so that neither
// exists without the other. Inside the caller's transaction, on its thread.
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

// Claims the key. Returns nullopt if this transaction has it now; the earlier use otherwise.
std::optional<KeyUse> take_key(db::Transaction& transaction, const KeyScope& scope,
                               const KeyUse& wanted, Time now);

std::optional<KeyUse> find_key(db::Transaction& transaction, const KeyScope& scope);

// Stores the response of every key that waits for the subject and has none yet; called in the
// transaction that settles a payment or refund. Returns the number of keys.
std::int64_t answer_subject(db::Transaction& transaction, const std::string& subject,
                            const StoredAnswer& answer, Time now);

// Stores the 202 after a wait, unless the settlement was faster. Returns the stored response.
StoredAnswer answer_key(db::Transaction& transaction, const KeyScope& scope,
                        const StoredAnswer& answer, Time now);

// Frees the key, when this transaction commits, after a first use without effect (the order is
// unknown, another payment is in progress).
void give_up_key(db::Transaction& transaction, const KeyScope& scope);

// Adopts a wait whose process has ended and whose time is over: the caller waits until
// `wait_until`. Returns false if another caller does, or if the key has its response.
bool take_over_wait(db::Transaction& transaction, const KeyScope& scope, Time wait_until, Time now);

// Returns the stored responses of the answered keys, by their place in `scopes`.
std::map<std::size_t, StoredAnswer> find_answers(db::Transaction& transaction,
                                                 const std::vector<KeyScope>& scopes);

// Deletes answered keys after their lifetime, at most `keys_max`. A key without a response is never
// deleted, however old. Returns the number of deleted keys.
std::int64_t reap_keys(db::Session& session, std::int64_t keys_max, Time now);

}  // namespace pawl::payments
