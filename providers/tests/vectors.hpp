// Deliveries of every preset, signed by others: Python's hmac and cryptography, and the vectors
// that the providers publish. Values; for one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/tests/sample.hpp"

namespace pawl::providers::vectors {

inline constexpr std::string_view body = "{\"id\":\"evt_1\",\"amount\":1.10}\n";
inline constexpr std::string_view raw_secret = "secret-of-16-char";
inline constexpr std::string_view hex256 =
    "c28f372f11a87c8983e4e0f97a85df65c3956a0c3f9dea2ad633a350026e8888";
inline constexpr std::string_view base64_256 = "wo83LxGofImD5OD5eoXfZcOVagw/neoq1jOjUAJuiIg=";
inline constexpr std::string_view wise_key = R"(-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwn7vfuD1YVQQ3MOUuUTS
CT2m+uAyJJNTd0pxWc5wx6wGs/P9ljDKEB7ToioPpT/wYJZlRp9TZXaM4ZcKNk44
vkkTZUStqjGOIGGPNTQbQDDZ0EoyX2X2JFgLTPUGnPsxffH+gqTcS8XQWjz+3q7w
pJl0PNUcy8tWiXDT6Ap5nJFajJASZpnqOLOhrytp/HfxEsTa1E8IGy3902qWINGc
BGoMDao9MT7xjjICnAhjsXHT0A3gZmwY5elsmIn/0pTvaCwYkNHlB7dHjmwp/XCr
ONAhkQSOmfhu52Du4yUeZvhcRcL8TKlY45nsQHSlB+tdYGYkhGkwIfgkgONquL/Z
ywIDAQAB
-----END PUBLIC KEY-----
)";
inline constexpr std::string_view wise_signature =
    "vi8dSVh7X8N67wYZrsl+rNg03seMbStFtkM4tcgsJ82DytItbELhyLQmP73kcLR5AHHeDNOf9wkCxeHowCSuPu6Il9XJ"
    "6bgIfbukI8nxzdijD6JkrkEdr3arYPMVrAHk6eq6wFfaPhaDmKOdhhS0VNpqwWohAuyJ78NULVs6ctTL3BAD7AM1nYlO"
    "+uUYGeyXmgBZ8pSnuIt4YcvRQ++DYqNTpYIs3kYJMl1IpRzHwl8RYuJkstEnzHzIrvJgqIHr+wcARuiPifqJmIGVaTgd"
    "oQ+HrR2WS10q+cHrrKYu296W9Skdelf+fNWen7n2YtEp8vSayPsq1YXFH4qlN/4Lzw==";

struct Vector {
    std::string preset;
    std::string secret;
    Headers headers;
    std::string body;
};

inline std::string text(std::string_view view) {
    return std::string(view);
}

inline std::vector<Vector> timed_lists() {
    const std::string standard = "v1,mZoJpZuuY1J8LP7RGRIpaFT2ND6mIQHEdkVsspJOHFs=";
    return {
        {"stripe",
         text(sample::secret),
         {{"Stripe-Signature",
           "t=1767225600,v1=43c87335252503baf344946c1661e499196b7204d866a66c186d157739ec91c6"}},
         text(body)},
        {"standard-webhooks",
         text(sample::secret),
         {{"webhook-id", "msg_1"},
          {"webhook-timestamp", "1767225600"},
          {"webhook-signature", standard}},
         text(body)},
        {"standard-webhooks",
         "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=",
         {{"webhook-id", "msg_1"},
          {"webhook-timestamp", "1767225600"},
          {"webhook-signature",
           "v1a,"
           "0eERnvZQ99sK84eP6J1OImiszsCUbrPlkfpcazfwXjnuL4trCvGyW9UtI8w73ut83WE3JNwhvd3CCTnjAFrK"
           "Bw=="}},
         text(body)},
        {"svix",
         text(sample::secret),
         {{"svix-id", "msg_1"}, {"svix-timestamp", "1767225600"}, {"svix-signature", standard}},
         text(body)},
    };
}

