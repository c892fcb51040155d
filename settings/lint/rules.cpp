// Finds rules that lose or double money by themselves.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "providers/provider_traits.hpp"
#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

using namespace providers;

// One rule under judgement, and where its keys stand.
struct Case {
    const ProviderFile& file;
    const RuleConfig& rule;
    std::size_t index;
    Findings& into;

    void add(Severity severity, std::string_view key, std::string what, std::string why,
             std::string remedy) const {
        into.push_back({severity, file.place_of(path_of_rule(index, key)), std::move(what),
                        std::move(why), std::move(remedy)});
    }
    void error(std::string_view key, std::string what, std::string why, std::string remedy) const {
        add(Severity::error, key, std::move(what), std::move(why), std::move(remedy));
    }
};

bool is_variable(const std::string& at) {
    return at.starts_with('/') || at.starts_with("./") || at.starts_with("root:/") ||
           at.starts_with("header:") || at.starts_with("sha256:");
}

bool has(const ReadParts& parts, const std::string& at) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const ReadPart& part) { return part.at == at; });
}

void check_order(const Case& it) {
    const bool sequenced = !it.file.config.read.sequence.empty();
    const bool delta = it.rule.action == Action::credit || it.rule.action == Action::debit;
    if (delta && it.rule.order == OrderingPolicy::strict) {
        it.error("order",
                 fmt::format("a {} with order = \"strict\" loses money", to_text(it.rule.action)),
                 "one that arrives after a newer one is dropped as stale",
                 "write \"late_ok\", or \"hold\" where the sequence is dense");
    }
    if (it.rule.order != OrderingPolicy::late_ok && !sequenced) {
        it.error("order", fmt::format("order = \"{}\" without a sequence", to_text(it.rule.order)),
                 "there is nothing to order by", "add sequence = \"/pointer\" to [read]");
    }
    if (it.rule.order_scope == OrderScope::object && it.file.config.read.object.empty()) {
        it.error("order_scope", "order_scope = \"object\", but [read] has no object", {},
                 "add object = \"/pointer\" to [read]");
    }
}

void check_set_balance(const Case& it) {
    if (it.rule.action != Action::set_balance) return;
    const std::string& sequence = it.file.config.read.sequence;
    if (it.rule.order != OrderingPolicy::strict) {
        it.error("order", "set_balance without order = \"strict\"",
                 "an old balance that arrives late would overwrite a newer one",
                 "write order = \"strict\"");
    }
    if (!sequence.empty() && !has(it.rule.effect_key, sequence)) {
        it.error("effect_key", "set_balance without the sequence in its effect_key",
                 "the second balance of an account would be taken for the first again",
                 fmt::format("add \"{}\" to effect_key", sequence));
    }
}

// Do all variable parts of the key come from these fields?
bool varies_only_with(const ReadParts& key, const std::vector<std::string>& fields) {
    return std::all_of(key.begin(), key.end(), [&](const ReadPart& part) {
        return !is_variable(part.at) ||
               std::find(fields.begin(), fields.end(), part.at) != fields.end();
    });
}

// A key identifies a payment. Its account and amount do not: they recur. The event's id does so
// only where the provider sends one event for each payment, which its `object` shows.
void check_identity(const Case& it) {
    const ReadConfig& read = it.file.config.read;
    const ReadParts& key = it.rule.effect_key;
    if (varies_only_with(key, {it.rule.account, it.rule.amount, it.rule.currency})) {
        it.error("effect_key", "the effect_key varies with account, amount and currency only",
                 "the second payment of an equal amount would be taken for the first again",
                 "add the payment's id, like \"/payment_id\"");
    }
    std::vector<std::string> ids;
    for (const ReadPart& part : read.event_id) ids.push_back(part.at);
    const bool is_object = !read.object.empty() && varies_only_with(read.object, ids);
    if (!is_object && varies_only_with(key, ids)) {
        it.add(Severity::warning, "effect_key",
               "the effect_key varies with the event's own id only",
               "two events of one payment would both be posted",
               "write the payment's id, like \"/payment_id\"");
    }
}

void check_kind(const Case& it) {
    const std::string& kind = it.rule.effect_key.front().at;
    if (!is_reserved_name(kind)) return;
    it.error("effect_key", fmt::format("the kind \"{}\" is reserved", kind),
             "operators' entries are posted under such keys", std::string(reserved_name_rule));
}

