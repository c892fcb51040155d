// One request under an Idempotency-Key, in one transaction: the first use does the work; a retry
// gets the stored response, or a 409 while the first request is in progress, or, if that request's
// process has ended, waits for the result itself; another request under a used key is refused.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controllers/v1/v1.hpp"

namespace pawl::http {

struct Keyed {
    payments::KeyScope scope;
    payments::KeyUse use;
};

// Returns the key and the request's fingerprint, or a Reply if the key is missing or invalid.
// `subject` is the id that the payment, capture or refund will have.
std::variant<Reply, Keyed> keyed(const Request& request, const char* route, std::string subject,
                                 Time now, Time expires_at);

// As long as the payment, and payments are never deleted.
constexpr Time for_ever = std::chrono::sys_days(std::chrono::year(9999) / 1 / 1);

// Does the work, or says why not: then nothing may have been written, and the key stays free.
using Work = std::function<std::optional<Reply>(db::Transaction&)>;

HandlerResult under_key(db::Session& session, const Keyed& keyed, const KeyPolicy& policy, Time now,
                        const Work& work);

}  // namespace pawl::http
