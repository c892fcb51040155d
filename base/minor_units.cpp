#include "base/minor_units.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace pawl {
namespace {

// Stripe's "special cases" are written with two decimals for old programs' sake, although the
// currencies have none; the ariary has fifths, and Stripe counts it whole.
constexpr std::array<OwnExponent, 3> stripe{{{"ISK", 2}, {"UGX", 2}, {"MGA", 0}}};

}  // namespace

std::span<const OwnExponent> own_exponents(std::string_view company) {
    if (company == "stripe") return stripe;
    return {};
}

int exponent_at(std::string_view company, const Currency& currency) {
    const auto own = own_exponents(company);
    const auto found = std::find_if(own.begin(), own.end(), [&](const OwnExponent& entry) {
        return entry.first == currency.code();
    });
    return found == own.end() ? currency.exponent() : found->second;
}

Result<std::string> to_minor_text(const Money& money, int exponent) {
    std::int64_t minor = money.minor;
    for (int places = money.currency.exponent(); places < exponent; ++places) {
        if (__builtin_mul_overflow(minor, std::int64_t{10}, &minor)) {
            return invalid("the amount does not fit in 64 bits");
        }
    }
    for (int places = money.currency.exponent(); places > exponent; --places) {
        if (minor % 10 != 0) {
            return invalid(to_decimal_text(money) + " " + money.currency.str() +
                           " has more decimals than are taken there");
        }
        minor /= 10;
    }
    return std::to_string(minor);
}

}  // namespace pawl
