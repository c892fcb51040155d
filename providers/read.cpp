#include "providers/read.hpp"

#include <algorithm>

#include "base/crypto.hpp"
#include "base/mode.hpp"
#include "base/text.hpp"
#include "providers/items.hpp"
#include "providers/key_shape.hpp"

namespace pawl::providers {
namespace {

// The last time that can be printed: the end of the year 9999.
constexpr Duration latest = std::chrono::days(2932896);

std::optional<Sequence> to_sequence(std::string_view text) {
    const auto number = to_number<std::int64_t>(text);
    return number ? std::optional(Sequence{*number}) : std::nullopt;
}

// Lengths keep "ab","c" apart from "a","bc".
void append_field(std::string& fields, std::string_view value) {
    fields += std::to_string(value.size());
    fields += ':';
    fields += value;
}

std::optional<std::string> text_at(const Item& item, const json::Pointer& pointer) {
    const auto value = item.value ? item.value->at(pointer) : std::nullopt;
    return value ? value->text() : std::nullopt;
}

bool is_among(const std::string& text, const std::vector<std::string>& accepted) {
    return std::find(accepted.begin(), accepted.end(), text) != accepted.end();
}

void refuse(Received& into, Verdict verdict, const char* diagnosis, const char* detail) {
    into.verdict = verdict;
    into.diagnosis = diagnosis;
    into.detail = detail;
}

// A sender may choose an id that has the form of a mark, and must not take the key of a conflict
// with it: such an id gets a mark of its own, "sent" in hexadecimal.
std::string unlike_a_mark(std::string id) {
    constexpr std::size_t shortest_mark = 16;
    const std::size_t digits_from = id.find_last_not_of("0123456789abcdef");
    const bool marked = digits_from != std::string::npos && id[digits_from] == '~' &&
                        id.size() - digits_from - 1 >= shortest_mark;
    return marked ? id + "~73656e7400000000" : id;
}

// Reduces an event that must have no effect to its name and the location of its bytes.
void strip(Event& event) {
    event.action = Action::ignore;
    event.order = OrderingPolicy::late_ok;
    event.sequence.reset();
    event.sequence_rule = {};
    event.workflow.clear();
    event.start_key = EffectKey();
    event.signal_key.clear();
    event.movements.clear();
    event.needs.clear();
    event.formerly.clear();
    event.dispute = Dispute::none;
    event.jobs.clear();
}

// Keeps the event's number in the sequence of the account that other rules read, where no rule
// reads the event.
void keep_place(const Item& item, const RuleContext& context, Event& event) {
    for (const FieldSelector& account : context.held_accounts) {
        const std::string named = account.read(item).value_or("");
        if (named.empty()) continue;
        event.sequence_rule.scope = "account:" + named;
        event.sequence_rule.dense = context.dense && event.sequence;
        return;
    }
}

// Removes the movements, and keeps the fields that were read for an operator.
void leave_readable(Event& event) {
    if (!event.movements.empty()) {
        const Movement& first = event.movements.front();
        event.readable = {first.kind, first.account, first.amount, first.effect_key,
                          first.is_total};
    }
    event.movements.clear();
}

// Returns the former books and kind of every rule with `formerly`. A need names the present kind; a
// movement posted under a former one meets it, too, with the need's own pointers.
std::vector<FormerKind> former_kinds_of(const ProviderConfig& config) {
    std::vector<FormerKind> kinds;
    for (const RuleConfig& rule : config.rules) {
        for (const MoveConfig& move : moves_of(rule)) {
            for (const ReadParts& former : move.formerly) {
                if (former.size() < 2 || move.effect_key.empty()) continue;
                kinds.push_back({move.effect_key.front().at, books_in(config.mode, former[0].at),
                                 former[1].at});
            }
        }
    }
    return kinds;
}

}  // namespace

// The same event may be delivered again after the mode was changed: it has one fingerprint.
std::string Reader::key_in_any_mode(const EffectKey& key) const {
    constexpr std::string_view suffix = "-test";
    std::string text = key.str();
    if (mode_ == Mode::test && text.starts_with(context_.books)) {
        text.erase(context_.books.size() - suffix.size(), suffix.size());
    }
    return text;
}

std::string Reader::fingerprint(const Item& item, const Event& event) const {
    if (event.quarantine == "unreadable") return event.body_sha256;
    std::string fields;
    fields.reserve(256);
    append_field(fields, event.type);
    append_field(fields, event.object);
    append_field(fields, event.sequence ? std::to_string(event.sequence->value) : "");
    append_field(fields, event.account);
    append_field(fields, key_in_any_mode(event.start_key));
    for (const Movement& movement : event.movements) {
        if (&movement != &event.movements.front()) append_field(fields, movement.account.str());
        append_field(fields, std::to_string(movement.amount.minor));
        append_field(fields, movement.amount.currency.code());
        append_field(fields, key_in_any_mode(movement.effect_key));
    }
    for (const EffectKey& need : event.needs) append_field(fields, key_in_any_mode(need));
    if (event.dispute != Dispute::none) append_field(fields, to_text(event.dispute));
    if (!event.signal_key.empty()) append_field(fields, event.signal_key);
    fields += mode_mark(item, event);
    return crypto::sha256_hex(fields);
}

bool Reader::expected(const Item& item) const {
    return std::all_of(expect_.begin(), expect_.end(), [&](const auto& expectation) {
        const auto text = text_at(item, expectation.first);
        return text && is_among(*text, expectation.second);
    });
}

std::optional<Mode> Reader::mode_of(const Item& item) const {
    bool absent = false;
    for (const auto& [pointer, accepted] : live_) {
        const auto text = text_at(item, pointer);
        if (!text) absent = true;
        if (text && !is_among(*text, accepted)) return Mode::test;
    }
    return absent ? std::nullopt : std::optional(Mode::live);
}

// Returns an empty mark for live mode: a file that begins to name the mode finds its events again.
// An event that hides its mode moves no money, so the same event with its mode is not a duplicate.
std::string_view Reader::mode_mark(const Item& item, const Event& event) const {
    if (live_.empty()) return "";
    const auto mode = mode_of(item);
    if (mode) return *mode == Mode::live ? "" : "test";
    return event.action == Action::ignore && event.quarantine.empty() ? "" : "hidden";
}

// The last word on an event that was read: whatever its rule says, an event of the mode that is
// not served does nothing, and one that hides its mode moves no money.
void Reader::judge_mode(const Item& item, Event& event) const {
    if (live_.empty() || event.quarantine == "unreadable") return;
    const auto mode = mode_of(item);
    if (mode == mode_) return;
    if (!mode) {
        if (event.action == Action::ignore || !event.quarantine.empty()) return;
        strip(event);
        event.quarantine = "shape_changed";
        return;
    }
    strip(event);
    if (*mode == Mode::test) event.note = test_mode_note;
    event.quarantine = *mode == Mode::test ? "" : "live_mode";
}

void Reader::read_sequence(const Item& item, Event& event) const {
    if (!sequence_) return;
    const auto text = sequence_->read(item);
    // A missing number is the rule's affair, a senseless one means that the file points elsewhere.
    if (text && text->empty()) return;
    if (text) event.sequence = to_sequence(*text);
    if (!event.sequence) event.quarantine = "bad_sequence";
}

void Reader::read_time(const Item& item, Event& event) const {
    const auto text = time_ ? time_->read(item) : std::nullopt;
    if (!text) return;
    if (time_unit_ == TimeUnit::iso) {
        if (const auto time = parse_rfc3339(*text)) event.occurred_at = *time;
        return;
    }
    const auto number = to_sequence(*text);
    const std::int64_t unit_us = time_unit_ == TimeUnit::seconds ? 1'000'000 : 1'000;
    std::int64_t since_epoch_us = 0;
    if (!number || __builtin_mul_overflow(number->value, unit_us, &since_epoch_us)) return;
    const Time time{Duration(since_epoch_us)};
    if (time > Time{} && time < Time{latest}) event.occurred_at = time;
}

// The first that matches. An event without a field by which a rule for money or disputes decides
// may be one that would be lost unnoticed: only a later rule that requires the field's absence may
// take it.
const Rule* Reader::rule_for(const Item& item, Event& event) const {
    Rule::Fields missing;
    for (const Rule& rule : rules_) {
        const auto lacking = rule.match(event.type, item);
        if (!lacking) continue;
        if (lacking->empty() && rule.requires_absence_of(missing)) return &rule;
        if (!rule.may_not_be_missed()) continue;
        missing.insert(missing.end(), lacking->begin(), lacking->end());
    }
    event.quarantine = missing.empty() ? "no_rule" : "shape_changed";
    return nullptr;
}

void Reader::decide(const Item& item, Event& event) const {
    if (!item.value) {
        event.quarantine = "unreadable";
        return;
    }
    auto type = read_joined(type_, item);
    if (!type) {
        event.quarantine = "type_missing";
        return;
    }
    event.type = std::move(*type);
    event.object = read_joined(object_, item).value_or("");
    const Rule* rule = rule_for(item, event);
    const std::string no_rule = event.quarantine;
    read_sequence(item, event);
    if (rule == nullptr) {
        event.quarantine = no_rule;
        keep_place(item, context_, event);
        return;
    }
    read_time(item, event);
    const std::string bad_sequence = event.quarantine;
    rule->apply(item, context_, event);
    if (!bad_sequence.empty() && event.action != Action::ignore && event.quarantine.empty()) {
        event.quarantine = bad_sequence;
        leave_readable(event);
    }
}

Event Reader::read_item(const Delivery& delivery, const Item& item) const {
    Event event;
    event.body_sha256 = item.bytes_sha256;
    event.body_offset = static_cast<std::size_t>(item.bytes.data() - delivery.body.data());
    event.body_size = item.bytes.size();
    if (!expected(item)) {
        event.refusal = "not_for_us";
        return event;
    }
    decide(item, event);
    auto id = read_joined(event_id_, item);
    if (!id && event.quarantine != "unreadable") {
        event.quarantine = "event_id_missing";
        leave_readable(event);
    }
    event.event_id =
        EventId(id && item.value ? unlike_a_mark(std::move(*id)) : "sha256:" + item.bytes_sha256);
    event.fingerprint = fingerprint(item, event);
    judge_mode(item, event);
    event.live = mode_ == Mode::live && event.note != test_mode_note;
    return event;
}

// Reads the items of a batch that is invalid JSON as a whole: an unreadable item does not affect
// the others.
void Reader::read_apart(const Delivery& delivery, const std::vector<std::string_view>& items,
                        Received& into) const {
    for (const std::string_view bytes : items) {
        const auto document = json::Document::parse(bytes);
        const auto value = document ? std::optional(document->root()) : std::nullopt;
        into.events.push_back(read_item(
            delivery, {bytes, crypto::sha256_hex(bytes), value, delivery.headers, {}, {}}));
    }
}

bool Reader::read_items(const Delivery& delivery, Received& into) const {
    const auto document = json::Document::parse(delivery.body);
    std::optional<json::Value> array;
    if (document && batch_) array = document->root().at(items_);
    std::vector<std::string_view> apart;
    if (!document && batch_) {
        if (auto split = split_items(delivery.body, items_)) {
            apart = std::move(*split);
            into.batch = true;
        }
    }
    if (array && array->kind() == json::Kind::array) into.batch = true;
    const auto values = into.batch && array ? array->children() : std::vector<json::Value>{};
    if (values.size() > items_max_ || apart.size() > items_max_) {
        refuse(into, Verdict::too_many_items, "too_many_items",
               "the batch has more items than items_max");
        return false;
    }
    read_apart(delivery, apart, into);
    const auto root = document ? std::optional(document->root()) : std::nullopt;
    const auto add = [&](std::string_view bytes, std::optional<json::Value> value) {
        into.events.push_back(read_item(
            delivery, {bytes, crypto::sha256_hex(bytes), value, delivery.headers, root, {}}));
    };
    for (const json::Value& value : values) add(value.raw(), value);
    // A batch without its array cannot be taken for a single event.
    if (!into.batch) add(delivery.body, batch_ ? std::nullopt : root);
    return true;
}

void Reader::read(const Delivery& delivery, Received& into) const {
    if (!read_items(delivery, into)) return;
    const auto& events = into.events;
    const auto is_ours = [](const Event& event) { return event.refusal.empty(); };
    if (!events.empty() && std::none_of(events.begin(), events.end(), is_ours)) {
        refuse(into, Verdict::refused, "not_for_us",
               "authentic, but the fields named in `expect` are another receiver's");
        into.events.clear();
        return;
    }
    const auto is_live = [](const Event& event) { return event.quarantine == "live_mode"; };
    if (std::any_of(events.begin(), events.end(), is_live)) {
        refuse(into, Verdict::live_mode, "live_mode",
               "authentic, and of live mode: this installation serves test mode");
    }
}

Result<Reader::Expectations> Reader::compile_conditions(const Conditions& from, const char* key) {
    Expectations compiled;
    for (const auto& [at, accepted] : from) {
        auto pointer = json::Pointer::parse(at);
        if (!pointer) return pointer.error();
        if (accepted.empty()) return invalid(std::string(key) + " " + at + " accepts nothing");
        compiled.emplace_back(std::move(*pointer), accepted);
    }
    return compiled;
}

Result<void> Reader::compile_read(const ReadConfig& config) {
    const auto fill = [](FieldSelectors& into, const ReadParts& from,
                         const char* what) -> Result<void> {
        auto parts = parse_selectors(from, what);
        if (!parts) return parts.error();
        into = std::move(*parts);
        return {};
    };
    if (auto done = fill(event_id_, config.event_id, "event_id"); !done) return done;
    if (auto done = fill(type_, config.type, "type"); !done) return done;
    if (auto done = fill(object_, config.object, "object"); !done) return done;
    if (event_id_.empty()) return invalid("event_id is missing");
    if (type_.empty()) return invalid("type is missing");
    if (!config.sequence.empty()) {
        auto sequence = parse_selectors({{config.sequence, true}}, "sequence");
        if (!sequence) return sequence.error();
        sequence_ = std::move(sequence->front());
    }
    if (!config.time.at.empty()) {
        auto time = parse_selectors({{config.time.at, false}}, "time");
        if (!time) return time.error();
        time_ = std::move(time->front());
        time_unit_ = config.time.unit;
    }
    auto items = json::Pointer::parse(config.items);
    if (!items) return items.error();
    items_ = std::move(*items);
    batch_ = !config.items.empty();
    if (config.items_max < 1) return invalid("items_max must be at least 1");
    items_max_ = static_cast<std::size_t>(config.items_max);
    auto expect = compile_conditions(config.expect, "expect");
    if (!expect) return expect.error();
    expect_ = std::move(*expect);
    auto live = compile_conditions(config.live, "live");
    if (!live) return live.error();
    live_ = std::move(*live);
    return {};
}

Result<Reader> Reader::create(const ProviderConfig& config, RuleContext context) {
    Reader reader;
    reader.mode_ = config.mode;
    if (auto done = reader.compile_read(config.read); !done) {
        return invalid("[read]: " + done.error().message);
    }
    context.read = &config.read;
    context.former_kinds = former_kinds_of(config);
    context.dense =
        std::any_of(config.rules.begin(), config.rules.end(),
                    [](const RuleConfig& rule) { return rule.order == OrderingPolicy::hold; });
    for (std::size_t i = 0; i < config.rules.size(); ++i) {
        auto rule = Rule::compile(config.rules[i], context);
        if (!rule) {
            return invalid("rule " + std::to_string(i + 1) + " (" + config.rules[i].when +
                           "): " + rule.error().message);
        }
        if (auto account = rule->held_account()) context.held_accounts.push_back(*account);
        reader.rules_.push_back(std::move(*rule));
    }
    context.read = nullptr;
    reader.context_ = std::move(context);
    return reader;
}

}  // namespace pawl::providers
