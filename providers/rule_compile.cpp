// Checks a rule once, before the first event arrives, and reports all its errors.
#include <algorithm>

#include "base/mode.hpp"
#include "base/text.hpp"
#include "providers/key_shape.hpp"
#include "providers/rule.hpp"
#include "providers/scheme.hpp"

namespace pawl::providers {
namespace {

bool is_kind(std::string_view text) {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

constexpr std::string_view account_of_need = "needs";

bool is_money(Action action) {
    return action == Action::credit || action == Action::debit || action == Action::set_balance;
}

// A replay of a signed body may carry any values in the headers that are not signed.
bool is_signed(const FieldSelector& part, const RuleContext& context) {
    const auto& names = context.signed_headers;
    return part.from() != FieldSelector::From::header ||
           std::any_of(names.begin(), names.end(), [&](const std::string& name) {
               return equal_ignoring_case(name, part.text());
           });
}

Result<FieldSelector> money_part(const std::string& at, std::string_view what,
                                 const RuleContext& context) {
    auto part = FieldSelector::parse({at, false});
    if (!part) return invalid(std::string(what) + " " + part.error().message);
    if (!is_signed(*part, context)) {
        return invalid(std::string(what) + " comes from a header that is not signed");
    }
    const bool currency = what == "currency" && Currency::parse(at).ok();
    // A pointer that lacks its slash has no colon either.
    const bool account = what == "account" && at.find(':') != std::string::npos;
    if (part->from() == FieldSelector::From::literal && !currency && !account) {
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

Result<FormerSelectors> former_parts(const ReadParts& config, const RuleContext& context) {
    const bool literal = config.size() > 2 && is_kind(config.front().at);
    if (!literal) {
        return invalid(
            "formerly lists effect keys with their books first, as in [[\"demo\", \"charge\", "
            "\"/payment_id\"]]");
    }
    auto parts = key_parts({config.begin() + 1, config.end()}, "formerly", context);
    if (!parts) return parts.error();
    return FormerSelectors{books_in(context.mode, config.front().at), std::move(*parts)};
}

Result<void> compile_keys_of(const MoveConfig& config, const RuleContext& context, Move& into) {
    if (config.effect_key.empty()) {
        return invalid(
            "needs an effect_key: without it two events about one payment would count twice");
    }
    auto parts = key_parts(config.effect_key, "effect_key", context);
    if (!parts) return parts.error();
    into.effect_key = std::move(*parts);
    into.shape = std::make_shared<const KeyShape>(shape_of(context.file_books, config));
    for (const ReadParts& one : config.formerly) {
        auto former = former_parts(one, context);
        if (!former) return former.error();
        into.formerly.push_back(std::move(*former));
    }
    return {};
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
    if (!config.account.empty() && config.account != account_of_need) {
        auto account = money_part(config.account, "account", context);
        if (!account) return account.error();
        rule.account_ = std::move(*account);
    }
    if (!config.signal.empty()) {
        auto signal = money_part(config.signal, "signal", context);
        if (!signal) return signal.error();
        rule.signal_ = std::move(*signal);
    }
    if (auto done = rule.compile_keys(context); !done) return done.error();
    if (auto done = rule.compile_moves(context); !done) return done.error();
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

Result<void> Rule::check_formerly() const {
    if (config_.formerly.empty()) return {};
    if (config_.action == Action::start || config_.action == Action::signal) {
        return invalid("formerly is for rules that move money, and for those that ignore");
    }
    if (config_.moves.empty()) return {};
    return invalid("formerly belongs into the [[rule.move]] that posts those movements now");
}

Result<void> Rule::compile_moves(const RuleContext& context) {
    if (auto done = check_formerly(); !done) return done;
    if (!config_.moves.empty() && config_.action != Action::ignore) {
        return invalid("has an effect and [[rule.move]]: write the effect of each movement there");
    }
    const std::vector<MoveConfig> moves = moves_of(config_);
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const std::string which =
            config_.moves.empty() ? "" : "move " + std::to_string(i + 1) + ": ";
        if (!is_money(moves[i].action)) {
            return invalid(which + "the effect is credit, debit or set_balance");
        }
        if (auto done = compile_move(moves[i], context); !done) {
            return invalid(which + done.error().message);
        }
    }
    // A rule that posts nothing any more may have it: read, so that a mistake in it is found.
    for (const ReadParts& former : config_.formerly) {
        if (auto parts = former_parts(former, context); !parts) return parts.error();
    }
    return {};
}

Result<void> Rule::compile_move(const MoveConfig& config, const RuleContext& context) {
    Move move;
    move.action = config.action;
    const std::string& account = config.account;
    if (account.empty()) return invalid("moves money and names no account");
    if (account == account_of_need && config_.needs.empty()) {
        return invalid("account = \"needs\" without needs");
    }
    if (account != account_of_need) {
        auto part = money_part(account, "account", context);
        if (!part) return part.error();
        move.account = std::move(*part);
    }
    std::string amount_at = config.amount;
    move.negated = amount_at.starts_with('-');
    if (move.negated) amount_at.erase(0, 1);
    auto amount = money_part(amount_at, "amount", context);
    if (!amount) return amount.error();
    auto currency = money_part(config.currency, "currency", context);
    if (!currency) return currency.error();
    move.amount = std::move(*amount);
    move.currency = std::move(*currency);
    move.amount_is = config.amount_is.value_or(AmountIs::delta);
    move.unit = config.unit.value_or(AmountUnit::minor);
    if (auto done = compile_keys_of(config, context, move); !done) return done;
    if (!config.each.empty()) {
        auto each = json::Pointer::parse(config.each);
        if (!each) return each.error();
        move.each = std::move(*each);
    }
    if (auto done = check_shape(move, context); !done) return done;
    moves_.push_back(std::move(move));
    return {};
}

// A payment's captures are posted in one way, by this file and by a gateway of its books.
Result<void> Rule::check_shape(const Move& move, const RuleContext& context) const {
    const bool total = move.amount_is == AmountIs::total;
    if (total && move.action == Action::set_balance) {
        return invalid("set_balance cannot be a total");
    }
    if (move.effect_key.front().text() != "capture") return {};
    const std::size_t ids = move.effect_key.size() - 1;
    const CaptureShape shape = total     ? CaptureShape::total
                               : ids > 1 ? CaptureShape::ids
                                         : CaptureShape::one;
    if (shape == context.captures && (!total || ids == 1)) return {};
    if (total && ids > 1) return invalid("a total of captures is keyed by the payment alone");
    return invalid("reports captures as \"" + std::string(to_text(shape)) +
                   "\", and the file says captures = \"" + std::string(to_text(context.captures)) +
                   "\": make them the same");
}

Result<void> Rule::compile_keys(const RuleContext& context) {
    const bool starts = config_.action == Action::start;
    if ((starts || config_.action == Action::signal) && config_.workflow.empty()) {
        return invalid("names no workflow");
    }
    if (config_.action == Action::signal && !signal_) {
        return invalid("signals a run and names no key to find it by: write signal = \"/pointer\"");
    }
    if (starts && config_.effect_key.empty()) {
        return invalid("needs an effect_key: without it two events would start it twice");
    }
    if (!config_.effect_key.empty() && !is_money(config_.action) && config_.moves.empty()) {
        auto parts = key_parts(config_.effect_key, "effect_key", context);
        if (!parts) return parts.error();
        if (starts) start_key_ = std::move(*parts);
    }
    for (const ReadParts& need : config_.needs) {
        auto parts = key_parts(need, "needs", context);
        if (!parts) return parts.error();
        needs_.push_back(std::move(*parts));
    }
    if (config_.dispute != Dispute::none && (needs_.empty() || context.read->object.empty())) {
        return invalid(
            "dispute marks the payment of the first need: write needs and [read] object");
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
    for (const Move& move : moves_) {
        if (move.action != Action::set_balance) continue;
        if (config_.order != OrderingPolicy::strict) {
            return invalid("set_balance requires order = \"strict\"");
        }
        const bool has_sequence =
            std::any_of(move.effect_key.begin(), move.effect_key.end(),
                        [&](const FieldSelector& part) { return part.text() == read.sequence; });
        if (!has_sequence) return invalid("set_balance must have the sequence in its effect_key");
    }
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
