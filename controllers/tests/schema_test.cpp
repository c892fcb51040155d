// The schemas in which the API's document states shapes: which values they refuse, and which
// schemas are refused themselves.
#include <gtest/gtest.h>

#include "controllers/http/api_document.hpp"
#include "controllers/http/schema.hpp"

namespace pawl::http {
namespace {

Result<SchemaPtr> compiled(const std::string& text) {
    static std::vector<std::unique_ptr<std::string>> texts;  // documents refer to theirs
    texts.push_back(std::make_unique<std::string>(
        R"({"components":{"schemas":{"Name":{"type":"string","minLength":1}}},"it":)" + text +
        "}"));
    const auto document = json::Document::parse(*texts.back());
    if (!document) return document.error();
    SchemaCompiler compiler(document->root());
    return compiler.compile(member_of(document->root(), "it").value(), "it");
}

// "": it fits.
std::string broken(const std::string& schema, const std::string& value) {
    const auto made = compiled(schema);
    if (!made) return made.error().message;
    const auto document = json::Document::parse(value);
    if (!document) return document.error().message;
    const auto wrong = (*made)->mismatch(document->root());
    return wrong ? wrong->where + " " + wrong->what : "";
}

TEST(WholeNumber, IsReadAsJsonSchemaCounts) {
    const std::pair<const char*, std::optional<std::int64_t>> cases[] = {
        {"0", 0},
        {"-0.0", 0},
        {"100", 100},
        {"100.0", 100},
        {"1e2", 100},
        {"1.5e1", 15},
        {"1200e-2", 12},
        {"0.5", std::nullopt},
        {"1e-1", std::nullopt},
        {"9223372036854775807", 9223372036854775807},
        {"-9223372036854775808", -9223372036854775807 - 1},
        {"9223372036854775808", std::nullopt},
        {"1e18", 1000000000000000000},
        {"1e19", std::nullopt},
        {"1e999999999999999999999", std::nullopt},
        {"0e999999999999999999999", 0},
        {"1e-999999999999999999999", std::nullopt}};
    for (const auto& [text, wanted] : cases) EXPECT_EQ(whole_number(text), wanted) << text;
}

TEST(Schema, RefusesEachValueThatBreaksAKeyword) {
    struct Case {
        const char* schema;
        const char* fits;
        const char* breaks;
    };
    const Case cases[] = {
        {R"({"type":"string"})", R"("a")", "1"},
        {R"({"type":"integer"})", "1.0", "1.5"},
        {R"({"type":"integer"})", "1", R"("1")"},
        {R"({"type":"number"})", "1.5", "true"},
        {R"({"type":"boolean"})", "false", "0"},
        {R"({"type":["string","null"]})", "null", "false"},
        {R"({"type":"string"})", R"("")", "null"},
        {R"({"type":"integer","minimum":1})", "1", "0"},
        {R"({"type":"integer","maximum":5})", "5", "6"},
        {R"({"type":"string","minLength":2})", "\"\xc3\xa4\xc3\xa4\"", "\"\xc3\xa4\""},
        {R"({"type":"string","maxLength":1})", "\"\xf0\x9f\x98\x80\"", R"("ab")"},
        {R"({"type":"string","maxLength":9,"pattern":"^[^\\x00-\\x1f]+$"})", "\"\xc3\xa4\"",
         R"("a\n")"},
        {R"({"type":"string","enum":["a","b"]})", R"("b")", R"("c")"},
        {R"({"type":"string","format":"date-time"})", R"("2026-01-31T12:00:00Z")", R"("today")"},
        {R"({"type":"object","required":["a"]})", R"({"a":1})", R"({"b":1})"},
        {R"({"type":"object","additionalProperties":false,"properties":{"a":{}}})", R"({"a":[]})",
         R"({"b":1})"},
        {R"({"type":"object","properties":{"a":{"type":"string"}}})", R"({"b":1})", R"({"a":1})"},
        {R"({"type":"array","items":{"type":"integer"}})", "[1,2]", R"([1,"2"])"},
        {R"({"oneOf":[{"type":"string"},{"type":"array"}]})", "[]", "1"},
        {R"({"$ref":"#/components/schemas/Name"})", R"("n")", R"("")"}};
    for (const Case& one : cases) {
        EXPECT_EQ(broken(one.schema, one.fits), "") << one.schema << " " << one.fits;
        EXPECT_NE(broken(one.schema, one.breaks), "") << one.schema << " " << one.breaks;
    }
}

TEST(Schema, NamesThePlaceAndTheRule) {
    const char* const schema =
        R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}}}})";
    EXPECT_EQ(broken(schema, R"({"a":[1,"x"]})"), "/a/1 invalid (\"x\"); write a whole number");
}

