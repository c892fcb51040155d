#include "intents/accept/plan.hpp"

#include <charconv>

#include "base/json.hpp"

namespace pawl::intents {
namespace {

using providers::Action;
using providers::Event;
using providers::Movement;
using providers::OrderingPolicy;

// Reads members by name, and remembers if one was missing or of the wrong kind.
class Members {
  public:
    explicit Members(json::Value object) : object_(object) {}

    std::string text(const char* name) {
        const auto value = find(name);
        const auto text = value ? value->text() : std::nullopt;
        if (!text) broken_ = true;
        return text.value_or("");
    }
    std::optional<std::string> maybe_text(const char* name) {
        const auto value = find(name);
        return value ? value->text() : std::nullopt;
    }
    std::int64_t number(const char* name) { return to_number(text(name)); }
    std::optional<std::int64_t> maybe_number(const char* name) {
        const auto digits = maybe_text(name);
        return digits ? std::optional(to_number(*digits)) : std::nullopt;
    }
    bool flag(const char* name) { return text(name) == "true"; }
    std::vector<std::string> texts(const char* name) {
        std::vector<std::string> all;
        const auto array = find(name);
        if (!array) return broken_ = true, all;
        for (const json::Value& one : array->children()) all.push_back(one.text().value_or(""));
        return all;
    }
    std::optional<Members> object(const char* name) {
        const auto value = find(name);
        if (!value || value->kind() != json::Kind::object) return std::nullopt;
        return Members(*value);
    }
    bool broken() const { return broken_; }

  private:
    std::optional<json::Value> find(const char* name) const {
        return object_.at(json::Pointer::parse("/" + std::string(name)).value());
    }
    std::int64_t to_number(const std::string& digits) {
        std::int64_t number = 0;
        const char* end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, number);
        if (error != std::errc{} || stop != end) broken_ = true;
        return number;
    }
    json::Value object_;
    bool broken_ = false;
};

std::optional<std::int64_t> number_of(const std::optional<Sequence>& sequence) {
    return sequence ? std::optional(sequence->value) : std::nullopt;
}

std::optional<Sequence> sequence_of(std::optional<std::int64_t> number) {
    return number ? std::optional(Sequence{*number}) : std::nullopt;
}

void write_movement(json::Writer& out, const Movement& movement) {
    out.key("movement").begin_object().member("account", movement.account.str());
    out.member("amount", movement.amount.minor);
    out.member("currency", movement.amount.currency.code());
    out.member("effect_key", movement.effect_key.str()).key("needs").begin_array();
    for (const EffectKey& need : movement.needs) out.string(need.str());
    out.end_array().member("needs_deadline_us", movement.needs_deadline.count());
    out.member("is_total", movement.is_total).end_object();
}

Result<Movement> read_movement(Members& from) {
    Movement movement;
    movement.account = AccountId(from.text("account"));
    const auto currency = Currency::parse(from.text("currency"));
    if (!currency) return currency.error();
    movement.amount = {from.number("amount"), *currency};
    movement.effect_key = EffectKey(from.text("effect_key"));
    for (std::string& need : from.texts("needs")) movement.needs.emplace_back(std::move(need));
    movement.needs_deadline = Duration(from.number("needs_deadline_us"));
    movement.is_total = from.flag("is_total");
    if (from.broken()) return invalid("the plan's movement cannot be read");
    return movement;
}

}  // namespace

std::string to_json(const std::string& books, const Event& event) {
    json::Writer out;
    out.begin_object().member("books", books);
    out.member("action", static_cast<int>(event.action));
    out.member("order", static_cast<int>(event.order));
    out.member("object", event.object).member("account", event.account);
    out.member("workflow", event.workflow).member("start_key", event.start_key.str());
    out.member("signal_key", event.signal_key);
    out.member("sequence", number_of(event.sequence));
    out.member("scope", event.sequence_rule.scope);
    out.member("start", number_of(event.sequence_rule.start));
    out.member("gap_deadline_us", event.sequence_rule.gap_deadline.count());
    out.member("dense", event.sequence_rule.dense).key("jobs").begin_array();
    for (const std::string& job : event.jobs) out.string(job);
    out.end_array();
    if (event.movement) write_movement(out, *event.movement);
    out.end_object();
    return out.take();
}

Result<Plan> plan_from_json(std::string_view text) {
    const auto document = json::Document::parse(text);
    if (!document) return document.error();
    Members from(document->root());
    Plan plan;
    Event& event = plan.event;
    plan.books = from.text("books");
    event.action = static_cast<Action>(from.number("action"));
    event.order = static_cast<OrderingPolicy>(from.number("order"));
    event.object = from.text("object");
    event.account = from.text("account");
    event.workflow = from.maybe_text("workflow").value_or("");
    event.start_key = EffectKey(from.maybe_text("start_key").value_or(""));
    event.signal_key = from.maybe_text("signal_key").value_or("");
    event.sequence = sequence_of(from.maybe_number("sequence"));
    event.sequence_rule.scope = from.text("scope");
    event.sequence_rule.start = sequence_of(from.maybe_number("start"));
    event.sequence_rule.gap_deadline = Duration(from.number("gap_deadline_us"));
    event.sequence_rule.dense = from.flag("dense");
    event.jobs = from.texts("jobs");
    if (auto movement = from.object("movement")) {
        auto read = read_movement(*movement);
        if (!read) return read.error();
        event.movement = std::move(*read);
    }
    if (from.broken()) return invalid("the plan cannot be read");
    return plan;
}

}  // namespace pawl::intents
