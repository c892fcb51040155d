#include "base/json.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>
#include <string>

#include "base/rng.hpp"

namespace pawl::json {
namespace {

std::string text_at(std::string_view json, std::string_view pointer) {
    const auto document = Document::parse(json);
    if (!document) return "<" + document.error().message + ">";
    const auto value = document->root().at(Pointer::parse(pointer).value());
    if (!value) return "<missing>";
    return value->text().value_or("<no scalar>");
}

bool parses(std::string_view json) {
    return Document::parse(json).ok();
}

TEST(Json, NumbersKeepTheTextTheyWereWrittenWith) {
    const char* json = R"({"a": 1.10, "b":18446744073709551616123, "c": -0 , "d":1E+3,
                           "e":9007199254740993, "f":1e400})";
    EXPECT_EQ(text_at(json, "/a"), "1.10");
    EXPECT_EQ(text_at(json, "/b"), "18446744073709551616123");
    EXPECT_EQ(text_at(json, "/c"), "-0");
    EXPECT_EQ(text_at(json, "/d"), "1E+3");
    EXPECT_EQ(text_at(json, "/e"), "9007199254740993");
    EXPECT_EQ(text_at(json, "/f"), "1e400");
}

TEST(Json, ScalarsHaveTextAndTheRestHasNone) {
    const char* json = R"({"s":"x","t":true,"f":false,"n":null,"o":{},"a":[]})";
    EXPECT_EQ(text_at(json, "/s"), "x");
    EXPECT_EQ(text_at(json, "/t"), "true");
    EXPECT_EQ(text_at(json, "/f"), "false");
    EXPECT_EQ(text_at(json, "/n"), "<no scalar>");
    EXPECT_EQ(text_at(json, "/o"), "<no scalar>");
    EXPECT_EQ(text_at(json, "/a"), "<no scalar>");
}

TEST(Json, PointersAreThoseOfRfc6901) {
    const char* json = R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,
                           "i\\j":5,"k\"l":6," ":7,"m~n":8})";
    const std::map<std::string, std::string> expected = {
        {"/foo/0", "bar"}, {"/foo/1", "baz"}, {"/", "0"},    {"/a~1b", "1"},
        {"/c%d", "2"},     {"/e^f", "3"},     {"/g|h", "4"}, {"/i\\j", "5"},
        {"/k\"l", "6"},    {"/ ", "7"},       {"/m~0n", "8"}};
    for (const auto& [pointer, value] : expected)
        EXPECT_EQ(text_at(json, pointer), value) << pointer;
    for (const char* pointer : {"/foo/2", "/foo/01", "/foo/-", "/foo/", "/foo/0/x", "/nope",
                                "/foo/+1", "/foo/99999999999999999999"}) {
        EXPECT_EQ(text_at(json, pointer), "<missing>") << pointer;
    }
    EXPECT_EQ(text_at("5", ""), "5");
    for (const char* bad : {"foo", "/a~2", "/a~", "#/a"}) EXPECT_FALSE(Pointer::parse(bad).ok());
}

TEST(Json, KeysWrittenWithEscapesAreFoundAndClashWithTheirPlainTwins) {
    EXPECT_EQ(text_at(R"({"\u0061mount":5})", "/amount"), "5");
    EXPECT_EQ(text_at(R"({"a\/b":5})", "/a~1b"), "5");
    EXPECT_FALSE(parses(R"({"amount":5,"\u0061mount":500})"));
    EXPECT_FALSE(parses(R"({"x":{"a":1,"b":2,"a":3}})"));
    EXPECT_TRUE(parses(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})"));
}

TEST(Json, StringEscapesAreDecoded) {
    EXPECT_EQ(text_at(R"(["\"\\\/\b\f\n\r\t"])", "/0"), "\"\\/\b\f\n\r\t");
    EXPECT_EQ(text_at(R"(["\u00e9\u20AC\ud83d\ude00"])", "/0"), "é€😀");
    EXPECT_EQ(text_at(R"(["a\u0000b"])", "/0"), std::string("a\0b", 3));
    for (const char* bad :
         {R"(["\ud83d"])", R"(["\ude00"])", R"(["\ud83dx"])", R"(["\ud83d\u0041"])", R"(["\u12"])",
          R"(["\u12g4"])", R"(["\x41"])", R"(["\)"}) {
        EXPECT_FALSE(parses(bad)) << bad;
    }
}

