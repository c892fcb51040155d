#include "base/money.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace pawl {
namespace {

Currency currency(std::string_view code) {
    return Currency::parse(code).value();
}

std::string decimal(std::string_view text, std::string_view code) {
    const auto money = from_decimal_text(text, currency(code));
    return money ? std::to_string(money->minor) : "refused";
}

std::string minor(std::string_view text, std::string_view code) {
    const auto money = from_minor_text(text, currency(code));
    return money ? std::to_string(money->minor) : "refused";
}

TEST(Money, DecimalTextBecomesMinorUnitsExactly) {
    EXPECT_EQ(decimal("10.50", "USD"), "1050");
    EXPECT_EQ(decimal("10.5", "USD"), "1050");
    EXPECT_EQ(decimal("10", "USD"), "1000");
    EXPECT_EQ(decimal("0.29", "USD"), "29");  // 28 through a binary fraction
    EXPECT_EQ(decimal("1.10", "USD"), "110");
    EXPECT_EQ(decimal("-0.01", "USD"), "-1");
    EXPECT_EQ(decimal("-0", "USD"), "0");
    EXPECT_EQ(decimal("1000", "JPY"), "1000");
    EXPECT_EQ(decimal("1000.00", "JPY"), "1000");
    EXPECT_EQ(decimal("1.234", "KWD"), "1234");
    EXPECT_EQ(decimal("1.2345", "CLF"), "12345");
    EXPECT_EQ(decimal("10.500", "USD"), "1050");
}

TEST(Money, DecimalTextThatWouldHaveToBeRoundedIsRefused) {
    EXPECT_EQ(decimal("10.505", "USD"), "refused");
    EXPECT_EQ(decimal("0.5", "JPY"), "refused");
    EXPECT_EQ(decimal("1.2345", "KWD"), "refused");
    EXPECT_EQ(decimal("1e-3", "USD"), "refused");
}

TEST(Money, AnExponentIsAppliedExactly) {
    EXPECT_EQ(decimal("1e3", "USD"), "100000");
    EXPECT_EQ(decimal("1.5E+2", "USD"), "15000");
    EXPECT_EQ(decimal("1050e-2", "USD"), "1050");
    EXPECT_EQ(decimal("0e999", "USD"), "0");
    EXPECT_EQ(decimal("1e999", "USD"), "refused");
    EXPECT_EQ(decimal("1e99999999999", "USD"), "refused");
}

TEST(Money, TextThatIsNotAJsonNumberIsRefused) {
    for (const char* text :
         {"",   "-",  "+1",   "01",  "-01",      ".5",    "1.",  "1,000", " 1",    "1 ",
          "1e", "e3", "0x10", "NaN", "Infinity", "1.2.3", "--1", "1e+",   "1_000", "ten"}) {
        EXPECT_EQ(decimal(text, "USD"), "refused") << text;
        EXPECT_EQ(minor(text, "USD"), "refused") << text;
    }
    EXPECT_EQ(decimal(std::string(100000, '9'), "USD"), "refused");
    EXPECT_EQ(decimal(std::string("1\0", 2), "USD"), "refused");
}

TEST(Money, MinorTextIsAWholeNumber) {
    EXPECT_EQ(minor("1050", "USD"), "1050");
    EXPECT_EQ(minor("1e3", "USD"), "1000");
    EXPECT_EQ(minor("-5", "KWD"), "-5");
    EXPECT_EQ(minor("1050.0", "USD"), "refused");
    EXPECT_EQ(minor("10.50", "USD"), "refused");
}

TEST(Money, AProviderThatCountsOtherDecimalsIsConvertedOrRefused) {
    EXPECT_EQ(from_minor_text("50000", currency("ISK"), 2)->minor, 500);
    EXPECT_FALSE(from_minor_text("50050", currency("ISK"), 2).ok());
    EXPECT_EQ(from_minor_text("5", currency("KWD"), 2)->minor, 50);
}

TEST(Money, AmountsEndWhere64BitsEnd) {
    EXPECT_EQ(minor("9223372036854775807", "USD"), "9223372036854775807");
    EXPECT_EQ(minor("9223372036854775808", "USD"), "refused");
    EXPECT_EQ(minor("-9223372036854775808", "USD"), "-9223372036854775808");
    EXPECT_EQ(decimal("92233720368547758.07", "USD"), "9223372036854775807");
    EXPECT_EQ(decimal("92233720368547758.08", "USD"), "refused");
    EXPECT_EQ(minor("9007199254740993", "USD"), "9007199254740993");  // 2^53 + 1
}

TEST(Money, ArithmeticRefusesOverflowAndMixedCurrencies) {
    const Money most{std::numeric_limits<std::int64_t>::max(), currency("USD")};
    const Money least{std::numeric_limits<std::int64_t>::min(), currency("USD")};
    const Money one{1, currency("USD")};
    EXPECT_EQ(add(one, one)->minor, 2);
    EXPECT_EQ(subtract(one, one)->minor, 0);
    EXPECT_EQ(negate(one)->minor, -1);
    EXPECT_FALSE(add(most, one).ok());
    EXPECT_FALSE(subtract(least, one).ok());
    EXPECT_FALSE(negate(least).ok());
    EXPECT_FALSE(add(one, Money{1, currency("EUR")}).ok());
}

TEST(Money, EveryCurrencyGoesBothWaysThroughDecimalText) {
    EXPECT_GT(Currency::all().size(), 160U);
    for (const Currency& each : Currency::all()) {
        for (std::int64_t value : {0LL, 1LL, -1LL, 99LL, 12345LL, -98765432109LL,
                                   9223372036854775807LL, -9223372036854775807LL - 1}) {
            const Money money{value, each};
            const auto back = from_decimal_text(to_decimal_text(money), each);
            ASSERT_TRUE(back.ok()) << each.code() << " " << to_decimal_text(money);
            EXPECT_EQ(*back, money) << each.code();
        }
    }
}

TEST(Money, DecimalTextAlwaysShowsAllDecimals) {
    EXPECT_EQ(to_decimal_text({1050, currency("USD")}), "10.50");
    EXPECT_EQ(to_decimal_text({5, currency("USD")}), "0.05");
    EXPECT_EQ(to_decimal_text({-5, currency("KWD")}), "-0.005");
    EXPECT_EQ(to_decimal_text({5, currency("JPY")}), "5");
    EXPECT_EQ(to_decimal_text({5, currency("CLF")}), "0.0005");
}

TEST(Currency, CodesAreReadInEitherCaseAndKeptInUpperCase) {
    EXPECT_EQ(currency("usd").code(), "USD");
    EXPECT_EQ(currency("Jpy"), currency("JPY"));
    for (const Currency& each : Currency::all()) {
        EXPECT_EQ(currency(each.code()), each);  // also proves that the table is sorted
    }
}

TEST(Currency, InactiveCodesAreRefused) {
    for (const char* code : {"", "US", "USDX", "XXX", "XAU", "DEM", "BTC", "U$D", "usd "}) {
        EXPECT_FALSE(Currency::parse(code).ok()) << code;
    }
}

}  // namespace
}  // namespace pawl
