#include "intents/accept/plan.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

namespace pawl::intents {
namespace {

using providers::Action;
using providers::Dispute;
using providers::Event;
using providers::FormerKey;
using providers::KeyShape;
using providers::Movement;
using providers::OrderingPolicy;
using providers::Unmet;

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
    std::vector<Members> objects(const char* name) {
        if (!find(name)) broken_ = true;
        return maybe_objects(name);
    }
    std::vector<Members> maybe_objects(const char* name) {
        std::vector<Members> all;
        const auto array = find(name);
        if (!array) return all;
        for (const json::Value& one : array->children()) all.emplace_back(one);
        return all;
    }
    void refuse() { broken_ = true; }
    bool broken() const { return broken_; }

  private:
    std::optional<json::Value> find(const char* name) const {
        return object_.at(json::Pointer::parse("/" + std::string(name)).value());
    }
    std::int64_t to_number(const std::string& digits) {
        const auto number = pawl::to_number<std::int64_t>(digits);
        if (!number) broken_ = true;
        return number.value_or(0);
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

template <class T>
struct Word {
    std::string_view text;
    T value;
};

constexpr Word<Action> actions[] = {
    {"ignore", Action::ignore},           {"credit", Action::credit}, {"debit", Action::debit},
    {"set_balance", Action::set_balance}, {"start", Action::start},   {"signal", Action::signal}};
constexpr Word<OrderingPolicy> orders[] = {{"late_ok", OrderingPolicy::late_ok},
                                           {"hold", OrderingPolicy::hold},
                                           {"strict", OrderingPolicy::strict}};
constexpr Word<Unmet> unmets[] = {{"park", Unmet::park}, {"ignore", Unmet::ignore}};
constexpr Word<Dispute> disputes[] = {{"none", Dispute::none},
                                      {"opened", Dispute::opened},
                                      {"won", Dispute::won},
                                      {"lost", Dispute::lost}};

template <class T, std::size_t size>
std::string_view word_of(T value, const Word<T> (&words)[size]) {
    for (const Word<T>& word : words) {
        if (word.value == value) return word.text;
    }
    return "?";
}

template <class T, std::size_t size>
T value_of(Members& from, const char* name, const Word<T> (&words)[size]) {
    const std::string text = from.text(name);
    for (const Word<T>& word : words) {
        if (word.text == text) return word.value;
    }
    from.refuse();
    return words[0].value;
}

void write_movement(json::Writer& out, const Movement& movement) {
    out.begin_object().member("kind", word_of(movement.kind, actions));
    out.member("account", movement.account.str()).member("amount", movement.amount.minor);
    out.member("currency", movement.amount.currency.code());
    out.member("effect_key", movement.effect_key.str()).member("is_total", movement.is_total);
    if (movement.shape) {
        out.member("shape", movement.shape->key).member("reading", movement.shape->reading);
    }
    out.end_object();
}

Result<Movement> read_movement(Members from) {
    Movement movement;
    movement.kind = value_of(from, "kind", actions);
    movement.account = AccountId(from.text("account"));
    const auto currency = Currency::parse(from.text("currency"));
    if (!currency) return currency.error();
    movement.amount = {from.number("amount"), *currency};
    movement.effect_key = EffectKey(from.text("effect_key"));
    movement.is_total = from.flag("is_total");
    if (auto shape = from.maybe_text("shape")) {
        movement.shape = std::make_shared<const KeyShape>(
            KeyShape{std::move(*shape), from.maybe_text("reading").value_or("")});
    }
    if (from.broken()) return invalid("the plan's movement cannot be read");
    return movement;
}

// Written for the few events whose rule has had another key.
void write_formerly(json::Writer& out, const Event& event) {
    if (event.formerly.empty()) return;
    out.key("formerly").begin_array();
    for (const FormerKey& one : event.formerly) {
        out.begin_object().member("key", one.key.str()).member("former", one.former.str());
        out.end_object();
    }
    out.end_array();
}

void write_needs(json::Writer& out, const Event& event) {
    out.key("needs").begin_array();
    for (const EffectKey& need : event.needs) out.string(need.str());
    out.end_array().member("needs_deadline_us", event.needs_deadline.count());
    out.member("unmet", word_of(event.unmet, unmets));
    const auto at = event.occurred_at;
    out.member("occurred_at_us", at ? std::optional(at->time_since_epoch().count()) : std::nullopt);
    out.member("dispute", word_of(event.dispute, disputes));
}

void read_needs(Members& from, Event& event) {
    for (std::string& need : from.texts("needs")) event.needs.emplace_back(std::move(need));
    event.needs_deadline = Duration(from.number("needs_deadline_us"));
    event.unmet = value_of(from, "unmet", unmets);
    if (const auto at = from.maybe_number("occurred_at_us"))
        event.occurred_at = Time(Duration(*at));
    event.dispute = value_of(from, "dispute", disputes);
    for (Members& one : from.maybe_objects("formerly")) {
        event.formerly.push_back({EffectKey(one.text("key")), EffectKey(one.text("former"))});
    }
}

}  // namespace

std::string to_json(const std::string& books, const Event& event) {
    json::Writer out;
    out.begin_object().member("books", books);
    out.member("action", word_of(event.action, actions));
    out.member("order", word_of(event.order, orders));
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
    write_needs(out, event);
    write_formerly(out, event);
    out.key("movements").begin_array();
    for (const Movement& movement : event.movements) write_movement(out, movement);
    out.end_array().end_object();
    return out.take();
}

Result<Plan> plan_from_json(std::string_view text) {
    const auto document = json::Document::parse(text);
    if (!document) return document.error();
    Members from(document->root());
    Plan plan;
    Event& event = plan.event;
    plan.books = from.text("books");
    event.action = value_of(from, "action", actions);
    event.order = value_of(from, "order", orders);
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
    read_needs(from, event);
    for (Members& movement : from.objects("movements")) {
        auto read = read_movement(movement);
        if (!read) return read.error();
        event.movements.push_back(std::move(*read));
    }
    if (from.broken()) return invalid("the plan cannot be read");
    return plan;
}

}  // namespace pawl::intents
