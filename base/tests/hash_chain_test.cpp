#include "base/hash_chain.hpp"

#include <gtest/gtest.h>

#include "base/encoding.hpp"

namespace pawl::chain {
namespace {

Keys keys(const std::vector<std::string>& secrets = {std::string(32, 'a')}) {
    return Keys::from(secrets).value();
}

Rows rows_of(std::string_view text) {
    Rows rows;
    rows.text(text).text(std::nullopt).number(-5).time(Time(Duration(1700000000000000)));
    rows.end_row();
    return rows;
}

Head head_of(const Link& link, std::string_view numbers) {
    return {link.chain, link.seq, link.hash, placement(numbers)};
}

// Computed by Python's hmac and struct.
TEST(HashChain, LinksAreThoseThatAnotherProgramComputes) {
    const Rows rows = rows_of("demo/capture/1");
    const Link first = first_link(keys(), Table::transfers, "chain001", std::nullopt, rows);
    EXPECT_EQ(to_hex(first.bytes()),
              "016a5f3443636861696e303031000000000000000100000001"
              "710ef71bb587e29dea2cf1a4bb3f7d94c3479ba2880dd5ecf3eb8dcad56e5e35");
    const Link next = next_link(keys(), Table::transfers, head_of(first, "{7}"), rows);
    EXPECT_EQ(to_hex(next.bytes()),
              "016a5f3443636861696e303031000000000000000200000001"
              "783b0bc67f94a2b438366df15379f30f36c54fc9221a61e06e2cb941bee49932");
}

TEST(HashChain, ALinkSurvivesItsBytes) {
    const Link before =
        first_link(keys(), Table::transfers, "chain001", std::nullopt, rows_of("a"));
    const Link link =
        first_link(keys(), Table::audit_log, "chain002", head_of(before, "{1,2}"), rows_of("b"));
    const auto parsed = Link::parse(link.bytes());
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->bytes(), link.bytes());
    EXPECT_EQ(parsed->predecessor, link.predecessor);
    EXPECT_TRUE(fits(keys(), Table::audit_log, *parsed, {}, rows_of("b")));
    for (const std::size_t cut : {0UL, 1UL, 24UL, 56UL, 58UL}) {
        EXPECT_FALSE(Link::parse(link.bytes().substr(0, cut))) << cut;
    }
}

struct Other {
    const char* name;
    Table table = Table::transfers;
    Head before{};
    Rows rows = rows_of("a");
    Link link{};
};

TEST(HashChain, ALinkFitsItsOwnRowsPlaceAndTableOnly) {
    const Link link = first_link(keys(), Table::transfers, "chain001", std::nullopt, rows_of("a"));
    const Head head = head_of(link, "{1}");
    const Link next = next_link(keys(), Table::transfers, head, rows_of("a"));
    EXPECT_TRUE(fits(keys(), Table::transfers, next, head, rows_of("a")));
    const auto changed = [](auto value, auto change) {
        change(value);
        return value;
    };
    const std::vector<Other> others{
        {"another table", Table::audit_log, head, rows_of("a"), next},
        {"other rows", Table::transfers, head, rows_of("b"), next},
        {"a field more", Table::transfers, head,
         changed(rows_of("a"), [](Rows& rows) { rows.text(""); }), next},
        {"other numbers", Table::transfers, head_of(link, "{2}"), rows_of("a"), next},
        {"another hash before", Table::transfers,
         changed(head, [](Head& before) { before.hash[0] ^= 1; }), rows_of("a"), next},
        {"another place", Table::transfers, head, rows_of("a"),
         changed(next, [](Link& one) { one.seq = 3; })},
        {"another chain", Table::transfers, head, rows_of("a"),
         changed(next, [](Link& one) { one.chain = "chain009"; })},
        {"another count", Table::transfers, head, rows_of("a"),
         changed(next, [](Link& one) { one.rows = 2; })},
        {"a predecessor", Table::transfers, head, rows_of("a"),
         changed(next, [&head](Link& one) { one.predecessor = head; })},
    };
    for (const Other& other : others) {
        EXPECT_FALSE(fits(keys(), other.table, other.link, other.before, other.rows)) << other.name;
    }
}

TEST(HashChain, FieldsKeepTheirBordersAndNullIsNotEmpty) {
    const auto bytes = [](std::optional<std::string_view> a, std::optional<std::string_view> b) {
        return Rows().text(a).text(b).bytes();
    };
    EXPECT_NE(bytes("ab", "c"), bytes("a", "bc"));
    EXPECT_NE(bytes("", "a"), bytes(std::nullopt, "a"));
    EXPECT_NE(bytes("a", ""), bytes("", "a"));
}

TEST(HashChain, KeysDifferByNameAndShortOnesAreRefused) {
    const Keys both = keys({std::string(32, 'b'), std::string(32, 'a')});
    EXPECT_NE(both.current(), keys().current());
    EXPECT_NE(both.find(keys().current()), nullptr);
    EXPECT_EQ(keys().find(both.current()), nullptr);
    EXPECT_FALSE(Keys::from({}));
    EXPECT_FALSE(Keys::from({std::string(31, 'a')}));
}

}  // namespace
}  // namespace pawl::chain