constexpr const char* not_json[] = {"",
                                    " ",
                                    "{",
                                    "}",
                                    "[",
                                    "[1",
                                    "[1,",
                                    "[1,]",
                                    "[,1]",
                                    "{\"a\"}",
                                    "{\"a\":}",
                                    "{\"a\":1,}",
                                    "{a:1}",
                                    "{'a':1}",
                                    "[1]x",
                                    "[1] [2]",
                                    "{\"id\":1}{\"id\":2}",
                                    "01",
                                    "1.",
                                    ".5",
                                    "1abc",
                                    "-",
                                    "+1",
                                    "1e",
                                    "1e+",
                                    "0x10",
                                    "NaN",
                                    "Infinity",
                                    "nul",
                                    "truee",
                                    "[1 2]",
                                    "{\"a\" 1}",
                                    "\"a",
                                    "[\"\t\"]",
                                    "// c\n1",
                                    "[1,,2]",
                                    "\xef\xbb\xbf[1]",
                                    "[\xff]",
                                    "[\"\xc0\xaf\"]",
                                    "[\"\xed\xa0\x80\"]"};

TEST(Json, TextThatIsNotJsonIsRefusedWhole) {
    for (const char* bad : not_json) {
        EXPECT_FALSE(parses(bad)) << bad;
    }
    EXPECT_FALSE(parses(std::string("[1]\0", 4)));
    EXPECT_FALSE(parses(std::string("[\"a\0\"]", 6)));
}

TEST(Json, NestingHasALimitInsteadOfACrash) {
    EXPECT_TRUE(parses(std::string(100, '[') + std::string(100, ']')));
    EXPECT_FALSE(parses(std::string(1000, '[') + std::string(1000, ']')));
    EXPECT_FALSE(parses(std::string(1000000, '[')));
}

TEST(Json, ItemsOfAnArrayHaveTheirRawBytes) {
    const auto document = Document::parse(R"({"e": [ {"id" : 1.0} , [2], "x\n" ,null ] })");
    ASSERT_TRUE(document.ok());
    const auto items = document->root().at(Pointer::parse("/e").value())->children();
    ASSERT_EQ(items.size(), 4U);
    EXPECT_EQ(items[0].raw(), R"({"id" : 1.0})");
    EXPECT_EQ(items[1].raw(), "[2]");
    EXPECT_EQ(items[2].raw(), R"("x\n")");
    EXPECT_EQ(items[3].raw(), "null");
    EXPECT_EQ(document->root().children()[0].key(), "e");
}

// The parser accepts and refuses the same texts as simdjson's DOM, save numbers it cannot hold and
// duplicate keys, neither of which is generated here.
TEST(Json, AgreesWithSimdjsonOnMutatedDocuments) {
    const std::string seeds[] = {
        R"({"id":"evt_1","n":[1,2.5,-3e2,0],"o":{"k":"v\u00e9\\","t":true,"z":null}})",
        R"([[],{},"",0,"\ud83d\ude00",{"a":{"b":[false]}}])"};
    const std::string alphabet = "{}[]\",:\\0129eE+-.tfnul \n\x01\xc3\xa9 u";
    SeededRng rng(20260131);
    simdjson::dom::parser judge;
    int accepted = 0;
    for (int i = 0; i < 40000; ++i) {
        std::string json = seeds[i % 2];
        for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
            const auto at = static_cast<std::size_t>(rng.below(json.size()));
            const char letter = alphabet[static_cast<std::size_t>(rng.below(alphabet.size()))];
            if (rng.below(3) == 0) {
                json.erase(at, 1);
            } else if (rng.below(2) == 0) {
                json[at] = letter;
            } else {
                json.insert(at, 1, letter);
            }
        }
        const auto verdict = judge.parse(json).error();
        if (verdict == simdjson::NUMBER_ERROR) continue;
        const auto ours = Document::parse(json);
        if (!ours && ours.error().message.ends_with("comes twice")) continue;
        ASSERT_EQ(ours.ok(), verdict == simdjson::SUCCESS) << json;
        if (ours) ++accepted;
    }
    EXPECT_GT(accepted, 1000);
}

TEST(Json, TheWriterKeepsOrderAndEscapes) {
    Writer writer;
    writer.begin_object().member("b", "x\"\\\n\x01").member("a", 5).member("d", true);
    writer.key("list").begin_array().number(-1).null().begin_object().end_object();
    writer.end_array().member("none", std::optional<std::string>()).end_object();
    const std::string out = writer.take();
    EXPECT_EQ(out, R"({"b":"x\"\\\n\u0001","a":5,"d":true,"list":[-1,null,{}],"none":null})");
    EXPECT_TRUE(parses(out));
}

TEST(Json, InvalidUtf8IsReplacedWhenWritten) {
    EXPECT_EQ(quote("é€😀"), "\"é€😀\"");
    EXPECT_EQ(quote("a\xff"
                    "b\xc3"),
              "\"a\xef\xbf\xbd"
              "b\xef\xbf\xbd\"");
    EXPECT_TRUE(parses(quote(std::string("\0\x7f\xf0\x9f", 4))));
}

TEST(Json, MinifyDropsOnlyWhiteSpaceBetweenValues) {
    EXPECT_EQ(minify("{ \"a b\" : [ 1 , 2 ] }\n"), "{\"a b\":[1,2]}");
}

}  // namespace
}  // namespace pawl::json
