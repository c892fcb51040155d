#include "providers/provider.hpp"

#include <algorithm>

#include "base/crypto.hpp"
#include "base/text.hpp"
#include "providers/presets.hpp"
#include "providers/read.hpp"
#include "providers/scheme.hpp"
#include "providers/sign.hpp"
#include "providers/verify.hpp"

namespace pawl::providers {

struct Provider::Compiled {
    ProviderConfig config;
    std::vector<Scheme> schemes;  // several where the secrets are of several kinds
    Reader reader;
};

namespace {

// It is part of URLs, of effect keys and of account names.
bool is_name(std::string_view text) {
    constexpr std::size_t name_bytes_max = 64;
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return !text.empty() && text.size() <= name_bytes_max &&
           text.find_first_not_of(letters) == std::string_view::npos;
}

Result<Preset> preset_of(const ProviderConfig& config) {
    if (config.scheme.has_value() == !config.preset.empty()) {
        return invalid("write either scheme = \"NAME\" or a [scheme] table");
    }
    if (config.scheme) return Preset{"", {{"", *config.scheme}}, {}};
    auto preset = find_preset(config.preset);
    if (!preset) return preset.error();
    return **preset;
}

// Detects a secret that was copied wrongly. Messages never contain the secret.
Result<void> check_copied(const std::string& secret, const Preset& preset) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const bool pem = secret.find("-----BEGIN") != std::string::npos;
    const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    if (!pem && !secret.empty()) {
        if (blanks.find(secret.front()) != std::string_view::npos ||
            blanks.find(secret.back()) != std::string_view::npos) {
            return invalid("begins or ends with white space");
        }
        if (std::any_of(secret.begin(), secret.end(), is_control)) {
            return invalid("has a control character");
        }
    }
    std::string prefixes;
    for (const Preset::Variant& variant : preset.variants) {
        if (secret.starts_with(variant.secret_prefix)) return {};
        prefixes += (prefixes.empty() ? "" : " or ") + std::string(variant.secret_prefix);
    }
    return invalid("does not begin with " + prefixes);
}

Result<std::vector<Scheme>> compile_schemes(const ProviderConfig& config, const Preset& preset) {
    std::vector<Scheme> schemes;
    std::vector<std::string> left = config.secrets;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const auto copied = check_copied(left[i], preset);
        if (!copied)
            return invalid("secret " + std::to_string(i + 1) + " " + copied.error().message);
    }
    for (const auto& [secret_prefix, scheme] : preset.variants) {
        const auto belongs = [&prefix = secret_prefix](const std::string& secret) {
            return secret.starts_with(prefix);
        };
        const auto end = std::stable_partition(left.begin(), left.end(), belongs);
        const std::vector<std::string> mine(left.begin(), end);
        left.erase(left.begin(), end);
        if (mine.empty()) continue;
        auto compiled = compile_scheme(scheme, config, mine);
        if (!compiled) return compiled.error();
        schemes.push_back(std::move(*compiled));
    }
    if (schemes.empty()) return invalid("secrets is empty: nothing could be verified");
    return schemes;
}

void note_header(const Source& source, std::vector<std::string>& into) {
    if (source.from == Source::From::header) into.push_back(source.header);
}

Result<RuleContext> rule_context(const ProviderConfig& config, const Preset& preset,
                                 const Scheme& scheme) {
    RuleContext context;
    context.books = config.books;
    context.captures = config.captures;
    context.covers = std::max(scheme.config.covers, covers_at_most(scheme.config));
    if (scheme.signs(Piece::Kind::id)) note_header(*scheme.id, context.signed_headers);
    for (const Piece& piece : scheme.sign) {
        if (piece.kind == Piece::Kind::source) note_header(piece.source, context.signed_headers);
    }
    for (const auto& [code, exponent] : preset.exponents) {
        auto currency = Currency::parse(code);
        if (!currency) return currency.error();
        context.exponents.emplace_back(*currency, exponent);
    }
    return context;
}

const std::string hashed_mark = "sha256:";

// Whether the header's value alone authenticates a sender.
bool is_secret(const std::vector<Scheme>& schemes, std::string_view header) {
    if (equal_ignoring_case(header, "Authorization") ||
        equal_ignoring_case(header, "Proxy-Authorization")) {
        return true;
    }
    return std::any_of(schemes.begin(), schemes.end(), [header](const Scheme& scheme) {
        return scheme.is_token() && scheme.source.from == Source::From::header &&
               equal_ignoring_case(header, scheme.source.header);
    });
}

}  // namespace

Result<Provider> Provider::create(ProviderConfig config) {
    const auto fault = [name = config.name](const Error& why) {
        return invalid("provider " + name + ": " + why.message);
    };
    if (config.books.empty()) config.books = config.name;
    if (!is_name(config.name) || !is_name(config.books)) {
        return fault(invalid("name and books may have letters, digits, _ . - and 64 characters"));
    }
    const std::string file_books = config.books;
    config.books = books_in(config.mode, config.books);
    const auto preset = preset_of(config);
    if (!preset) return fault(preset.error());
    auto schemes = compile_schemes(config, *preset);
    if (!schemes) return fault(schemes.error());
    auto context = rule_context(config, *preset, schemes->front());
    if (!context) return fault(context.error());
    context->file_books = file_books;
    context->mode = config.mode;
    auto reader = Reader::create(config, std::move(*context));
    if (!reader) return fault(reader.error());
    config.scheme = schemes->front().config;
    Compiled compiled{std::move(config), std::move(*schemes), std::move(*reader)};
    return Provider(std::make_shared<const Compiled>(std::move(compiled)));
}

const ProviderConfig& Provider::config() const {
    return compiled_->config;
}

Received Provider::receive(const Delivery& delivery) const {
    Received received;
    const Verification verification = verify(compiled_->schemes, delivery);
    received.diagnosis = to_text(verification.diagnosis);
    received.detail = verification.detail;
    if (!verification.authentic()) return received;
    received.verdict = Verdict::verified;
    compiled_->reader.read(delivery, received);
    return received;
}

Headers Provider::storable(Headers headers) const {
    for (auto& [name, value] : headers) {
        if (is_secret(compiled_->schemes, name)) value = hashed_mark + crypto::sha256_hex(value);
    }
    return headers;
}

Received Provider::read_again(const Delivery& delivery) const {
    Received received;
    const bool hashed =
        std::any_of(delivery.headers.begin(), delivery.headers.end(), [this](const auto& line) {
            return line.second.starts_with(hashed_mark) &&
                   is_secret(compiled_->schemes, line.first);
        });
    if (hashed) {
        received.diagnosis = "stored_verdict";
    } else {
        const Verification verification = verify(compiled_->schemes, delivery);
        received.diagnosis = to_text(verification.diagnosis);
        received.detail = verification.detail;
    }
    received.verdict = Verdict::verified;
    compiled_->reader.read(delivery, received);
    return received;
}

Result<Headers> Provider::sign(const Outgoing& outgoing, std::string_view private_key) const {
    return sign_delivery(compiled_->schemes.front(), compiled_->config, outgoing, private_key);
}

}  // namespace pawl::providers
