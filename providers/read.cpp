#include "providers/read.hpp"

#include <algorithm>
#include <charconv>

#include "base/crypto.hpp"

namespace pawl::providers {
namespace {

std::optional<Sequence> to_sequence(std::string_view text) {
    Sequence sequence;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, sequence.value);
    if (failed != std::errc() || stop != end) return std::nullopt;
    return sequence;
}

// Lengths keep "ab","c" apart from "a","bc".
void append_field(std::string& fields, std::string_view value) {
    fields += std::to_string(value.size());
    fields += ':';
    fields += value;
}

}  // namespace

std::string Reader::fingerprint(const Event& event) const {
    if (event.quarantine == "unreadable") return event.body_sha256;
    std::string fields;
    fields.reserve(256);
    append_field(fields, event.type);
    append_field(fields, event.object);
    append_field(fields, event.sequence ? std::to_string(event.sequence->value) : "");
    append_field(fields, event.account);
    append_field(fields, event.start_key.str());
    if (const auto& movement = event.movement) {
        append_field(fields, std::to_string(movement->amount.minor));
        append_field(fields, movement->amount.currency.code());
        append_field(fields, movement->effect_key.str());
        for (const EffectKey& need : movement->needs) append_field(fields, need.str());
    }
    if (!event.signal_key.empty()) append_field(fields, event.signal_key);
    return crypto::sha256_hex(fields);
}

bool Reader::expected(const Item& item) const {
    return std::all_of(expect_.begin(), expect_.end(), [&](const auto& expectation) {
        const auto& [pointer, accepted] = expectation;
        const auto value = item.value ? item.value->at(pointer) : std::nullopt;
        const auto text = value ? value->text() : std::nullopt;
        return text && std::find(accepted.begin(), accepted.end(), *text) != accepted.end();
    });
}

void Reader::read_sequence(const Item& item, Event& event) const {
    if (!sequence_) return;
    const auto text = sequence_->read(item);
    // A missing number is the rule's affair, a senseless one means that the file points elsewhere.
    if (text && text->empty()) return;
    if (text) event.sequence = to_sequence(*text);
    if (!event.sequence) event.quarantine = "bad_sequence";
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
    const auto rule = std::find_if(rules_.begin(), rules_.end(),
                                   [&](const Rule& one) { return one.matches(event.type, item); });
    if (rule == rules_.end()) {
        event.quarantine = "no_rule";
        return;
    }
    read_sequence(item, event);
    const std::string bad_sequence = event.quarantine;
    rule->apply(item, context_, event);
    if (!bad_sequence.empty() && event.action != Action::ignore && event.quarantine.empty()) {
        event.quarantine = bad_sequence;
        event.movement.reset();
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
        event.movement.reset();
    }
    event.event_id = EventId(id && item.value ? std::move(*id) : "sha256:" + item.bytes_sha256);
    event.fingerprint = fingerprint(event);
    return event;
}

void Reader::read(const Delivery& delivery, Received& into) const {
    const auto document = json::Document::parse(delivery.body);
    std::optional<json::Value> array;
    if (document && batch_) array = document->root().at(items_);
    std::vector<json::Value> values;
    into.batch = array && array->kind() == json::Kind::array;
    if (into.batch) values = array->children();
    if (values.size() > items_max_) {
        into.verdict = Verdict::too_many_items;
        into.diagnosis = "too_many_items";
        into.detail = "the batch has " + std::to_string(values.size()) + " items";
        return;
    }
    const auto add = [&](std::string_view bytes, std::optional<json::Value> value) {
        const Item item{bytes, crypto::sha256_hex(bytes), value, delivery.headers};
        into.events.push_back(read_item(delivery, item));
    };
    for (const json::Value& value : values) add(value.raw(), value);
    if (!into.batch) {
        // A batch without its array cannot be taken for a single event.
        const bool whole = document.ok() && !batch_;
        add(delivery.body, whole ? std::optional(document->root()) : std::nullopt);
    }
    const bool ours = into.events.empty() ||
                      std::any_of(into.events.begin(), into.events.end(),
                                  [](const Event& event) { return event.refusal.empty(); });
    if (ours) return;
    into.verdict = Verdict::refused;
    into.diagnosis = "not_for_us";
    into.detail = "authentic, but the fields named in `expect` are somebody else's";
    into.events.clear();
}

Result<void> Reader::compile_read(const ReadConfig& config) {
    const auto fill = [](Parts& into, const ReadParts& from, const char* what) -> Result<void> {
        auto parts = parse_parts(from, what);
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
        auto sequence = parse_parts({{config.sequence, true}}, "sequence");
        if (!sequence) return sequence.error();
        sequence_ = std::move(sequence->front());
    }
    auto items = json::Pointer::parse(config.items);
    if (!items) return items.error();
    items_ = std::move(*items);
    batch_ = !config.items.empty();
    if (config.items_max < 1) return invalid("items_max must be at least 1");
    items_max_ = static_cast<std::size_t>(config.items_max);
    for (const auto& [at, accepted] : config.expect) {
        auto pointer = json::Pointer::parse(at);
        if (!pointer) return pointer.error();
        if (accepted.empty()) return invalid("expect " + at + " accepts nothing");
        expect_.emplace_back(std::move(*pointer), accepted);
    }
    return {};
}

Result<Reader> Reader::create(const ProviderConfig& config, RuleContext context) {
    Reader reader;
    if (auto done = reader.compile_read(config.read); !done) {
        return invalid("[read]: " + done.error().message);
    }
    context.read = &config.read;
    context.dense = std::any_of(config.rules.begin(), config.rules.end(),
                                [](const RuleConfig& rule) { return rule.order == Order::hold; });
    for (std::size_t i = 0; i < config.rules.size(); ++i) {
        auto rule = Rule::compile(config.rules[i], context);
        if (!rule) {
            return invalid("rule " + std::to_string(i + 1) + " (" + config.rules[i].when +
                           "): " + rule.error().message);
        }
        reader.rules_.push_back(std::move(*rule));
    }
    context.read = nullptr;
    reader.context_ = std::move(context);
    return reader;
}

}  // namespace pawl::providers
