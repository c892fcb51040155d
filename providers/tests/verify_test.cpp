#include "providers/verify.hpp"

#include "providers/tests/sample.hpp"

namespace pawl::providers {
namespace {

using sample::captured;

std::string& header(Delivery& delivery, std::string_view name) {
    for (auto& [key, value] : delivery.headers) {
        if (key == name) return value;
    }
    ADD_FAILURE() << "no header " << name;
    return delivery.headers.emplace_back(name, "").second;
}

void drop(Delivery& delivery, std::string_view name) {
    std::erase_if(delivery.headers, [&](const auto& line) { return line.first == name; });
}

struct Case {
    const char* what;
    const char* expected;
    void (*change)(Delivery&);
};

void check(const Provider& provider, std::span<const Case> cases) {
    for (const Case& one : cases) {
        Delivery delivery = sample::signed_delivery(provider, captured);
        one.change(delivery);
        const Received received = provider.receive(delivery);
        EXPECT_EQ(received.diagnosis, one.expected) << one.what;
        EXPECT_EQ(received.verdict == Verdict::verified, std::string_view(one.expected) == "ok");
        EXPECT_EQ(received.events.empty(), std::string_view(one.expected) != "ok") << one.what;
    }
}

TEST(Verify, StandardWebhooksDeliveriesHaveTheirDiagnosis) {
    const Case cases[] = {
        {"untouched", "ok", [](Delivery&) {}},
        {"header names in another case", "ok",
         [](Delivery& d) { d.headers[2].first = "WEBHOOK-Signature"; }},
        {"one byte of the body", "wrong_secret", [](Delivery& d) { d.body[60] ^= 1; }},
        {"another id", "wrong_secret", [](Delivery& d) { header(d, "webhook-id") = "msg_2"; }},
        {"no signature", "header_missing", [](Delivery& d) { drop(d, "webhook-signature"); }},
        {"no id", "header_missing", [](Delivery& d) { drop(d, "webhook-id"); }},
        {"an empty id", "header_missing", [](Delivery& d) { header(d, "webhook-id") = ""; }},
        {"no timestamp", "header_missing", [](Delivery& d) { drop(d, "webhook-timestamp"); }},
        {"no headers", "header_missing", [](Delivery& d) { d.headers.clear(); }},
        {"two ids", "header_malformed",
         [](Delivery& d) { d.headers.emplace_back("Webhook-Id", "x"); }},
        {"a timestamp with a sign", "header_malformed",
         [](Delivery& d) { header(d, "webhook-timestamp") = "+1767225600"; }},
        {"a timestamp that is not a number", "header_malformed",
         [](Delivery& d) { header(d, "webhook-timestamp") = "now"; }},
        {"a huge timestamp", "header_malformed",
         [](Delivery& d) { header(d, "webhook-timestamp") = "99999999999999999999"; }},
        {"another version only", "header_malformed",
         [](Delivery& d) { header(d, "webhook-signature") = "v2,AAAA"; }},
        {"a signature that is not base64", "header_malformed",
         [](Delivery& d) { header(d, "webhook-signature") = "v1,***"; }},
        {"an empty signature", "header_malformed",
         [](Delivery& d) { header(d, "webhook-signature") = ""; }},
        {"an empty v1", "wrong_secret",
         [](Delivery& d) { header(d, "webhook-signature") = "v1,"; }},
        {"a cut signature", "wrong_secret",
         [](Delivery& d) { header(d, "webhook-signature") = "v1,mZoJpZuuY1J8"; }},
        {"a wrong one before the right one", "ok",
         [](Delivery& d) {
             auto& line = header(d, "webhook-signature");
             line = "v1,AAAA v1a,BBBB " + line;
         }},
        {"a wrong line before the right line", "ok",
         [](Delivery& d) {
             d.headers.insert(d.headers.begin(), {"webhook-signature", "v1,AAAA"});
         }},
        {"a thousand signatures", "header_malformed",
         [](Delivery& d) {
             auto& line = header(d, "webhook-signature");
             for (int i = 0; i < 1000; ++i) line += " v1,AAAA";
         }},
    };
    check(sample::compiled(sample::demo()), cases);
}

TEST(Verify, StripeDeliveriesHaveTheirDiagnosis) {
    const Case cases[] = {
        {"untouched", "ok", [](Delivery&) {}},
        {"with an additional old v0", "ok", [](Delivery& d) { d.headers[0].second += ",v0=00"; }},
        {"two v1, as while a secret is rolled", "ok",
         [](Delivery& d) { d.headers[0].second += ",v1=" + std::string(64, '0'); }},
        {"blanks after the commas", "ok",
         [](Delivery& d) { d.headers[0].second = sample::with(d.headers[0].second, ",", ", "); }},
        {"only v0", "header_malformed",
         [](Delivery& d) {
             d.headers[0].second = sample::with(d.headers[0].second, "v1=", "v0=");
         }},
        {"without its time", "header_malformed",
         [](Delivery& d) {
             d.headers[0].second = d.headers[0].second.substr(d.headers[0].second.find("v1="));
         }},
        {"with two times", "header_malformed", [](Delivery& d) { d.headers[0].second += ",t=1"; }},
        {"another time", "wrong_secret",
         [](Delivery& d) {
             d.headers[0].second = sample::with(d.headers[0].second, "t=17", "t=18");
         }},
        {"the header twice, one forged", "ok",
         [](Delivery& d) {
             d.headers.insert(d.headers.begin(),
                              {"stripe-signature", "t=1,v1=" + std::string(64, '0')});
         }},
    };
    check(sample::compiled(sample::stripe()), cases);
}

TEST(Verify, HeaderThatComesTwiceIsMalformedUnlessAListIsAllowed) {
    ProviderConfig config = sample::demo();
    config.preset = "gocardless";
    const Provider provider = sample::compiled(config);
    Delivery delivery = sample::signed_delivery(provider, captured);
    delivery.headers.push_back(delivery.headers[0]);
    EXPECT_EQ(provider.receive(delivery).diagnosis, "header_malformed");
}

TEST(Verify, AgeIsMeasuredAtArrivalAndTheLimitItselfIsAllowed) {
    for (const ProviderConfig& config : {sample::demo(), sample::stripe()}) {
        const Provider provider = sample::compiled(config);
        Delivery delivery = sample::signed_delivery(provider, captured);
        const auto at = [&](std::int64_t milliseconds) {
            delivery.received_at = sample::moment() + std::chrono::milliseconds(milliseconds);
            return provider.receive(delivery).diagnosis;
        };
        EXPECT_EQ(at(300'000), "ok");
        EXPECT_EQ(at(300'900), "ok") << "providers count whole seconds";
        EXPECT_EQ(at(301'000), "timestamp_too_old");
        EXPECT_EQ(at(-300'000), "ok");
        EXPECT_EQ(at(-301'000), "timestamp_in_future");
        delivery.body += " ";
        EXPECT_NE(at(301'000), "timestamp_too_old") << "a forged time is not worth reporting";
    }
}

TEST(Verify, WhsecIsTheKeyAtStripeAndItsBase64AtStandardWebhooks) {
    ProviderConfig stripe = sample::stripe();
    stripe.preset = "";
    stripe.scheme = sample::compiled(sample::stripe()).config().scheme;
    stripe.scheme->key = {KeyDecode::base64, "whsec_", ""};
    const Provider decoding = sample::compiled(stripe);
    const Provider real = sample::compiled(sample::stripe());
    EXPECT_EQ(real.receive(sample::signed_delivery(decoding, captured)).diagnosis, "wrong_secret");
    EXPECT_EQ(decoding.receive(sample::signed_delivery(real, captured)).diagnosis, "wrong_secret");
}

TEST(Verify, AnyOfTheListedSecretsMayMatch) {
    ProviderConfig config = sample::demo();
    config.secrets = {std::string(sample::other_secret)};
    const Provider before = sample::compiled(config);
    const Provider after = sample::compiled(sample::demo());
    const Delivery delivery = sample::signed_delivery(before, captured);
    EXPECT_EQ(after.receive(delivery).diagnosis, "wrong_secret");
    config.secrets = {std::string(sample::secret), std::string(sample::other_secret)};
    EXPECT_EQ(sample::compiled(config).receive(delivery).diagnosis, "ok");
    // A public key among the shared secrets does not disturb them.
    config.secrets.emplace_back("whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=");
    EXPECT_EQ(sample::compiled(config).receive(delivery).diagnosis, "ok");
}

TEST(Verify, OnlyTheKeyThatAHeaderNamesMayMatch) {
    ProviderConfig config = sample::demo();
    config.preset = "klarna";
    config.secrets = {"k1:first-secret-of-two"};
    const Delivery delivery = sample::signed_delivery(sample::compiled(config), captured);
    EXPECT_EQ(sample::compiled(config).receive(delivery).diagnosis, "ok");
    config.secrets = {"k2:first-secret-of-two", "k1:another-secret-of-two"};
    EXPECT_EQ(sample::compiled(config).receive(delivery).diagnosis, "wrong_secret");
}

TEST(Verify, SecretsThatProveNothingAreRefusedAndNeverShown) {
    const std::pair<const char*, std::vector<std::string>> cases[] = {
        {"none", {}},
        {"empty", {""}},
        {"only the prefix", {"whsec_"}},
        {"too short", {"whsec_c2hvcnQ="}},
        {"not base64", {"whsec_*secret-value*"}},
        {"a bad one before a good one", {std::string(sample::secret), ""}}};
    for (const auto& [what, secrets] : cases) {
        ProviderConfig config = sample::demo();
        config.secrets = secrets;
        const std::string why = sample::refusal(config);
        EXPECT_NE(why, "") << what;
        EXPECT_EQ(why.find("secret-value"), std::string::npos);
    }
    ProviderConfig config = sample::stripe();
    config.secrets = {"short"};
    EXPECT_NE(sample::refusal(config), "");
}

TEST(Verify, RewrittenBodyIsDistinguishedFromAWrongSecret) {
    const Provider provider = sample::compiled(sample::demo());
    Delivery pretty = sample::signed_delivery(provider, R"({"id":"evt_1","n":1})");
    pretty.body = "{ \"id\": \"evt_1\",\r\n \"n\": 1 }";
    EXPECT_EQ(provider.receive(pretty).diagnosis, "body_altered");
    Delivery newline = sample::signed_delivery(provider, "{\"id\":1}\n");
    newline.body = "{\"id\":1}";
    EXPECT_EQ(provider.receive(newline).diagnosis, "body_altered");
}

TEST(Verify, ArbitraryBytesAreVerifiedAsTheyAre) {
    for (const char* body :
         {"", " ", "{ \"b\" : 1.00 , \"a\":1e3 }\r\n", "\xff\xfe not utf-8", "<xml/>"}) {
        EXPECT_EQ(sample::receive(sample::demo(), body).diagnosis, "ok") << body;
        EXPECT_EQ(sample::receive(sample::stripe(), body).diagnosis, "ok") << body;
    }
}

TEST(Verify, SchemesThatProveNothingAreRefused) {
    const std::pair<const char*, void (*)(SchemeConfig&)> cases[] = {
        {"a hash without the secret", [](SchemeConfig& s) { s.alg = Alg::sha256; }},
        {"the secret in an hmac", [](SchemeConfig& s) { s.sign = "{body}{secret}"; }},
        {"an unknown slot", [](SchemeConfig& s) { s.sign = "{boddy}"; }},
        {"an open brace", [](SchemeConfig& s) { s.sign = "{body"; }},
        {"nothing signed", [](SchemeConfig& s) { s.sign = ""; }},
        {"no source", [](SchemeConfig& s) { s.source = ""; }},
        {"the url, which is not written", [](SchemeConfig& s) { s.sign = "{url}{body}"; }},
        {"a time from nowhere", [](SchemeConfig& s) { s.sign = "{ts}.{body}"; }},
        {"a time that is not signed",
         [](SchemeConfig& s) { s.timestamp = TimestampRule{"header:X-Time"}; }},
        {"an id from the body", [](SchemeConfig& s) { s.sign = "{id}.{body}"; }},
        {"a list without a separator", [](SchemeConfig& s) { s.list = SignatureList{}; }}};
    for (const auto& [what, change] : cases) {
        ProviderConfig config = sample::demo();
        config.preset = "";
        config.scheme = SchemeConfig{};
        config.scheme->source = "header:X-Sig";
        EXPECT_EQ(sample::refusal(config), "");
        change(*config.scheme);
        EXPECT_NE(sample::refusal(config), "") << what;
    }
}

}  // namespace
}  // namespace pawl::providers
