// [[rule]] of a provider file. Keys without which a money rule cannot be built are checked here;
// unwise values are the linter's.
#include <fmt/core.h>

#include "settings/files.hpp"

namespace pawl::app {
namespace {

using namespace providers;
using std::chrono::minutes;

// The place of the key of Pawl's own calls, in events of Stripe's shape.
constexpr const char* metadata_key = "/data/object/metadata/key";

bool moves_money(Action action) {
    return action == Action::credit || action == Action::debit || action == Action::set_balance;
}

void read_dispute(TableReader& reader, RuleConfig& rule) {
    read_word(reader, "unmet", rule.unmet, parse_unmet);
    read_word(reader, "dispute", rule.dispute, parse_dispute);
}

void require_money(TableReader& reader) {
    reader.require("account",
                   "write the account whose balance it moves, like account = \"/account\"");
    reader.require("amount", "write where the amount stands, like amount = \"/amount\"");
    reader.require("currency", "write where the currency stands, like currency = \"/currency\"");
}

// A single effect key is written bare, several as a list of lists.
void read_keys(TableReader& reader, const char* name, const char* example,
               std::vector<ReadParts>& into) {
    const toml::node* node = reader.take(name);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr) {
        reader.wrong_type(name, *node, std::string("an effect key like ") + example);
        return;
    }
    if (list->empty()) return;
    if (!list->get(0)->is_array()) {
        read_parts(reader, name, into.emplace_back());
        return;
    }
    for (const toml::node& key : *list) {
        toml::table one;
        one.insert(name, toml::array());
        if (const toml::array* parts = key.as_array()) one.insert_or_assign(name, *parts);
        TableReader inner(one, reader.path_to(name), reader.source());
        read_parts(inner, name, into.emplace_back());
    }
}

void read_formerly(TableReader& reader, std::vector<ReadParts>& into) {
    read_keys(reader, "formerly", R"([["demo", "charge", "/payment_id"]])", into);
}

void read_sequence_start(TableReader& reader, std::optional<Sequence>& into) {
    const toml::node* node = reader.take("sequence_start");
    if (node == nullptr) return;
    if (node->value<std::string_view>() == "first") {
        into.reset();
        return;
    }
    Sequence start;
    if (reader.whole("sequence_start", start.value, {})) into = start;
}

// `confirm = "fetch"` and `trust = "transport"`: keys with one value each, so that a file says in
// words what it takes on trust.
bool read_single(TableReader& reader, std::string_view key, std::string_view value) {
    bool said = false;
    reader.choice<bool>(key, said, {{value, true}});
    return said;
}

void read_money(TableReader& reader, RuleConfig& rule) {
    reader.text("account", rule.account);
    reader.text("amount", rule.amount);
    read_word(reader, "amount_is", rule.amount_is, parse_amount_is);
    read_word(reader, "unit", rule.unit, parse_amount_unit);
    reader.text("currency", rule.currency);
    read_parts(reader, "effect_key", rule.effect_key);
    read_keys(reader, "needs", R"(["capture", "/payment_id"])", rule.needs);
    read_formerly(reader, rule.formerly);
    read_dispute(reader, rule);
    read_word(reader, "order", rule.order, parse_order);
    read_word(reader, "order_scope", rule.order_scope, parse_order_scope);
    read_sequence_start(reader, rule.sequence_start);
    reader.duration("gap_deadline", rule.gap_deadline, {std::chrono::seconds(1)});
    reader.duration("needs_deadline", rule.needs_deadline, {std::chrono::seconds(1)});
    rule.confirm_by_fetch = read_single(reader, "confirm", "fetch");
    rule.trust_transport = read_single(reader, "trust", "transport");
}

void read_move(TableReader& reader, const RuleConfig& rule, MoveConfig& into) {
    reader.require("effect", "write credit, debit or set_balance");
    Effect effect;
    if (read_word(reader, "effect", effect, parse_effect)) into.action = effect.action;
    if (!effect.workflow.empty() || !moves_money(into.action)) {
        reader.wrong("effect", "moves no money", "write credit, debit or set_balance");
    }
    reader.text("each", into.each);
    reader.text("account", into.account);
    reader.text("amount", into.amount);
    reader.text("currency", into.currency);
    AmountIs amount_is = AmountIs::delta;
    if (read_word(reader, "amount_is", amount_is, parse_amount_is)) into.amount_is = amount_is;
    AmountUnit unit = AmountUnit::minor;
    if (read_word(reader, "unit", unit, parse_amount_unit)) into.unit = unit;
    read_parts(reader, "effect_key", into.effect_key);
    read_formerly(reader, into.formerly);
    const auto need = [&](const char* key, bool there, const char* remedy) {
        if (!there) reader.require(key, remedy);
    };
    need("account", !rule.account.empty(), "write whose balance it moves, here or in the rule");
    need("amount", !rule.amount.empty(), "write where the amount stands, here or in the rule");
    need("currency", !rule.currency.empty(),
         "write where the currency stands, here or in the rule");
    need("effect_key", !rule.effect_key.empty(),
         "write what makes this movement one and the same, like [\"fee\", \"/id\"]");
    reader.finish();
}

void read_moves(TableReader& reader, RuleConfig& rule) {
    if (!reader.has("move")) return;
    for (TableReader& move : reader.tables("move"))
        read_move(move, rule, rule.moves.emplace_back());
}

}  // namespace

void read_rules(TableReader& root, std::vector<RuleConfig>& into) {
    root.require("rule", "add at least one [[rule]]: an event that none matches is quarantined");
    for (TableReader& reader : root.tables("rule")) {
        RuleConfig& rule = into.emplace_back();
        reader.require("when", "write the event's type, exact or with a trailing *");
        if (reader.text("when", rule.when) && rule.when.find('*') < rule.when.size() - 1) {
            reader.wrong("when", fmt::format("is {}", reader.shown(rule.when)),
                         "a * may stand only at the end");
        }
        read_conditions(reader, "where", rule.where);
        if (!reader.has("move")) {
            reader.require("effect",
                           "write credit, debit, set_balance, start:WORKFLOW, "
                           "signal:WORKFLOW or ignore");
        }
        Effect effect;
        if (read_word(reader, "effect", effect, parse_effect)) {
            rule.action = effect.action;
            rule.workflow = effect.workflow;
        }
        if (moves_money(rule.action)) require_money(reader);
        if (moves_money(rule.action) || rule.action == Action::start) {
            reader.require("effect_key",
                           "write what makes this effect one and the same, like "
                           "[\"capture\", \"/payment_id\"]");
        }
        read_money(reader, rule);
        read_moves(reader, rule);
        if (rule.action == Action::signal) rule.signal = metadata_key;
        reader.text("signal", rule.signal);
        reader.texts("jobs", rule.jobs);
        reader.finish();
    }
}

}  // namespace pawl::app
