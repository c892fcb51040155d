// One request under an Idempotency-Key, in one transaction: the first use does the work; a retry is
// given the stored answer, is told that the first is still at it, or, where whoever waited is gone,
// waits for the answer itself; another request under a used key is refused.
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

// What a request that needs a key brings. A Reply: it brings none, or one that cannot be read.
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
