// Arrays in binary form: what PostgreSQL makes of them is what went in.
#include <gtest/gtest.h>

#include "db/session.hpp"
#include "tests/support/database.hpp"

namespace pawl::db {
namespace {

class Columns : public ::testing::Test {
  protected:
    // Returns PostgreSQL's text of the query's only parameter.
    template <class Values>
    std::string told(const std::string& sql, Values column) {
        const ArrayParam<Values> parameter(std::move(column));
        const Param* const parameters[] = {&parameter};
        return Statement::run(session, Query{sql, sql}, parameters).value();
    }
    testing::TestDatabase database;
    Session session = database.session();
};

TEST_F(Columns, TextsKeepEveryCharacterAndNullDiffersFromEmpty) {
    Texts texts;
    texts.add("a\"b\\c,{d}'");
    texts.add("");
    texts.add_null();
    texts.add_known("");
    texts.add("\xc3\xa4 NULL");
    EXPECT_EQ(told("SELECT to_json($1::text[])::text", std::move(texts)),
              "[\"a\\\"b\\\\c,{d}'\",\"\",null,null,\"\xc3\xa4 NULL\"]");
}

TEST_F(Columns, NumbersReachBothEnds) {
    Numbers numbers;
    numbers.add(INT64_MIN);
    numbers.add(-1);
    numbers.add(std::optional<std::int64_t>());
    numbers.add(INT64_MAX);
    EXPECT_EQ(told("SELECT $1::bigint[]::text", std::move(numbers)),
              "{-9223372036854775808,-1,NULL,9223372036854775807}");
}

TEST_F(Columns, TimesAreExactToTheMicrosecondOnBothSidesOfTheEpoch) {
    Times times;
    times.add(parse_rfc3339("2026-01-31T12:00:00.123456Z").value());
    times.add(parse_rfc3339("1999-12-31T23:59:59.999999Z").value());
    times.add(std::optional<Time>());
    EXPECT_EQ(told("SELECT $1::timestamptz[]::text", std::move(times)),
              "{\"2026-01-31 12:00:00.123456+00\",\"1999-12-31 23:59:59.999999+00\",NULL}");
}

TEST_F(Columns, BytesAndFlagsAreUnchanged) {
    Bytes bytes;
    bytes.add(std::string_view("\0\xff\"\\", 4));
    bytes.add("");
    EXPECT_EQ(told("SELECT encode(($1::bytea[])[1], 'hex') || '/' || length(($1::bytea[])[2])",
                   std::move(bytes)),
              "00ff225c/0");
    Flags flags;
    flags.add(true);
    flags.add(false);
    EXPECT_EQ(told("SELECT $1::boolean[]::text", std::move(flags)), "{t,f}");
}

TEST_F(Columns, WithoutARowAreEmptyArrays) {
    EXPECT_EQ(told("SELECT cardinality($1::text[])", Texts()), "0");
    EXPECT_EQ(told("SELECT cardinality($1::bigint[])", Numbers()), "0");
}

// A text that cannot be stored is the row's fault, and no other's.
TEST_F(Columns, WithAZeroByteInATextAreRefusedAsData) {
    Texts texts;
    texts.add(std::string_view("a\0b", 3));
    try {
        told("SELECT $1::text[]::text", std::move(texts));
        ADD_FAILURE() << "was taken";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.kind, FailureKind::data) << failure.what();
    }
}

}  // namespace
}  // namespace pawl::db
