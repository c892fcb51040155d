#include "base/minor_units.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace pawl {
namespace {

Money money(std::int64_t minor, const char* code) {
    return {minor, *Currency::parse(code)};
}

struct Case {
    const char* name;
    Money amount;
    const char* at_stripe;  // nullptr: cannot be expressed
};

TEST(MinorUnits, StripeGetsEachCurrencyAsItCountsIt) {
    const Case cases[] = {
        {"two decimals", money(1050, "USD"), "1050"},
        {"none", money(1050, "JPY"), "1050"},
        {"three", money(1050, "KWD"), "1050"},
        {"krona written with two", money(10, "ISK"), "1000"},
        {"shilling written with two", money(7, "UGX"), "700"},
        {"ariary written whole", money(1000, "MGA"), "10"},
        {"ariary with a fraction", money(1050, "MGA"), nullptr},
        {"below zero", money(-5, "ISK"), "-500"},
        {"nothing", money(0, "MGA"), "0"},
        {"too large for two more digits", money(INT64_MAX / 10, "ISK"), nullptr},
    };
    for (const Case& one : cases) {
        const int exponent = exponent_at("stripe", one.amount.currency);
        const auto text = to_minor_text(one.amount, exponent);
        ASSERT_EQ(text.ok(), one.at_stripe != nullptr) << one.name;
        if (!text) continue;
        EXPECT_EQ(*text, one.at_stripe) << one.name;
        EXPECT_EQ(*from_minor_text(*text, one.amount.currency, exponent), one.amount) << one.name;
    }
}

TEST(MinorUnits, EveryCurrencyComesBackFromStripeAsItWent) {
    for (const Currency& currency : Currency::all()) {
        const int exponent = exponent_at("stripe", currency);
        const auto text = to_minor_text({1000, currency}, exponent);
        ASSERT_TRUE(text.ok()) << currency.code();
        EXPECT_EQ(from_minor_text(*text, currency, exponent)->minor, 1000) << currency.code();
    }
}

TEST(MinorUnits, AnUnknownCompanyCountsAsIso4217) {
    EXPECT_EQ(exponent_at("nobody", *Currency::parse("ISK")), 0);
}

}  // namespace
}  // namespace pawl
