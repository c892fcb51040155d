#include "providers/presets.hpp"

#include <algorithm>

#include "base/minor_units.hpp"
#include "providers/provider_traits.hpp"

namespace pawl::providers {
namespace {

using Variant = Preset::Variant;

SchemeConfig hmac(Alg alg, std::string_view header, Encoding encoding,
                  KeyDecode decode = KeyDecode::raw) {
    SchemeConfig scheme;
    scheme.alg = alg;
    scheme.source = "header:" + std::string(header);
    scheme.encoding = encoding;
    scheme.key.decode = decode;
    return scheme;
}

SchemeConfig hex256(std::string_view header) {
    return hmac(Alg::hmac_sha256, header, Encoding::hex);
}

SchemeConfig base64_256(std::string_view header) {
    return hmac(Alg::hmac_sha256, header, Encoding::base64);
}

// The whole whsec_... string is the key, prefix included: unlike at Standard Webhooks.
SchemeConfig stripe() {
    SchemeConfig scheme = hex256("Stripe-Signature");
    scheme.list = SignatureList{",", "=", "v1", "t"};
    scheme.sign = "{ts}.{body}";
    scheme.timestamp = TimestampRule{};
    return scheme;
}

SchemeConfig standard_webhooks(const std::string& family) {
    SchemeConfig scheme = base64_256(family + "-signature");
    scheme.list = SignatureList{" ", ",", "v1", ""};
    scheme.sign = "{id}.{ts}.{body}";
    scheme.id = "header:" + family + "-id";
    scheme.timestamp = TimestampRule{};
    scheme.timestamp->from = "header:" + family + "-timestamp";
    scheme.key = {KeyDecode::base64, "whsec_", ""};
    return scheme;
}

SchemeConfig standard_webhooks_asymmetric(const std::string& family) {
    SchemeConfig scheme = standard_webhooks(family);
    scheme.alg = Alg::ed25519;
    scheme.list->accept = "v1a";
    scheme.key.strip = "whpk_";
    return scheme;
}

Preset standard(std::string_view name, const std::string& family) {
    return {name,
            {{"whpk_", standard_webhooks_asymmetric(family)}, {"", standard_webhooks(family)}},
            {}};
}

SchemeConfig square() {
    SchemeConfig scheme = base64_256("x-square-hmacsha256-signature");
    scheme.sign = "{url}{body}";
    return scheme;
}

SchemeConfig prefixed(std::string_view header, bool optional) {
    SchemeConfig scheme = hex256(header);
    scheme.prefix = "sha256=";
    scheme.prefix_optional = optional;
    return scheme;
}

// Its header may be repeated while a secret is being rotated.
SchemeConfig mollie() {
    SchemeConfig scheme = prefixed("X-Mollie-Signature", true);
    scheme.list = SignatureList{",", "", "", ""};
    return scheme;
}

SchemeConfig cashfree() {
    SchemeConfig scheme = base64_256("x-webhook-signature");
    scheme.sign = "{ts}{body}";
    scheme.timestamp = TimestampRule{};
    scheme.timestamp->from = "header:x-webhook-timestamp";
    scheme.timestamp->unit = TimeUnit::milliseconds;
    return scheme;
}

SchemeConfig token(Alg alg, std::string_view header) {
    SchemeConfig scheme = hmac(alg, header, Encoding::hex);
    scheme.covers = Covers::none;
    return scheme;
}

SchemeConfig midtrans() {
    SchemeConfig scheme;
    scheme.alg = Alg::sha512;
    scheme.source = "json:/signature_key";
    scheme.sign = "{json:/order_id}{json:/status_code}{json:/gross_amount}{secret}";
    scheme.covers = Covers::partial;  // not the status
    return scheme;
}

SchemeConfig klarna() {
    SchemeConfig scheme = hex256("Klarna-Signature");
    scheme.key.select_by = "header:Klarna-Signing-Key-Id";
    return scheme;
}

SchemeConfig wise() {
    SchemeConfig scheme = base64_256("X-Signature-SHA256");
    scheme.alg = Alg::rsa_pkcs1_sha256;
    return scheme;
}

std::vector<OwnExponent> counted_by(std::string_view company) {
    const auto own = own_exponents(company);
    return {own.begin(), own.end()};
}

Preset one(std::string_view name, SchemeConfig scheme) {
    return {name, {Variant{"", std::move(scheme)}}, {}};
}

std::vector<Preset> build() {
    std::vector<Preset> presets = {
        {"stripe", {{"whsec_", stripe()}}, counted_by("stripe")},
        standard("standard-webhooks", "webhook"),
        standard("svix", "svix"),
        one("adyen-platform",
            hmac(Alg::hmac_sha256, "HmacSignature", Encoding::base64, KeyDecode::hex)),
        one("square", square()),
        one("razorpay", hex256("X-Razorpay-Signature")),
        one("paystack", hmac(Alg::hmac_sha512, "x-paystack-signature", Encoding::hex)),
        one("flutterwave-v3", token(Alg::token, "verif-hash")),
        one("flutterwave-v4", base64_256("flutterwave-signature")),
        one("mollie", mollie()),
        one("gocardless", hex256("Webhook-Signature")),
        one("checkout", hex256("Cko-Signature")),
        one("cashfree", cashfree()),
        one("phonepe-v2", token(Alg::token_sha256, "Authorization")),
        one("shopify", base64_256("X-Shopify-Hmac-Sha256")),
        one("coinbase", hex256("X-CC-Webhook-Signature")),
        one("wise", wise()),
        one("xendit", token(Alg::token, "x-callback-token")),
        one("midtrans", midtrans()),
        one("klarna", klarna()),
        one("github", prefixed("X-Hub-Signature-256", false)),
    };
    return presets;
}

}  // namespace

std::span<const Preset> all_presets() {
    static const std::vector<Preset> presets = build();
    return presets;
}

Result<const Preset*> find_preset(std::string_view name) {
    std::string names;
    for (const Preset& preset : all_presets()) {
        if (preset.name == name) return &preset;
        names += (names.empty() ? "" : ", ") + std::string(preset.name);
    }
    const std::string scheme = "scheme \"" + std::string(name) + "\" ";
    if (traits_of(name) != nullptr) {
        return invalid(scheme + "is not in this version; remove the file until it is");
    }
    return invalid(scheme + "is unknown; it can be a [scheme] table or " + names);
}

}  // namespace pawl::providers
