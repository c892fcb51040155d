// Derived keys: each follows from its object alone, so that the same object always has the same
// key: effect keys of the ledger, and keys of calls to payment APIs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"

namespace pawl {

// "%", "/", ":", "@", "#" and control characters become %XX: joined parts cannot be confused, nor
// an id with one to which a total or a repetition was appended.
std::string escape_part(std::string_view text);

// <books>/<kind>/<id>, the parts of an id joined with ":", each part escaped.
EffectKey make_effect_key(std::string_view books, std::string_view kind,
                          const std::vector<std::string>& id);

std::string payment_key(std::string_view order, int attempt);  // pay:<order>:<attempt>
std::string refund_key(std::string_view order, int n);         // refund:<order>:<n>
// The key of one step of an operation that has a key itself.
std::string step_key(std::string_view key, std::string_view step);  // <key>:<step>

}  // namespace pawl
