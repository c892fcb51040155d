// Every preset against signatures made by others: vectors.hpp.
#include "providers/presets.hpp"

#include "providers/provider_traits.hpp"
#include "providers/tests/sample.hpp"
#include "providers/tests/vectors.hpp"

namespace pawl::providers {
namespace {

using vectors::body;
using vectors::config_for;
using vectors::Vector;

std::string diagnosis(const Vector& vector) {
    const Provider provider = sample::compiled(config_for(vector));
    return provider.receive({"POST", "/", vector.headers, vector.body, sample::moment()}).diagnosis;
}

TEST(Presets, AcceptSignaturesOfOtherImplementations) {
    for (const Vector& vector : vectors::all()) EXPECT_EQ(diagnosis(vector), "ok") << vector.preset;
}

TEST(Presets, RefuseAnotherBodyWhereverTheSignatureCoversIt) {
    for (Vector vector : vectors::all()) {
        const bool token = vector.preset == "xendit" || vector.preset == "phonepe-v2" ||
                           vector.preset == "flutterwave-v3";
        vector.body = vector.preset == "midtrans"
                          ? sample::with(vector.body, "10000.00", "99999.00")
                          : vector.body + "x";
        EXPECT_EQ(diagnosis(vector), token ? "ok" : "wrong_secret") << vector.preset;
    }
}

TEST(Presets, RefuseADeliveryWithoutItsHeaders) {
    for (Vector vector : vectors::all()) {
        vector.headers.clear();
        if (vector.preset != "midtrans") {
            EXPECT_EQ(diagnosis(vector), "header_missing") << vector.preset;
        }
    }
}

TEST(Presets, EachHasAVector) {
    for (const Preset& preset : all_presets()) {
        bool found = false;
        for (const Vector& vector : vectors::all()) found = found || vector.preset == preset.name;
        EXPECT_TRUE(found) << preset.name;
    }
}

TEST(Presets, EachIsInTheTableAndAProviderWithoutOneIsRefused) {
    for (const Preset& preset : all_presets()) {
        EXPECT_NE(traits_of(preset.name), nullptr) << preset.name;
    }
    std::size_t refused = 0;
    for (const ProviderTraits& traits : all_traits()) refused += find_preset(traits.name) ? 0 : 1;
    EXPECT_EQ(refused, all_traits().size() - all_presets().size());
}

TEST(Presets, UnknownNamesFailClosed) {
    ProviderConfig config = sample::demo();
    config.preset = "strpe";
    EXPECT_NE(sample::refusal(config).find("is unknown"), std::string::npos);
    config.preset = "paypal";
    EXPECT_NE(sample::refusal(config).find("is not in this version"), std::string::npos);
    config.preset = "";
    EXPECT_NE(sample::refusal(config), "");
}

TEST(Presets, SignaturesInAHeaderAreAcceptedAlone) {
    for (const Vector& vector : vectors::all()) {
        if (vector.preset == "midtrans" || vector.preset == "wise") continue;
        const Provider provider = sample::compiled(config_for(vector));
        const auto delivery = sample::signed_delivery(
            provider, body, "whsk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
        EXPECT_EQ(provider.receive(delivery).diagnosis, "ok") << vector.preset;
    }
}

}  // namespace
}  // namespace pawl::providers