void check_effect_key(const Case& it) {
    const ReadParts& parts = it.rule.effect_key;
    if (parts.empty()) return;  // reported when it was read
    const bool varies = std::any_of(parts.begin(), parts.end(),
                                    [](const ReadPart& part) { return is_variable(part.at); });
    if (!varies) {
        it.error("effect_key", "the effect_key is the same for every event",
                 "only the first would ever be posted",
                 "add a field that differs, like \"/payment_id\"");
    } else if (is_variable(parts.front().at)) {
        it.error("effect_key", "the effect_key does not begin with a kind",
                 "a capture and a refund of one payment would share it",
                 "put a word first, like [\"capture\", \"/payment_id\"]");
    } else {
        check_identity(it);
    }
    check_kind(it);
    const bool optional =
        std::any_of(parts.begin(), parts.end(), [](const ReadPart& part) { return part.optional; });
    if (optional) {
        it.add(Severity::warning, "effect_key", "a part of the effect_key is optional",
               "two movements that both lack it would be taken for one",
               "key by parts that are always there");
    }
}

void check_signed(const Case& it, std::string_view key, const std::string& at) {
    if (!at.starts_with("header:")) return;
    const std::string name = at.substr(7);
    if (header_is_signed(it.file.config, name)) return;
    it.error(key, fmt::format("{} is read from the unsigned header {}", key, name),
             "a sender that replays a genuine body can put anything there",
             "read it from the body");
}

void check_sources(const Case& it) {
    for (const ReadPart& part : it.rule.effect_key) check_signed(it, "effect_key", part.at);
    for (const ReadParts& need : it.rule.needs) {
        for (const ReadPart& part : need) check_signed(it, "needs", part.at);
    }
    check_signed(it, "account", it.rule.account);
    check_signed(it, "amount", it.rule.amount);
    check_signed(it, "currency", it.rule.currency);
    const bool negated = it.rule.amount.starts_with('-');
    const bool pointer = it.rule.amount.empty() || is_variable(it.rule.amount.substr(negated));
    if (!pointer) {
        it.error("amount", "the amount is not a pointer", "every event would move the same text",
                 "write it like \"/amount\"");
    }
}

void check_amount(const Case& it) {
    const providers::ProviderTraits* sender = providers::traits_of(it.file.config.preset);
    const bool generic = sender == nullptr || sender->name == "standard-webhooks" ||
                         sender->name == "svix" || sender->name == "github";
    if (generic || sender->major_units == (it.rule.unit == AmountUnit::major)) return;
    const std::string_view right = sender->major_units ? "major" : "minor";
    it.add(Severity::warning, "unit",
           fmt::format("{} writes amounts in {} units", it.file.config.preset, right),
           "read otherwise they are wrong by a factor of 100",
           fmt::format("write unit = \"{}\"", right));
}

void check_sequence(const Case& it) {
    const std::string& sequence = it.file.config.read.sequence;
    if (sequence.empty() || it.rule.amount != sequence) return;
    it.error("amount", "amount and sequence are read from one field",
             "one of the two would be wrong", "name the field of each");
}

void check_when(const Case& it) {
    const std::string& when = it.rule.when;
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    if (when.empty() || (!blank(when.front()) && !blank(when.back()))) return;
    it.error("when", "\"when\" begins or ends with white space",
             "no event type does, and the rule would match none", "remove it");
}

void check_event_id(const ProviderFile& file, Findings& into) {
    const ReadConfig& read = file.config.read;
    if (read.event_id.size() != 1 || read.type.size() != 1) return;
    if (read.event_id[0].at != read.type[0].at) return;
    into.push_back({Severity::error, file.place_of("read.event_id"),
                    "event_id and type are read from one field",
                    "the second event of a type would be taken for a redelivery",
                    "name the field that holds the event's id"});
}

void check_jobs(const Case& it) {
    for (const std::string& job : it.rule.jobs) {
        if (job == "notify") continue;
        it.add(Severity::note, "jobs", fmt::format("no job kind \"{}\" is built in", job),
               "such jobs wait until a worker that knows them runs", "check the spelling");
    }
}

}  // namespace

void lint_rules(const ProviderFile& file, Findings& into) {
    check_event_id(file, into);
    for (std::size_t i = 0; i < file.config.rules.size(); ++i) {
        for (const RuleConfig& rule : movements_of(file.config.rules[i])) {
            const Case it{file, rule, i, into};
            if (moves_money(rule)) {
                check_order(it);
                check_set_balance(it);
                check_amount(it);
                check_sequence(it);
            }
            if (moves_money(rule) || rule.action == Action::start) {
                check_effect_key(it);
                check_sources(it);
            }
        }
        check_when({file, file.config.rules[i], i, into});
        check_jobs({file, file.config.rules[i], i, into});
    }
}

}  // namespace pawl::app
