#include "providers/key_shape.hpp"

#include <algorithm>

namespace pawl::providers {
namespace {

std::string in_quotes(std::string_view text) {
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') all += '\\';
        all += c;
    }
    return all + '"';
}

std::string part_text(const ReadPart& part) {
    if (!part.optional) return in_quotes(part.at);
    return "{at = " + in_quotes(part.at) + ", optional = true}";
}

bool is_money(Action action) {
    return action == Action::credit || action == Action::debit || action == Action::set_balance;
}

}  // namespace

void use_former(Event& event, const FormerKey& former) {
    for (Movement& movement : event.movements) {
        if (movement.effect_key == former.key) movement.effect_key = former.former;
    }
    std::replace(event.needs.begin(), event.needs.end(), former.key, former.former);
}

std::string shape_text(const ReadParts& key_with_books) {
    std::string text;
    for (const ReadPart& part : key_with_books) {
        text += (text.empty() ? "" : ", ") + part_text(part);
    }
    return "[" + text + "]";
}

KeyShape shape_of(std::string_view books, const MoveConfig& move) {
    ReadParts key = move.effect_key;
    key.insert(key.begin(), ReadPart{std::string(books), false});
    const bool total = move.amount_is == AmountIs::total;
    const bool major = move.unit == AmountUnit::major;
    return {shape_text(key), std::string(to_text(move.action)) + (total ? " total" : " delta") +
                                 (major ? " major" : " minor")};
}

std::vector<MoveConfig> moves_of(const RuleConfig& rule) {
    std::vector<MoveConfig> moves = rule.moves;
    if (moves.empty() && is_money(rule.action)) {
        moves.emplace_back();
        moves.front().action = rule.action;
        moves.front().formerly = rule.formerly;
    }
    for (MoveConfig& move : moves) {
        if (move.account.empty()) move.account = rule.account;
        if (move.amount.empty()) move.amount = rule.amount;
        if (move.currency.empty()) move.currency = rule.currency;
        if (move.effect_key.empty()) move.effect_key = rule.effect_key;
        move.amount_is = move.amount_is.value_or(rule.amount_is);
        move.unit = move.unit.value_or(rule.unit);
    }
    return moves;
}

FileShapes shapes_of(const ProviderConfig& config, std::string_view books) {
    FileShapes shapes;
    for (std::size_t i = 0; i < config.rules.size(); ++i) {
        for (const ReadParts& former : config.rules[i].formerly) {
            shapes.former.insert(shape_text(former));
        }
        for (const MoveConfig& move : moves_of(config.rules[i])) {
            shapes.present.emplace_back(i, shape_of(books, move));
            for (const ReadParts& former : move.formerly) {
                shapes.former.insert(shape_text(former));
            }
        }
    }
    return shapes;
}

}  // namespace pawl::providers
