// Derived keys: each follows from its object alone, so that the same object always has the same
// key: effect keys of the ledger, and keys of calls to payment APIs. Pure.
#pragma once

#include <cstdint>
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

// The form in which a provider reports the captures of a payment: as one, each under an id, or as
// a running total.
enum class CaptureShape { one, ids, total };

// <books>/capture/<payment>: the payment's captures are posted under it, or below it.
EffectKey root_of_payment(std::string_view books, std::string_view payment);
EffectKey total_key(const EffectKey& key, std::int64_t total);  // <key>@<total>
EffectKey repeated_key(const EffectKey& key, int n);            // <key>#<n>

// The key up to the first ":", "@" or "#": a capture's root, or a refund without its repetition.
EffectKey stem_of(const EffectKey& key);
bool is_stem(const EffectKey& key);
bool is_capture(const EffectKey& key);
// Every need that a movement under `key` meets: the key, and its beginnings that end before a
// separator. The stem is the last.
std::vector<EffectKey> needs_met_by(const EffectKey& key);
bool meets(const EffectKey& posted, const EffectKey& need);

std::string payment_key(std::string_view order, int attempt);  // pay:<order>:<attempt>
std::string cancel_key(std::string_view order, int attempt);   // cancel:<order>:<attempt>
std::string refund_key(std::string_view order, int n);         // refund:<order>:<n>
// capture:<order>:<attempt>:<n>
std::string capture_key(std::string_view order, int attempt, int n);
// The key of one step of an operation that has a key itself.
std::string step_key(std::string_view key, std::string_view step);  // <key>:<step>

}  // namespace pawl
