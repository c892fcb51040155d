#include "base/money.hpp"

#include <algorithm>
#include <charconv>

namespace pawl {
namespace {

constexpr Currency table[] = {
#include "base/iso4217.inc"
};

// Long enough for any honest amount; text longer than this is never turned into digits at all.
constexpr std::size_t amount_text_max = 64;

// sign, digits and where the point is: value = digits * 10^shift.
struct Decimal {
    bool negative = false;
    bool has_point = false;
    std::string digits;
    int shift = 0;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t digits_from(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    return end - at;
}

bool read_exponent(std::string_view text, int& exponent) {
    if (text.empty()) return true;
    if (text[0] != 'e' && text[0] != 'E') return false;
    text.remove_prefix(1);
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || digits_from(text, 0) != text.size()) return false;
    int size = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), size).ec != std::errc())
        return false;
    if (size > 1000) return false;  // no amount is that large, and the zeros are never written out
    exponent = negative ? -size : size;
    return true;
}

std::optional<Decimal> read_decimal(std::string_view text) {
    if (text.size() > amount_text_max) return std::nullopt;
    Decimal decimal;
    decimal.negative = text.starts_with('-');
    if (decimal.negative) text.remove_prefix(1);
    const std::size_t whole = digits_from(text, 0);
    if (whole == 0 || (whole > 1 && text[0] == '0')) return std::nullopt;
    decimal.digits = text.substr(0, whole);
    text.remove_prefix(whole);
    if (text.starts_with('.')) {
        const std::size_t fraction = digits_from(text, 1);
        if (fraction == 0) return std::nullopt;
        decimal.has_point = true;
        decimal.digits += text.substr(1, fraction);
        decimal.shift = -static_cast<int>(fraction);
        text.remove_prefix(1 + fraction);
    }
    int exponent = 0;
    if (!read_exponent(text, exponent)) return std::nullopt;
    decimal.shift += exponent;
    return decimal;
}

Error bad_amount(std::string_view text, std::string_view why) {
    return invalid("amount \"" + std::string(text.substr(0, amount_text_max)) +
                   "\": " + std::string(why));
}

Result<Money> to_money(Decimal decimal, std::string_view text, Currency currency, int places) {
    std::string& digits = decimal.digits;
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    int shift = decimal.shift + places;
    for (; shift < 0 && !digits.empty(); ++shift) {
        if (digits.back() != '0') {
            return bad_amount(text, "more decimals than " + currency.str() +
                                        " has; write at most " + std::to_string(places));
        }
        digits.pop_back();
    }
    if (digits.empty()) return Money{0, currency};
    // 19 digits are the most that 64 bits hold.
    if (digits.size() + static_cast<std::size_t>(shift) > 19) {
        return bad_amount(text, "too large for 64 bits; write less");
    }
    digits.append(static_cast<std::size_t>(shift), '0');
    if (decimal.negative) digits.insert(digits.begin(), '-');
    Money money{0, currency};
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, money.minor).ec != std::errc()) {
        return bad_amount(text, "too large for 64 bits; write less");
    }
    return money;
}

}  // namespace

std::span<const Currency> Currency::all() {
    return table;
}

Result<Currency> Currency::parse(std::string_view code) {
    std::string upper(code);
    for (char& c : upper) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    const auto found = std::lower_bound(
        std::begin(table), std::end(table), std::string_view(upper),
        [](const Currency& one, std::string_view sought) { return one.code() < sought; });
    if (found != std::end(table) && found->code() == upper) return *found;
    return invalid("currency \"" + std::string(code.substr(0, 16)) +
                   "\": unknown; write an active code of ISO 4217, like USD");
}

Result<Money> add(const Money& a, const Money& b) {
    if (a.currency != b.currency) {
        return invalid("cannot add " + b.currency.str() + " to " + a.currency.str());
    }
    Money sum{0, a.currency};
    if (__builtin_add_overflow(a.minor, b.minor, &sum.minor)) {
        return invalid("the sum does not fit in 64 bits");
    }
    return sum;
}

Result<Money> subtract(const Money& a, const Money& b) {
    if (a.currency != b.currency) {
        return invalid("cannot subtract " + b.currency.str() + " from " + a.currency.str());
    }
    Money difference{0, a.currency};
    if (__builtin_sub_overflow(a.minor, b.minor, &difference.minor)) {
        return invalid("the difference does not fit in 64 bits");
    }
    return difference;
}

Result<Money> negate(const Money& a) {
    return subtract(Money{0, a.currency}, a);
}

Result<Money> from_decimal_text(std::string_view text, Currency currency) {
    auto decimal = read_decimal(text);
    if (!decimal) return bad_amount(text, "invalid; write a decimal number, like 12.50");
    return to_money(std::move(*decimal), text, currency, currency.exponent());
}

Result<Money> from_minor_text(std::string_view text, Currency currency, int provider_exponent) {
    auto decimal = read_decimal(text);
    if (!decimal || decimal->has_point) return bad_amount(text, "is not a whole number");
    return to_money(std::move(*decimal), text, currency, currency.exponent() - provider_exponent);
}

Result<Money> from_minor_text(std::string_view text, Currency currency) {
    return from_minor_text(text, currency, currency.exponent());
}

std::string to_decimal_text(const Money& money) {
    std::string digits = std::to_string(money.minor);
    const bool negative = digits.starts_with('-');
    if (negative) digits.erase(0, 1);
    const auto places = static_cast<std::size_t>(money.currency.exponent());
    if (places > 0) {
        if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
        digits.insert(digits.size() - places, 1, '.');
    }
    return negative ? "-" + digits : digits;
}

}  // namespace pawl