inline std::vector<Vector> hmacs_of_the_body() {
    const std::string secret = text(raw_secret);
    const std::string hex = text(hex256);
    const std::string b64 = text(base64_256);
    return {
        {"adyen-platform",
         "00112233445566778899AABBCCDDEEFF",
         {{"hmacsignature", "XK9n+gw4HDKl7EuAv+TGqOj7tjQUfw2MjPDcNNDZ21Y="}},
         text(body)},
        {"square",
         secret,
         {{"x-square-hmacsha256-signature", "qAij5Fzy6kqGrHnivtdvkOYacTBReO0T+vhcNAHpvzU="}},
         text(body)},
        {"razorpay", secret, {{"X-Razorpay-Signature", hex}}, text(body)},
        {"paystack",
         secret,
         {{"x-paystack-signature",
           "d8b51c91d4bc14f743a35a985ed1a512dc5c835c340df217c5b8790a34cbb63a"
           "2fac8354f6755825a808eb20435c7c4fb19fad03b443399c71e6f31f712bc4f6"}},
         text(body)},
        {"flutterwave-v4", secret, {{"flutterwave-signature", b64}}, text(body)},
        {"mollie", secret, {{"X-Mollie-Signature", "sha256=" + hex}}, text(body)},
        {"mollie",
         secret,
         {{"X-Mollie-Signature", std::string(64, '0')}, {"X-Mollie-Signature", hex}},
         text(body)},
        {"gocardless", secret, {{"Webhook-Signature", hex}}, text(body)},
        {"checkout", secret, {{"Cko-Signature", hex}}, text(body)},
        {"cashfree",
         secret,
         {{"x-webhook-timestamp", "1767225600123"},
          {"x-webhook-signature", "UNbjTFy02RLc0+eN9Au7wquMyY/ZnASQdkSiy2HxBME="}},
         text(body)},
        {"shopify", secret, {{"X-Shopify-Hmac-Sha256", b64}}, text(body)},
        {"coinbase", secret, {{"X-CC-Webhook-Signature", hex}}, text(body)},
    };
}

inline std::vector<Vector> tokens_keys_and_fields() {
    const std::string secret = text(raw_secret);
    const std::string hex = text(hex256);
    return {
        {"flutterwave-v3", secret, {{"verif-hash", secret}}, text(body)},
        {"phonepe-v2",
         "user1:password1",
         {{"Authorization", "e47fadbaba0a0962e22b1f217458a4416626917c9710669796328545fb8d3081"}},
         text(body)},
        {"wise", text(wise_key), {{"X-Signature-SHA256", text(wise_signature)}}, text(body)},
        {"xendit", secret, {{"x-callback-token", secret}}, text(body)},
        {"midtrans",
         secret,
         {},
         R"({"order_id":"o-1","status_code":"200","gross_amount":"10000.00","signature_key":)"
         R"("cbf2d2be4a13f57d9ec6eeef3b7c9f6a26268563369e3865d7cf509081eb3bd9)"
         R"(db5eb234cb0329c031e7f1262870e118ea558caa65c9b97e40f721851df0b095"})"},
        {"klarna",
         "key-1:" + secret,
         {{"Klarna-Signing-Key-Id", "key-1"}, {"Klarna-Signature", hex}},
         text(body)},
        {"github",
         "mysecret",  // published by octokit/webhooks-methods
         {{"X-Hub-Signature-256",
           "sha256=4864d2759938a15468b5df9ade20bf161da9b4f737ea61794142f3484236bda3"}},
         R"({"foo":"bar"})"},
    };
}

inline std::vector<Vector> all() {
    std::vector<Vector> list = timed_lists();
    for (auto& more : {hmacs_of_the_body(), tokens_keys_and_fields()}) {
        list.insert(list.end(), more.begin(), more.end());
    }
    return list;
}

inline ProviderConfig config_for(const Vector& vector) {
    ProviderConfig config;
    config.name = "p";
    config.preset = vector.preset;
    config.secrets = {vector.secret};
    config.url = "https://shop.example/webhooks/square";
    config.read.event_id = {{"sha256:body"}};
    config.read.type = {{"/type"}};
    return config;
}

}  // namespace pawl::providers::vectors
