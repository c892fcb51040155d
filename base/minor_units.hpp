// Minor units of currencies as payment companies count them, where they differ from ISO 4217.
// Reading an event and writing a request share this table. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/money.hpp"
#include "base/result.hpp"

namespace pawl {

using OwnExponent = std::pair<std::string_view, int>;  // a currency and the decimals it has there

// Exponents of the company whose API is used; empty if it follows ISO 4217.
std::span<const OwnExponent> own_exponents(std::string_view company);
int exponent_at(std::string_view company, const Currency& currency);

// Whole units of 10^-exponent, "1050". Refused where that would need rounding or more than 64 bits.
Result<std::string> to_minor_text(const Money& money, int exponent);

}  // namespace pawl
