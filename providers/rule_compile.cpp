// What is wrong with a rule is said here, once, before the first event arrives.
#include <algorithm>

#include "providers/rule.hpp"
#include "providers/scheme.hpp"

namespace pawl::providers {
namespace {

bool is_kind(std::string_view text) {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

// Whoever replays a signed body may write what he likes into the headers that are not signed.
bool is_signed(const FieldSelector& part, const RuleContext& context) {
    const auto& names = context.signed_headers;
    return part.from() != FieldSelector::From::header ||
           std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return same_header(name, part.text()); });
}

Result<FieldSelector> money_part(const std::string& at, std::string_view what,
                                 const RuleContext& context) {
    auto part = FieldSelector::parse({at, false});
    if (!part) return invalid(std::string(what) + " " + part.error().message);
    if (!is_signed(*part, context)) {
        return invalid(std::string(what) + " comes from a header that is not signed");
    }
    const bool currency = what == "currency" && Currency::parse(at).ok();
    if (part->from() == FieldSelector::From::literal && !currency) {
        return invalid(std::string(what) + " is \"" + at +
                       "\"; a pointer into the body starts with /");
    }
    return part;
}

Result<FieldSelectors> key_parts(const ReadParts& configs, std::string_view what,
                                 const RuleContext& context) {
    auto parts = parse_selectors(configs, what);
    if (!parts) return parts;
    if (parts->empty() || parts->front().from() != FieldSelector::From::literal ||
        !is_kind(parts->front().text())) {
        return invalid(std::string(what) +
                       " must start with a word for its kind, as in [\"capture\", "
                       "\"/payment_id\"]");
    }
    for (const FieldSelector& part : *parts) {
        if (is_signed(part, context)) continue;
        return invalid(std::string(what) + " uses header " + part.text() +
                       ", which is not signed: the same body with another value would move the "
                       "money again");
    }
    return parts;
}

}  // namespace

Result<Rule> Rule::compile(const RuleConfig& config, const RuleContext& context) {
    Rule rule;
    rule.config_ = config;
    if (config.when.empty()) return invalid("`when` is empty");
    const auto star = config.when.find('*');
    if (star != std::string::npos && star + 1 != config.when.size()) {
        return invalid("`when` may have a * only at its end");
    }
    if (auto done = rule.compile_where(); !done) return done.error();
    if (!config.account.empty()) {
        auto account = money_part(config.account, "account", context);
        if (!account) return account.error();
        rule.account_ = std::move(*account);
    }
    if (!config.signal.empty()) {
        auto signal = money_part(config.signal, "signal", context);
        if (!signal) return signal.error();
        rule.signal_ = std::move(*signal);
    }
    if (auto done = rule.compile_money(context); !done) return done.error();
    if (auto done = rule.compile_keys(context); !done) return done.error();
    if (auto done = rule.check_order(context); !done) return done.error();
    if (auto done = rule.check_trust(context); !done) return done.error();
    return rule;
}

Result<void> Rule::compile_where() {
    for (const auto& [at, accepted] : config_.where) {
        auto pointer = json::Pointer::parse(at);
        if (!pointer) return invalid("where: " + pointer.error().message);
        where_.emplace_back(std::move(*pointer), accepted);
    }
    return {};
}

Result<void> Rule::compile_money(const RuleContext& context) {
    if (!moves_money()) return {};
    if (!account_) return invalid("moves money and names no account");
    auto amount = money_part(config_.amount, "amount", context);
    if (!amount) return amount.error();
    auto currency = money_part(config_.currency, "currency", context);
    if (!currency) return currency.error();
    amount_ = std::move(*amount);
    currency_ = std::move(*currency);
    if (config_.amount_is == AmountIs::total && context.read->object.empty()) {
        return invalid("amount_is = \"total\" needs [read] object");
    }
    return {};
}

Result<void> Rule::compile_keys(const RuleContext& context) {
    const bool starts = config_.action == Action::start;
    if ((starts || config_.action == Action::signal) && config_.workflow.empty()) {
        return invalid("names no workflow");
    }
    if (config_.action == Action::signal && !signal_) {
        return invalid("tells a run and names no key to find it by: write signal = \"/pointer\"");
    }
    if (config_.effect_key.empty() && (moves_money() || starts)) {
        return invalid(
            "needs an effect_key: without it two events about one payment would count "
            "twice");
    }
    if (!config_.effect_key.empty()) {
        auto parts = key_parts(config_.effect_key, "effect_key", context);
        if (!parts) return parts.error();
        effect_key_ = std::move(*parts);
    }
    for (const ReadParts& need : config_.needs) {
        auto parts = key_parts(need, "needs", context);
        if (!parts) return parts.error();
        needs_.push_back(std::move(*parts));
    }
    return {};
}

Result<void> Rule::check_order(const RuleContext& context) const {
    const ReadConfig& read = *context.read;
    if (config_.order != OrderingPolicy::late_ok && read.sequence.empty()) {
        return invalid("order hold and strict need [read] sequence");
    }
    if (config_.order_scope == OrderScope::object && read.object.empty()) {
        return invalid("order_scope = \"object\" needs [read] object");
    }
    if (config_.action != Action::set_balance) return {};
    if (config_.order != OrderingPolicy::strict)
        return invalid("set_balance requires order = \"strict\"");
    const bool has_sequence =
        std::any_of(config_.effect_key.begin(), config_.effect_key.end(),
                    [&](const ReadPart& part) { return part.at == read.sequence; });
    if (!has_sequence) return invalid("set_balance must have the sequence in its effect_key");
    return {};
}

Result<void> Rule::check_trust(const RuleContext& context) const {
    if (!moves_money() || context.covers == Covers::full) return {};
    if (config_.confirm_by_fetch || config_.trust_transport) return {};
    return invalid(
        "moves money, and the signature does not prove the whole body: write confirm = "
        "\"fetch\", or trust = \"transport\" to accept that");
}

}  // namespace pawl::providers
