#include "providers/rule.hpp"

#include <algorithm>

#include "base/keys.hpp"

namespace pawl::providers {
namespace {

constexpr std::size_t effect_key_bytes_max = 1024;  // one unique index row holds it

std::optional<EffectKey> read_key(const FieldSelectors& parts, const Item& item,
                                  std::string_view books) {
    std::vector<std::string> id;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        auto text = parts[i].read(item);
        if (!text) return std::nullopt;
        id.push_back(std::move(*text));
    }
    const bool empty =
        std::all_of(id.begin(), id.end(), [](const auto& part) { return part.empty(); });
    auto key = make_effect_key(books, parts[0].text(), id);
    if (empty || key.str().size() > effect_key_bytes_max) return std::nullopt;
    return key;
}

// Fees and payouts are posted to accounts that a rule names by a literal.
bool is_system_account(std::string_view account) {
    return account.starts_with("fees:") || account.starts_with("bank:");
}

bool is_account(std::string_view text) {
    constexpr std::size_t account_bytes_max = 255;
    return !text.empty() && text.size() <= account_bytes_max &&
           std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

std::optional<Rule::Fields> Rule::match(std::string_view type, const Item& item) const {
    const std::string_view when = config_.when;
    const bool any = when.ends_with('*');
    if (any ? !type.starts_with(when.substr(0, when.size() - 1)) : type != when) return {};
    Fields missing;
    for (std::size_t i = 0; i < where_.size(); ++i) {
        const auto& [pointer, accepted] = where_[i];
        const auto value = item.value ? item.value->at(pointer) : std::nullopt;
        const auto text = value ? value->text() : std::nullopt;
        const bool absent = !value || value->kind() == json::Kind::null;
        const bool found =
            text && std::find(accepted.begin(), accepted.end(), *text) != accepted.end();
        if (found || (absent && accepted.empty())) continue;
        if (text || accepted.empty()) return {};
        missing.emplace_back(config_.where[i].first);
    }
    return missing;
}

bool Rule::requires_absence_of(const Fields& fields) const {
    return std::all_of(fields.begin(), fields.end(), [this](std::string_view field) {
        return std::any_of(config_.where.begin(), config_.where.end(), [field](const auto& one) {
            return one.first == field && one.second.empty();
        });
    });
}

bool Rule::moves_money() const {
    return config_.action == Action::credit || config_.action == Action::debit ||
           config_.action == Action::set_balance;
}

void Rule::apply(const Item& item, const RuleContext& context, Event& event) const {
    event.action = config_.action;
    event.order = config_.order;
    event.workflow = config_.workflow;
    event.jobs = config_.jobs;
    if (account_) event.account = account_->read(item).value_or("");
    const char* reason = "";
    if (config_.action == Action::ignore) {
        reason = "";
    } else if (moves_money()) {
        reason = read_movement(item, context, event);
    } else if (!effect_key_.empty()) {
        auto key = read_key(effect_key_, item, context.books);
        if (key) event.start_key = std::move(*key);
        reason = key ? "" : "effect_key_missing";
    }
    if (signal_) event.signal_key = signal_->read(item).value_or("");
    if (config_.action == Action::signal && event.signal_key.empty()) reason = "signal_key_missing";
    if (*reason == '\0') reason = read_sequence_rule(context, event);
    // Nothing may move on the word of the message alone, and asking the provider is not built yet.
    if (*reason == '\0' && moves_money() && config_.confirm_by_fetch)
        reason = "confirm_unavailable";
    if (*reason != '\0') event.movement.reset();
    event.quarantine = reason;
}

const char* Rule::read_movement(const Item& item, const RuleContext& context, Event& event) const {
    Movement movement;
    if (!is_account(event.account)) return "bad_account";
    if (event.account.ends_with(":clearing")) return "clearing_account";
    if (is_system_account(event.account) && account_->from() != FieldSelector::From::literal) {
        return "system_account";
    }
    movement.account = AccountId(event.account);
    if (const char* reason = read_amount(item, context, movement.amount); *reason != '\0')
        return reason;
    auto key = read_key(effect_key_, item, context.books);
    if (!key) return "effect_key_missing";
    movement.effect_key = std::move(*key);
    for (const FieldSelectors& parts : needs_) {
        auto need = read_key(parts, item, context.books);
        if (!need) return "need_missing";
        movement.needs.push_back(std::move(*need));
    }
    movement.needs_deadline = config_.needs_deadline;
    movement.is_total = config_.amount_is == AmountIs::total;
    if (movement.is_total && event.object.empty()) return "object_missing";
    event.movement = std::move(movement);
    return "";
}

const char* Rule::read_amount(const Item& item, const RuleContext& context, Money& into) const {
    const auto code = currency_->read(item);
    const auto currency = code ? Currency::parse(*code) : Result<Currency>(invalid(""));
    if (!currency) return "bad_currency";
    const auto text = amount_->read(item);
    if (!text) return "bad_amount";
    int exponent = currency->exponent();
    for (const auto& [special, own] : context.exponents) {
        if (special == *currency) exponent = own;
    }
    const auto amount = config_.unit == AmountUnit::major
                            ? from_decimal_text(*text, *currency)
                            : from_minor_text(*text, *currency, exponent);
    if (!amount) return "bad_amount";
    // A credit below zero is a debit that nobody has thought about.
    if (amount->minor < 0 && config_.action != Action::set_balance) return "bad_amount";
    into = *amount;
    return "";
}

const char* Rule::read_sequence_rule(const RuleContext& context, Event& event) const {
    const bool by_object = config_.order_scope == OrderScope::object;
    const std::string& named = by_object ? event.object : event.account;
    // An object may be named like an account, and has a stream of its own all the same.
    if (!named.empty()) event.sequence_rule.scope = (by_object ? "object:" : "account:") + named;
    event.sequence_rule.start = config_.sequence_start;
    event.sequence_rule.gap_deadline = config_.gap_deadline;
    event.sequence_rule.dense =
        context.dense && event.sequence && !event.sequence_rule.scope.empty();
    if (config_.order == OrderingPolicy::late_ok || config_.action == Action::ignore) return "";
    if (!event.sequence) return "sequence_missing";
    if (event.sequence_rule.scope.empty()) return by_object ? "object_missing" : "bad_account";
    return "";
}

}  // namespace pawl::providers
