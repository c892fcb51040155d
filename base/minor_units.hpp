// How payment companies count the minor units of a currency, where they count otherwise than
// ISO 4217. Reading an event and writing a request both need it, and a table in each would be two
// tables. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/money.hpp"
#include "base/result.hpp"

namespace pawl {

using OwnExponent = std::pair<std::string_view, int>;  // a currency and the decimals it has there

// Of the company whose API is spoken; empty where it counts as ISO 4217 does.
std::span<const OwnExponent> own_exponents(std::string_view company);
int exponent_at(std::string_view company, const Currency& currency);

// Whole units of 10^-exponent, "1050". Refused where that would need rounding or more than 64 bits.
Result<std::string> to_minor_text(const Money& money, int exponent);

}  // namespace pawl