TEST(Schema, ReadsAParameterAsItsType) {
    const auto limit = compiled(R"({"type":"integer","minimum":1,"maximum":500})").value();
    for (const char* good : {"1", "500", "007"})
        EXPECT_FALSE(limit->mismatch_of_text(good)) << good;
    for (const char* bad :
         {"", "0", "501", "1e2", "1.0", "+1", " 1", "-1", "x", "99999999999999999999"}) {
        EXPECT_TRUE(limit->mismatch_of_text(bad)) << bad;
    }
    const auto flag = compiled(R"({"type":"boolean"})").value();
    EXPECT_FALSE(flag->mismatch_of_text("true"));
    EXPECT_TRUE(flag->mismatch_of_text("1"));
}

TEST(SchemaCompiler, RefusesWhatItWouldNotCheck) {
    for (const char* schema :
         {R"({"type":"string","minlength":1})", R"({"format":"uuid"})", R"({"type":"text"})",
          R"({"const":1})", R"({"additionalProperties":{"type":"string"}})",
          R"({"type":"string","pattern":"^a*$"})", R"({"maxLength":5000,"pattern":"^a*$"})",
          R"({"maxLength":5,"pattern":"a"})", R"({"maxLength":5,"pattern":"^(a$"})",
          R"({"type":"number","minimum":1})", R"({"type":"integer","minimum":1.5})",
          R"({"$ref":"#/components/schemas/None"})", R"({"type":"array","items":{"anyOf":[]}})"}) {
        const auto made = compiled(schema);
        ASSERT_FALSE(made.ok()) << schema;
        EXPECT_TRUE(made.error().message.starts_with("openapi.json: it")) << made.error().message;
    }
}

TEST(ApiDocument, EndsTheStartAtAnUnknownKeyword) {
    const auto made = ApiDocument::compile(
        R"({"paths":{"/x":{"get":{"operationId":"x","responses":{"200":{"content":
        {"application/json":{"schema":{"type":"object","properties":{"a":{"multipleOf":2}}}}}
        }}}}}})");
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().message,
              "openapi.json: GET /x 200/schema/properties/a/multipleOf: unknown keyword; use what "
              "controllers/http/schema.cpp checks");
    EXPECT_THROW(shipped_operation("GET", "/v1/nothing"), std::logic_error);
}

Request asked(const std::string& query, std::string body = "") {
    Request request;
    request.params = {{"payment", "pay_1"}, {"account", "user:42"}};
    request.query = query;
    request.body = std::move(body);
    return request;
}

std::string code_of(const std::optional<Reply>& reply) {
    if (!reply) return "";
    const auto document = json::Document::parse(reply->body);
    return member_of(document->root(), "code")->text().value();
}

TEST(Operation, RefusesQueriesThatTheDocumentDoesNotHave) {
    const Operation& list = shipped_operation("GET", "/v1/accounts/{account}/transfers");
    const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                         {"limit=5&", ""},
                                                         {"limit=5&&cursor=abc", ""},
                                                         {"limit=", "bad_limit"},
                                                         {"limit", "bad_limit"},
                                                         {"limit=%C2%B5%0C%00", "bad_limit"},
                                                         {"limit=1&limit=1", "bad_limit"},
                                                         {"cursor=%zz", "bad_cursor"},
                                                         {"cursor=", "bad_cursor"},
                                                         {"cursor=%ff", "bad_cursor"},
                                                         {"curser=a", "unknown_parameter"},
                                                         {"=", ""},
                                                         {"=x", "unknown_parameter"},
                                                         {"%zz=x", "unknown_parameter"}};
    for (const auto& [query, code] : cases) {
        EXPECT_EQ(code_of(list.refusal(asked(query))), code) << query;
    }
}

TEST(Operation, RefusesBodiesThatTheDocumentDoesNotHave) {
    const Operation& refund = shipped_operation("POST", "/v1/payments/{payment}/refunds");
    const std::pair<const char*, const char*> cases[] = {
        {"", ""},
        {"{}", ""},
        {R"({"amount":100})", ""},
        {R"({"amount":1e2})", ""},
        {R"({"ammount":100})", "unknown_member"},
        {R"({"amount":null})", "invalid_refund"},
        {R"({"amount":"100"})", "invalid_refund"},
        {R"({"amount":0})", "invalid_refund"},
        {R"({"amount":1,"amount":1})", "invalid_refund"},
        {"[]", "invalid_refund"},
        {"null", "invalid_refund"},
        {"{} x", "invalid_refund"}};
    for (const auto& [body, code] : cases) {
        EXPECT_EQ(code_of(refund.refusal(asked("", body))), code) << body;
    }
    const Operation& payment = shipped_operation("GET", "/v1/payments/{payment}");
    EXPECT_EQ(code_of(payment.refusal(asked("", "{}"))), "invalid_body") << "a GET has none";
}

}  // namespace
}  // namespace pawl::http
