// Signatures that are right but for one character: every position counts, the first, the middle and
// the last alike, in every preset and every encoding.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "providers/presets.hpp"
#include "providers/scheme.hpp"
#include "providers/tests/sample.hpp"
#include "providers/tests/vectors.hpp"

namespace pawl::providers {
namespace {

constexpr std::string_view hex_letters = "0123456789abcdef";
constexpr std::string_view base64_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view base64url_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string_view letters_of(const SchemeConfig& scheme) {
    // A token is compared as it is: any other letter makes it another token.
    if (scheme.alg == Alg::token) return base64url_letters;
    switch (scheme.encoding) {
        case Encoding::hex:
            return hex_letters;
        case Encoding::base64:
            return base64_letters;
        case Encoding::base64url:
            return base64url_letters;
    }
    return {};
}

// Where in `text` the signature is: the longest piece that is written in these letters.
std::string_view signature_in(std::string_view text, std::string_view letters) {
    std::string_view longest;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find_first_not_of(letters, at), text.size());
        if (end - at > longest.size()) longest = text.substr(at, end - at);
        at = end + 1;
    }
    return longest;
}

// The text in which the scheme finds its signature: a header's last line, or the body.
std::string& signed_text(const SchemeConfig& scheme, Delivery& delivery) {
    if (!scheme.source.starts_with("header:")) return delivery.body;
    const std::string name = scheme.source.substr(7);
    for (auto line = delivery.headers.rbegin(); line != delivery.headers.rend(); ++line) {
        if (equal_ignoring_case(line->first, name)) return line->second;
    }
    ADD_FAILURE() << "no header " << name;
    return delivery.body;
}

class Forger {
  public:
    Forger(std::string name, const Provider& provider, const SchemeConfig& scheme,
           Delivery delivery)
        : name_(std::move(name)),
          provider_(provider),
          genuine_(std::move(delivery)),
          letters_(letters_of(scheme)),
          scheme_(scheme) {
        Delivery copy = genuine_;
        text_ = signed_text(scheme_, copy);
        const auto signature = signature_in(text_, letters_);
        begin_ = static_cast<std::size_t>(signature.data() - text_.data());
        size_ = signature.size();
    }

    void expect_every_forgery_refused() const {
        ASSERT_EQ(diagnosis(text_), "ok") << name_;
        ASSERT_GE(size_, 14U) << name_;
        for (std::size_t i = 0; i < size_; ++i) {
            std::string text = text_;
            const auto letter = letters_.find(text[begin_ + i]);
            text[begin_ + i] = letters_[(letter + 1) % letters_.size()];
            EXPECT_NE(diagnosis(text), "ok") << name_ << " at " << i << " of " << size_;
        }
        for (const std::size_t cut : {1U, 2U, 4U}) {
            std::string text = text_;
            EXPECT_NE(diagnosis(text.erase(begin_ + size_ - cut, cut)), "ok") << name_ << cut;
        }
        std::string longer = text_;
        EXPECT_NE(diagnosis(longer.insert(begin_ + size_, 4, letters_[0])), "ok") << name_;
    }

  private:
    std::string diagnosis(const std::string& text) const {
        Delivery forged = genuine_;
        signed_text(scheme_, forged) = text;
        return provider_.receive(forged).diagnosis;
    }

    std::string name_;
    const Provider& provider_;
    Delivery genuine_;
    std::string_view letters_;
    const SchemeConfig& scheme_;
    std::string text_;
    std::size_t begin_ = 0, size_ = 0;
};

TEST(Forgery, IsRefusedAtEveryPositionOfASignatureOfEveryPreset) {
    for (const vectors::Vector& vector : vectors::all()) {
        const ProviderConfig config = vectors::config_for(vector);
        const Provider provider = sample::compiled(config);
        const auto& preset = **find_preset(vector.preset);
        const auto variant = std::find_if(
            preset.variants.begin(), preset.variants.end(),
            [&](const auto& one) { return vector.secret.starts_with(one.secret_prefix); });
        const Delivery delivery{"POST", "/", vector.headers, vector.body, sample::moment()};
        Forger(vector.preset, provider, variant->scheme, delivery).expect_every_forgery_refused();
    }
}

TEST(Forgery, IsRefusedAtEveryPositionInEveryEncodingOfEveryAlgorithm) {
    const std::pair<const char*, Alg> algorithms[] = {{"hmac-sha1", Alg::hmac_sha1},
                                                      {"hmac-sha256", Alg::hmac_sha256},
                                                      {"hmac-sha512", Alg::hmac_sha512},
                                                      {"sha256", Alg::sha256},
                                                      {"sha512", Alg::sha512},
                                                      {"token", Alg::token},
                                                      {"token-sha256", Alg::token_sha256}};
    const std::pair<const char*, Encoding> encodings[] = {{" hex", Encoding::hex},
                                                          {" base64", Encoding::base64},
                                                          {" base64url", Encoding::base64url}};
    for (const auto& [name, alg] : algorithms) {
        for (const auto& [encoding_name, encoding] : encodings) {
            ProviderConfig config = sample::demo();
            config.preset = "";
            config.secrets = {"secretOf16letters"};
            config.rules = {sample::ignore_rule()};  // a token proves nothing about the body
            SchemeConfig& scheme = config.scheme.emplace();
            scheme.alg = alg;
            scheme.source = "header:X-Sig";
            scheme.encoding = encoding;
            if (alg == Alg::sha256 || alg == Alg::sha512) scheme.sign = "{secret}{body}";
            if (alg == Alg::token || alg == Alg::token_sha256) scheme.covers = Covers::none;
            const Provider provider = sample::compiled(config);
            Forger(std::string(name) + encoding_name, provider, scheme,
                   sample::signed_delivery(provider, sample::captured))
                .expect_every_forgery_refused();
        }
    }
}

}  // namespace
}  // namespace pawl::providers
