// The generator of statements: what it reads, what it writes, and what it refuses.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "db/sqlgen/write.hpp"

namespace pawl::sqlgen {
namespace {

const RowTypes rows{
    {"payment", parse_row("payments/sql/payment.row",
                          "-- A payment.\npayment_id text\nnote text null\namount bigint\n")}};

Statement parse(std::string_view text) {
    return parse_statement("payments/sql/find.sql", text, rows);
}

std::string refusal_of(std::string_view text) {
    try {
        parse(text);
    } catch (const SourceError& error) {
        return error.what();
    }
    return "";
}

TEST(Sqlgen, NumbersParametersInTheOrderOfTheirDeclarationAndCastsThem) {
    const Statement statement = parse(
        "-- Prose that speaks of :id.\n"
        "-- takes id text, seen timestamptz null,\n"
        "--       keys text[]\n"
        "SELECT 1 FROM t WHERE seen < :seen AND id = :id AND k = ANY (:keys) AND :id <> ''\n");
    EXPECT_EQ(statement.name, "find");
    EXPECT_EQ(statement.takes, (std::vector<Value>{{"id", "text", false},
                                                   {"seen", "timestamptz", true},
                                                   {"keys", "text[]", false}}));
    EXPECT_EQ(statement.text,
              "SELECT 1 FROM t WHERE seen < $2::timestamptz AND id = $1::text AND "
              "k = ANY ($3::text[]) AND $1::text <> ''\n");
}

TEST(Sqlgen, LeavesLiteralsCommentsAndCastsAlone) {
    const std::string text =
        "SELECT ':id {{payment}} $1', \":id\", x::text -- :id $1\n/* :id $1 */ FROM t\n";
    EXPECT_EQ(parse("-- gives ignored\n" + text).text, text);
}

TEST(Sqlgen, ExpandsARowTypeInTheTextAndInTheColumns) {
    const Statement statement =
        parse("-- gives nr bigint, {{payment}} null\nSELECT nr, {{p.payment}}, {{payment}}");
    EXPECT_EQ(statement.text,
              "SELECT nr, p.payment_id, p.note, p.amount, payment_id, note, amount");
    EXPECT_EQ(statement.gives.values, (std::vector<Value>{{"nr", "bigint"},
                                                          {"payment_id", "text", true},
                                                          {"note", "text", true},
                                                          {"amount", "bigint", true}}));
}

TEST(Sqlgen, KeepsTheDeclaredNullability) {
    const Statement statement =
        parse("-- gives a text null, b text, c bigint null\nSELECT a, b, c FROM t");
    EXPECT_EQ(statement.gives.values,
              (std::vector<Value>{{"a", "text", true}, {"b", "text"}, {"c", "bigint", true}}));
}

TEST(Sqlgen, SaysFileLineAndRemedyOfEachRefusal) {
    const std::pair<const char*, const char*> cases[] = {
        {"SELECT 1 WHERE a = :b",
         "payments/sql/find.sql:1: parameter :b: not declared; add \"b TYPE\" to \"-- takes\" at "
         "the head of the file"},
        {"-- takes b text\nSELECT 1",
         "payments/sql/find.sql:1: parameter \"b\": not used; remove it from \"takes\", or write "
         ":b where it belongs"},
        {"-- takes b text\n\nSELECT :b,\n $1",
         "payments/sql/find.sql:4: $: a position; give the parameter a name: \"-- takes NAME "
         "TYPE\" at the head of the file, and :NAME here"},
        {"-- takes b string\nSELECT :b",
         "payments/sql/find.sql:1: type \"string\": unknown; use one of bigint, bigint[], boolean, "
         "boolean[], bytea, bytea[], integer, json, jsonb, text, text[], timestamptz, "
         "timestamptz[], or cast to one"},
        {"-- takes b text not null\nSELECT :b",
         "payments/sql/find.sql:1: declaration \"b text not null\": invalid; write \"name type\" "
         "or "
         "\"name type null\", separated by commas"},
        {"-- takes b text, b text\nSELECT :b",
         "payments/sql/find.sql:1: name \"b\": declared twice; remove one, or rename it"},
        {"-- takes B text\nSELECT :B",
         "payments/sql/find.sql:1: name \"B\": invalid; use lower-case letters, digits and _"},
        {"-- takes class text\nSELECT :class",
         "payments/sql/find.sql:1: name \"class\": reserved in C++; choose another one"},
        {"-- gives {{order}}\nSELECT 1",
         "payments/sql/find.sql:1: row type \"order\": not found; write order.row next to this "
         "file"},
        {"-- gives ignored\nSELECT {{order}}",
         "payments/sql/find.sql:2: row type \"order\": not found; write order.row next to this "
         "file"},
        {"-- gives a text[]\nSELECT a",
         "payments/sql/find.sql:1: column \"a\": type text[] is for parameters; cast it to text"},
        {"-- takes a text\n-- and more\nSELECT :a",
         "payments/sql/find.sql:2: comment after \"takes\" or \"gives\": not a part of the list; "
         "write it above, or indent it"}};
    for (const auto& [text, refusal] : cases) EXPECT_EQ(refusal_of(text), refusal) << text;
}

TEST(Sqlgen, NamesTheLineOfARowFile) {
    try {
        parse_row("payments/sql/payment.row", "-- A payment.\n\nid text\nid bigint\n");
        ADD_FAILURE() << "was taken";
    } catch (const SourceError& error) {
        EXPECT_STREQ(error.what(),
                     "payments/sql/payment.row:4: name \"id\": declared twice; remove one, or "
                     "rename it");
    }
}

// Each is legal SQL of the right types.
TEST(Sqlgen, RefusesParametersThatStandInEachOthersPlaces) {
    const std::string takes = "-- takes a text, b text\n";
    for (const char* text :
         {"INSERT INTO t (a, b) VALUES (:b, :a)",
          "INSERT INTO t (a, at, b) VALUES (:b, now(), coalesce(:a, ''))",
          "INSERT INTO t (a, b) SELECT unnest(:b), unnest(:a)", "UPDATE t SET a = :b, b = :a",
          "SELECT 1 FROM t WHERE t.a = :b AND t.b = :a", "SELECT f(a => :b, b => :a)",
          "SELECT 1 FROM unnest(:b, :a) AS wanted (a, b)",
          "SELECT 1 FROM unnest(:b, :a) WITH ORDINALITY AS wanted (a, b, place)",
          "SELECT 1 FROM (SELECT unnest(:b) AS a, unnest(:a) AS b) AS wanted"}) {
        EXPECT_NE(refusal_of(takes + text).find("stands in the place of"), std::string::npos)
            << text;
    }
}

TEST(Sqlgen, TakesParametersThatAreNamedForSomethingElse) {
    for (const char* text :
         {"-- takes a text, b text\nINSERT INTO t (a, b) VALUES (:a, :b)",
          "-- takes id text, state text, before text\n"
          "UPDATE t SET state = :state WHERE id = :id AND state = :before",
          "-- takes id text, now timestamptz\n"
          "INSERT INTO t (id, created_at, updated_at) VALUES (:id, :now, :now)",
          "-- takes kind text[], target text[]\n"
          "SELECT 1 FROM unnest(:kind, :target) WITH ORDINALITY AS lane (kind, target, nr)"}) {
        EXPECT_EQ(refusal_of(text), "") << text;
    }
}

// A statement of the product, edited as by mistake.
TEST(Sqlgen, RefusesAPaymentWhoseCurrencyAndAccountAreExchanged) {
    const std::string folder = std::string(PAWL_SOURCE_DIR) + "/payments/sql/";
    const auto text_of = [&](const std::string& file) {
        std::ifstream in(folder + file);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const RowTypes own{{"payment", parse_row("payment.row", text_of("payment.row"))}};
    std::string text = text_of("insert_payment.sql");
    EXPECT_NO_THROW(parse_statement("insert_payment.sql", text, own));
    const std::string currency = ":currency", account = ":account";
    const std::size_t first = text.find(currency), second = text.find(account);
    ASSERT_LT(first, second);
    text.replace(second, account.size(), currency);
    text.replace(first, currency.size(), account);
    EXPECT_THROW(parse_statement("insert_payment.sql", text, own), SourceError);
}

TEST(Sqlgen, WritesAStructOfParametersAndAReaderForEachColumn) {
    Folder folder{"payments", rows, {}};
    folder.statements.push_back(
        parse("-- takes id text, at timestamptz null\n-- gives n bigint, {{payment}} null\n"
              "SELECT n, {{payment}} FROM t WHERE id = :id AND at = :at"));
    const std::string header = header_of(folder);
    for (const char* part :
         {"struct Find {", "db::TextParam id;", "db::MaybeTimeParam at;",
          "std::int64_t n() const { return row_.number(0); }",
          "std::optional<PaymentRow> payment() const", "return PaymentRow(row_, 1);",
          "std::optional<std::string_view> note() const { return row_.maybe_text(first_ + 1); }",
          "return {&id, &at};", "extern const db::Query find;"}) {
        EXPECT_NE(header.find(part), std::string::npos) << part << "\n" << header;
    }
    const std::string source = source_of(folder, Texts::inside);
    EXPECT_NE(source.find("\"payments_find\", R\"sql(SELECT n, payment_id"), source.npos) << source;
    // An edit of the text alone changes the source file and not the header.
    folder.statements[0].text += " LIMIT 1";
    EXPECT_EQ(header_of(folder), header);
    EXPECT_NE(source_of(folder, Texts::inside), source);
}

TEST(Sqlgen, NamesAFileInPlaceOfATextForMutations) {
    Folder folder{"payments", rows, {parse("-- gives ignored\nSELECT 1")}};
    const std::string source = source_of(folder, Texts::in_files);
    EXPECT_NE(source.find("db::text_of(\"generated/payments/sql/find.sql\")"), source.npos)
        << source;
    EXPECT_EQ(source.find("SELECT"), source.npos) << source;
}

}  // namespace
}  // namespace pawl::sqlgen
