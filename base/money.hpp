// Money: a whole number of minor units and the currency they are of. The one place that knows how
// many decimals a currency has; decimal text is converted digit by digit, never through a binary
// fraction. Plain values, free to copy between threads.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pawl {

// An active ISO 4217 code with a minor unit. Gold, test codes and "no currency" are not money here.
class Currency {
  public:
    Currency() = default;  // ISO 4217's "no currency": a value before there is one
    static Result<Currency> parse(std::string_view code);  // either case; kept in upper case
    static std::span<const Currency> all();

    std::string_view code() const { return {code_.data(), code_.size()}; }
    std::string str() const { return std::string(code()); }
    int exponent() const { return exponent_; }  // 0 for JPY, 2 for USD, 3 for KWD, 4 for CLF
    auto operator<=>(const Currency&) const = default;

    // For the table in iso4217.inc.
    constexpr Currency(const char (&code)[4], int exponent)
        : code_{code[0], code[1], code[2]}, exponent_(static_cast<std::int8_t>(exponent)) {}

  private:
    std::array<char, 3> code_ = {'X', 'X', 'X'};
    std::int8_t exponent_ = 0;
};

struct Money {
    std::int64_t minor = 0;
    Currency currency;
    bool operator==(const Money&) const = default;
};

// Refused where the currencies differ or the result does not fit in 64 bits.
Result<Money> add(const Money& a, const Money& b);
Result<Money> subtract(const Money& a, const Money& b);
Result<Money> negate(const Money& a);

// "10.50" or "-3" or "1.5e3", the grammar of a JSON number. Exact or refused: more decimals than
// the currency has are accepted only as zeros ("10.500" USD is 10.50, "10.505" is refused), and an
// exponent is applied by moving the decimal point.
Result<Money> from_decimal_text(std::string_view text, Currency currency);

// "1050": a whole number of minor units. A decimal point is refused even in "1050.0", because it
// is the mark of an amount in major units whose rule says minor; "1e3" is 1000.
Result<Money> from_minor_text(std::string_view text, Currency currency);

// Minor units as a provider counts them, where it counts decimals differently from ISO 4217
// (Stripe writes ISK with two). Refused where the amount cannot be expressed.
Result<Money> from_minor_text(std::string_view text, Currency currency, int provider_exponent);

std::string to_decimal_text(const Money& money);  // 10.50, always with all decimals

}  // namespace pawl

template <>
struct std::hash<pawl::Currency> {
    std::size_t operator()(const pawl::Currency& currency) const noexcept {
        return std::hash<std::string_view>{}(currency.code());
    }
};
