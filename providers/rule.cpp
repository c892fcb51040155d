#include "providers/rule.hpp"

#include <algorithm>

#include "base/keys.hpp"

namespace pawl::providers {
namespace {

constexpr std::size_t effect_key_bytes_max = 1024;  // one unique index row holds it
constexpr std::size_t moves_max = 100;  // limit of one event: each movement takes locks and rows

std::optional<EffectKey> read_key(const FieldSelectors& parts, const Item& item,
                                  std::string_view books, std::string_view kind) {
    std::vector<std::string> id;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        auto text = parts[i].read(item);
        if (!text) return std::nullopt;
        id.push_back(std::move(*text));
    }
    const bool empty =
        std::all_of(id.begin(), id.end(), [](const auto& part) { return part.empty(); });
    auto key = make_effect_key(books, kind, id);
    if (empty || key.str().size() > effect_key_bytes_max) return std::nullopt;
    return key;
}

std::optional<EffectKey> read_key(const FieldSelectors& parts, const Item& item,
                                  std::string_view books) {
    return read_key(parts, item, books, parts[0].text());
}

void add_former(const EffectKey& key, std::optional<EffectKey> former, Event& event) {
    if (former && *former != key) event.formerly.push_back({key, std::move(*former)});
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
    return !moves_.empty();
}

bool Rule::may_not_be_missed() const {
    return moves_money() || config_.dispute != Dispute::none;
}

void Rule::apply(const Item& item, const RuleContext& context, Event& event) const {
    event.action = moves_money() ? moves_.front().action : config_.action;
    event.order = config_.order;
    event.workflow = config_.workflow;
    event.jobs = config_.jobs;
    event.dispute = config_.dispute;
    if (account_) event.account = account_->read(item).value_or("");
    const char* reason = read_needs(item, context, event);
    if (*reason == '\0' && moves_money()) reason = read_moves(item, context, event);
    if (*reason == '\0' && !start_key_.empty()) {
        auto key = read_key(start_key_, item, context.books);
        if (key) event.start_key = std::move(*key);
        reason = key ? "" : "effect_key_missing";
    }
    if (signal_) event.signal_key = signal_->read(item).value_or("");
    if (config_.action == Action::signal && event.signal_key.empty()) reason = "signal_key_missing";
    if (*reason == '\0' && event.dispute != Dispute::none && event.object.empty()) {
        reason = "object_missing";
    }
    // An event that cannot be posted keeps its place until an operator ends it.
    const char* out_of_order = read_sequence_rule(item, context, event);
    if (*reason == '\0') reason = out_of_order;
    // The message alone must not move money, and the provider cannot be queried yet.
    if (*reason == '\0' && moves_money() && config_.confirm_by_fetch)
        reason = "confirm_unavailable";
    if (*reason != '\0') {
        event.movements.clear();
        event.readable = readable_part(item, context);
    }
    event.quarantine = reason;
}

std::optional<ReadablePart> Rule::readable_part(const Item& item,
                                                const RuleContext& context) const {
    if (moves_.empty() || moves_.front().each) return std::nullopt;
    const Move& move = moves_.front();
    ReadablePart part;
    part.kind = move.action;
    part.is_total = move.amount_is == AmountIs::total;
    AccountId account;
    if (*read_account(move, item, account) == '\0') part.account = std::move(account);
    Money amount;
    if (*read_amount(move, item, context, amount) == '\0') part.amount = amount;
    part.effect_key = read_key(move.effect_key, item, context.books).value_or(EffectKey());
    return part;
}

const char* Rule::read_needs(const Item& item, const RuleContext& context, Event& event) const {
    for (const FieldSelectors& parts : needs_) {
        auto need = read_key(parts, item, context.books);
        if (!need) return "need_missing";
        for (const FormerKind& one : context.former_kinds) {
            if (one.kind != parts[0].text()) continue;
            add_former(*need, read_key(parts, item, one.former_books, one.former_kind), event);
        }
        event.needs.push_back(std::move(*need));
    }
    event.needs_deadline = config_.needs_deadline;
    event.unmet = config_.unmet;
    return "";
}

const char* Rule::read_moves(const Item& item, const RuleContext& context, Event& event) const {
    for (const Move& move : moves_) {
        if (!move.each) {
            const char* reason = read_move(move, item, context, event);
            if (*reason != '\0') return reason;
            continue;
        }
        const auto array = item.value ? item.value->at(*move.each) : std::nullopt;
        if (!array || array->kind() != json::Kind::array) return "shape_changed";
        const auto elements = array->children();
        if (elements.size() + event.movements.size() > moves_max) return "too_many_movements";
        for (const json::Value& element : elements) {
            Item one = item;
            one.element = element;
            const char* reason = read_move(move, one, context, event);
            if (*reason != '\0') return reason;
        }
    }
    if (event.account.empty() && !event.movements.empty()) {
        event.account = event.movements.front().account.str();
    }
    return "";
}

const char* Rule::read_move(const Move& move, const Item& item, const RuleContext& context,
                            Event& event) const {
    Movement movement;
    movement.kind = move.action;
    const char* reason = read_account(move, item, movement.account);
    if (*reason == '\0') reason = read_amount(move, item, context, movement.amount);
    if (*reason != '\0') return reason;
    auto key = read_key(move.effect_key, item, context.books);
    if (!key) return "effect_key_missing";
    movement.effect_key = std::move(*key);
    movement.is_total = move.amount_is == AmountIs::total;
    movement.shape = move.shape;
    // An event that lacks the earlier field is keyed by the present ones alone.
    for (const FormerSelectors& one : move.formerly) {
        add_former(movement.effect_key, read_key(one.key, item, one.books), event);
    }
    event.movements.push_back(std::move(movement));
    return "";
}

const char* Rule::read_account(const Move& move, const Item& item, AccountId& into) const {
    if (!move.account) return "";
    const std::string account = move.account->read(item).value_or("");
    if (!is_account(account)) return "bad_account";
    if (account.ends_with(":clearing")) return "clearing_account";
    if (is_system_account(account) && move.account->from() != FieldSelector::From::literal) {
        return "system_account";
    }
    into = AccountId(account);
    return "";
}

const char* Rule::read_amount(const Move& move, const Item& item, const RuleContext& context,
                              Money& into) const {
    const auto code = move.currency->read(item);
    const auto currency = code ? Currency::parse(*code) : Result<Currency>(invalid(""));
    if (!currency) return "bad_currency";
    const auto text = move.amount->read(item);
    if (!text) return "bad_amount";
    int exponent = currency->exponent();
    for (const auto& [special, own] : context.exponents) {
        if (special == *currency) exponent = own;
    }
    auto amount = move.unit == AmountUnit::major ? from_decimal_text(*text, *currency)
                                                 : from_minor_text(*text, *currency, exponent);
    if (amount && move.negated) amount = negate(*amount);
    if (!amount) return "bad_amount";
    // A credit below zero is a debit that no rule describes.
    if (amount->minor < 0 && move.action != Action::set_balance) return "bad_amount";
    into = *amount;
    return "";
}

std::optional<FieldSelector> Rule::held_account() const {
    const bool by_account = config_.order_scope == OrderScope::account;
    const bool held = config_.order == OrderingPolicy::hold && by_account && moves_money();
    return held ? moves_.front().account : std::nullopt;
}

const char* Rule::read_sequence_rule(const Item& item, const RuleContext& context,
                                     Event& event) const {
    const bool by_object = config_.order_scope == OrderScope::object;
    std::string named = by_object ? event.object : event.account;
    // An ignored event has its number in the sequence of the account that other rules read.
    for (const FieldSelector& account : context.held_accounts) {
        if (!named.empty() || by_object || moves_money()) break;
        named = account.read(item).value_or("");
    }
    // An object may be named like an account, and has a stream of its own all the same.
    if (!named.empty()) event.sequence_rule.scope = (by_object ? "object:" : "account:") + named;
    // The balances of an account in two currencies are two states.
    if (event.action == Action::set_balance && !by_object && !event.movements.empty()) {
        event.sequence_rule.scope += ":" + event.movements.front().amount.currency.str();
    }
    event.sequence_rule.start = config_.sequence_start;
    event.sequence_rule.gap_deadline = config_.gap_deadline;
    event.sequence_rule.dense =
        context.dense && event.sequence && !event.sequence_rule.scope.empty();
    const bool ignored = config_.action == Action::ignore && !moves_money();
    if (config_.order == OrderingPolicy::late_ok || ignored) return "";
    if (!event.sequence) return "sequence_missing";
    if (event.sequence_rule.scope.empty()) return by_object ? "object_missing" : "bad_account";
    return "";
}

}  // namespace pawl::providers
