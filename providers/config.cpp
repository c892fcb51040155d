#include "providers/config.hpp"

#include <span>

namespace pawl::providers {
namespace {

template <class T>
struct Word {
    std::string_view text;
    T value;
};

template <class T>
Result<T> parse_word(std::string_view what, std::string_view text, std::span<const Word<T>> words) {
    std::string choices;
    for (const auto& word : words) {
        if (word.text == text) return word.value;
        choices += (choices.empty() ? "" : ", ") + std::string(word.text);
    }
    return invalid(std::string(what) + " is \"" + std::string(text) + "\"; it can be " + choices);
}

constexpr Word<Alg> algs[] = {
    {"hmac-sha1", Alg::hmac_sha1},
    {"hmac-sha256", Alg::hmac_sha256},
    {"hmac-sha512", Alg::hmac_sha512},
    {"sha256", Alg::sha256},
    {"sha512", Alg::sha512},
    {"rsa-pkcs1-sha256", Alg::rsa_pkcs1_sha256},
    {"ed25519", Alg::ed25519},
    {"token", Alg::token},
    {"token-sha256", Alg::token_sha256},
};
constexpr Word<Encoding> encodings[] = {
    {"hex", Encoding::hex}, {"base64", Encoding::base64}, {"base64url", Encoding::base64url}};
constexpr Word<KeyDecode> key_decodes[] = {
    {"raw", KeyDecode::raw}, {"hex", KeyDecode::hex}, {"base64", KeyDecode::base64}};
constexpr Word<TimeUnit> time_units[] = {
    {"s", TimeUnit::seconds}, {"ms", TimeUnit::milliseconds}, {"iso", TimeUnit::iso}};
constexpr Word<Covers> covers_words[] = {
    {"full", Covers::full}, {"partial", Covers::partial}, {"none", Covers::none}};
constexpr Word<AmountIs> amount_is_words[] = {{"delta", AmountIs::delta},
                                              {"total", AmountIs::total}};
constexpr Word<AmountUnit> amount_units[] = {{"minor", AmountUnit::minor},
                                             {"major", AmountUnit::major}};
constexpr Word<OrderingPolicy> orders[] = {{"late_ok", OrderingPolicy::late_ok},
                                           {"hold", OrderingPolicy::hold},
                                           {"strict", OrderingPolicy::strict}};
constexpr Word<CaptureShape> capture_shapes[] = {
    {"one", CaptureShape::one}, {"ids", CaptureShape::ids}, {"total", CaptureShape::total}};
constexpr Word<Unmet> unmet_words[] = {{"park", Unmet::park}, {"ignore", Unmet::ignore}};
constexpr Word<Dispute> disputes[] = {
    {"opened", Dispute::opened}, {"won", Dispute::won}, {"lost", Dispute::lost}};
constexpr Word<OrderScope> order_scopes[] = {{"account", OrderScope::account},
                                             {"object", OrderScope::object}};
constexpr Word<InProgress> in_progress_words[] = {{"accept", InProgress::accept},
                                                  {"conflict", InProgress::conflict}};
constexpr Word<Action> actions[] = {
    {"credit", Action::credit},           {"debit", Action::debit},
    {"set_balance", Action::set_balance}, {"ignore", Action::ignore},
    {"start:<workflow>", Action::start},  {"signal:<workflow>", Action::signal}};

template <class T>
std::string_view word_of(T value, std::span<const Word<T>> words) {
    for (const auto& word : words) {
        if (word.value == value) return word.text;
    }
    return "?";
}

}  // namespace

Result<Alg> parse_alg(std::string_view text) {
    return parse_word<Alg>("alg", text, algs);
}
Result<Encoding> parse_encoding(std::string_view text) {
    return parse_word<Encoding>("encoding", text, encodings);
}
Result<KeyDecode> parse_key_decode(std::string_view text) {
    return parse_word<KeyDecode>("decode", text, key_decodes);
}
Result<TimeUnit> parse_time_unit(std::string_view text) {
    return parse_word<TimeUnit>("unit", text, time_units);
}
Result<Covers> parse_covers(std::string_view text) {
    return parse_word<Covers>("covers", text, covers_words);
}
Result<AmountIs> parse_amount_is(std::string_view text) {
    return parse_word<AmountIs>("amount_is", text, amount_is_words);
}
Result<AmountUnit> parse_amount_unit(std::string_view text) {
    return parse_word<AmountUnit>("unit", text, amount_units);
}
Result<CaptureShape> parse_captures(std::string_view text) {
    return parse_word<CaptureShape>("captures", text, capture_shapes);
}
Result<Unmet> parse_unmet(std::string_view text) {
    return parse_word<Unmet>("unmet", text, unmet_words);
}
Result<Dispute> parse_dispute(std::string_view text) {
    return parse_word<Dispute>("dispute", text, disputes);
}
Result<OrderingPolicy> parse_order(std::string_view text) {
    return parse_word<OrderingPolicy>("order", text, orders);
}
Result<OrderScope> parse_order_scope(std::string_view text) {
    return parse_word<OrderScope>("order_scope", text, order_scopes);
}
Result<InProgress> parse_in_progress(std::string_view text) {
    return parse_word<InProgress>("in_progress", text, in_progress_words);
}

Result<Effect> parse_effect(std::string_view text) {
    const auto colon = text.find(':');
    if (colon != std::string_view::npos && colon + 1 < text.size()) {
        const std::string workflow(text.substr(colon + 1));
        if (text.substr(0, colon) == "start") return Effect{Action::start, workflow};
        if (text.substr(0, colon) == "signal") return Effect{Action::signal, workflow};
    }
    auto action = parse_word<Action>("effect", text, actions);
    if (!action) return action.error();
    return Effect{*action, ""};
}

Result<std::optional<std::string>> parse_ack(std::string_view text) {
    using Ack = std::optional<std::string>;
    if (text == "json") return Ack();
    if (text.starts_with("text:")) return Ack(text.substr(5));
    return invalid("ack is \"" + std::string(text) + "\"; it can be json or text:ANSWER");
}

std::string_view to_text(Action action) {
    if (action == Action::start) return "start";
    if (action == Action::signal) return "signal";
    return word_of<Action>(action, actions);
}

std::string_view to_text(OrderingPolicy order) {
    return word_of<OrderingPolicy>(order, orders);
}

std::string_view to_text(CaptureShape shape) {
    return word_of<CaptureShape>(shape, capture_shapes);
}

std::string_view to_text(Dispute dispute) {
    return word_of<Dispute>(dispute, disputes);
}

}  // namespace pawl::providers
