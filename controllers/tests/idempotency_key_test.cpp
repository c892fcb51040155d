// The Idempotency-Key header as the draft standard and Stripe write it, and what else comes.
#include "controllers/v1/idempotency_key.hpp"

#include <gtest/gtest.h>

#include "controllers/v1/preconditions.hpp"

namespace pawl::http {
namespace {

Request with(HeaderLines headers) {
    Request request;
    request.headers = std::move(headers);
    return request;
}

IdempotencyKey read(const std::string& value) {
    return idempotency_key_of(with({{"idempotency-key", value}}));
}

TEST(IdempotencyKey, IsReadStrictlyAsAStringInQuotesOrBare) {
    struct Case {
        const char* name;
        std::string value;
        std::string key;  // empty: refused
    };
    const std::string long_key(255, 'k');
    const Case cases[] = {
        {"the draft's example", "\"8e03978e-40d5-43e8-bc93-6894a57f9324\"",
         "8e03978e-40d5-43e8-bc93-6894a57f9324"},
        {"Stripe's example", "KG5LxwFBepaKHyUD", "KG5LxwFBepaKHyUD"},
        {"one character", "k", "k"},
        {"one character in quotes", "\"k\"", "k"},
        {"all that is visible", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"},
        {"an escaped quote", R"("a\"b")", "a\"b"},
        {"an escaped backslash", R"("a\\b")", "a\\b"},
        {"a bare backslash is itself", R"(a\b)", "a\\b"},
        {"255", long_key, long_key},
        {"255 in quotes", "\"" + long_key + "\"", long_key},
        {"255 that begin with escapes", "\"\\\"" + std::string(254, 'k') + "\"",
         "\"" + std::string(254, 'k')},
        {"0", "", ""},
        {"0 in quotes", "\"\"", ""},
        {"256", std::string(256, 'k'), ""},
        {"256 in quotes", "\"" + std::string(256, 'k') + "\"", ""},
        {"10000", std::string(10000, 'k'), ""},
        {"a blank", "a b", ""},
        {"a blank in quotes", "\"a b\"", ""},
        {"a tab", "a\tb", ""},
        {"a control character",
         "a\x01"
         "b",
         ""},
        {"NUL", std::string("a\0b", 3), ""},
        {"DEL", "a\x7f", ""},
        {"Latin-1", "caf\xe9", ""},
        {"UTF-8", "caf\xc3\xa9", ""},
        {"UTF-8 in quotes", "\"caf\xc3\xa9\"", ""},
        {"not closed", "\"abc", ""},
        {"a quote alone", "\"", ""},
        {"an escape of nothing", "\"abc\\\"", ""},
        {"an escape of another", "\"a\\bc\"", ""},
        {"parameters", "\"abc\";v=1", ""},
        {"two, joined by a proxy", "\"a\", \"b\"", ""},
        {"two bare, joined by a proxy", "a, b", ""}};
    for (const Case& one : cases) {
        const auto key = read(one.value);
        EXPECT_EQ(key.text, one.key) << one.name;
        EXPECT_EQ(key.trouble, one.key.empty() ? KeyTrouble::malformed : KeyTrouble::none)
            << one.name;
        EXPECT_EQ(key.detail.empty(), !one.key.empty()) << one.name;
    }
}

TEST(IdempotencyKey, IsMissedAndIsNotTakenFromOneOfTwo) {
    EXPECT_EQ(idempotency_key_of(with({})).trouble, KeyTrouble::missing);
    EXPECT_EQ(idempotency_key_of(with({{"X-Idempotency-Key", "a"}})).trouble, KeyTrouble::missing);
    EXPECT_EQ(idempotency_key_of(with({{"IDEMPOTENCY-KEY", "a"}})).text, "a");
    const auto twice = with({{"Idempotency-Key", "a"}, {"idempotency-key", "a"}});
    EXPECT_EQ(idempotency_key_of(twice).trouble, KeyTrouble::malformed);
}

TEST(Fingerprint, CoversMethodTargetContentTypeAndEveryByteOfTheBody) {
    Request request = with({{"Content-Type", "application/json"}, {"Prefer", "wait=1"}});
    request.method = "POST";
    request.target = "/v1/orders/o1/payments";
    request.body = R"({"a":1.10})";
    const std::string first = fingerprint_of(request);
    EXPECT_EQ(first.size(), 32U);
    const auto differs = [&](auto change) {
        Request other = request;
        change(other);
        return fingerprint_of(other) != first;
    };
    EXPECT_TRUE(differs([](Request& r) { r.method = "PUT"; }));
    EXPECT_TRUE(differs([](Request& r) { r.target += "?"; }));
    EXPECT_TRUE(differs([](Request& r) { r.headers[0].second = "text/json"; }));
    EXPECT_TRUE(differs([](Request& r) { r.headers.erase(r.headers.begin()); }));
    EXPECT_TRUE(differs([](Request& r) { r.body = R"({"a":1.1})"; }));
    EXPECT_TRUE(differs([](Request& r) { r.body += "\n"; }));
    EXPECT_TRUE(differs([](Request& r) {
        r.target += r.headers[0].second;  // the same bytes, cut elsewhere
        r.headers[0].second = "";
    }));
    EXPECT_FALSE(differs([](Request& r) { r.headers[1].second = "wait=9"; }))
        << "the length of the wait is not part of the request";
}

TEST(Prefer, GivesABoundedWait) {
    const auto wait = [](const char* value) { return wait_of(with({{"Prefer", value}})).count(); };
    EXPECT_EQ(wait_of(with({})).count(), 10);
    EXPECT_EQ(wait("wait=0"), 0);
    EXPECT_EQ(wait("wait=3"), 3);
    EXPECT_EQ(wait("respond-async, wait = 3"), 3);
    EXPECT_EQ(wait("Wait=\"3\"; x=1"), 3);
    EXPECT_EQ(wait("wait=100000000000"), 60);
    EXPECT_EQ(wait("wait=-1"), 10);
    EXPECT_EQ(wait("wait=soon"), 10);
    EXPECT_EQ(wait("wait"), 10);
}

TEST(IfMatch, HoldsForAVersionThatItNames) {
    const auto match = [](const char* value) { return if_match_of(with({{"If-Match", value}})); };
    EXPECT_FALSE(if_match_of(with({})).there);
    EXPECT_TRUE(match("\"3\"").holds_for(3));
    EXPECT_TRUE(match("\"1\", \"3\"").holds_for(3));
    EXPECT_TRUE(match("*").holds_for(7));
    EXPECT_FALSE(match("\"2\"").holds_for(3));
    EXPECT_FALSE(match("W/\"3\"").holds_for(3)) << "If-Match compares strongly";
    EXPECT_FALSE(match("3").holds_for(3));
    EXPECT_FALSE(match("\"x\"").holds_for(3));
    EXPECT_TRUE(match("\"x\"").there);
}

}  // namespace
}  // namespace pawl::http
