// Reader from an authentic body to events: splits it into items, and finds each item's name and
// rule. No authentic item is lost here: an unreadable one becomes an event with the reason in
// `quarantine`. Immutable after create, safe from all threads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "providers/config.hpp"
#include "providers/field_selector.hpp"
#include "providers/provider.hpp"
#include "providers/rule.hpp"

namespace pawl::providers {

class Reader {
  public:
    static Result<Reader> create(const ProviderConfig& config, RuleContext context);

    // Fills in the events, or turns the verdict into a refusal (not_for_us, too many items).
    void read(const Delivery& delivery, Received& into) const;

  private:
    Result<void> compile_read(const ReadConfig& config);
    Event read_item(const Delivery& delivery, const Item& item) const;
    void read_sequence(const Item& item, Event& event) const;
    void read_time(const Item& item, Event& event) const;
    bool read_items(const Delivery& delivery, Received& into) const;
    void read_apart(const Delivery& delivery, const std::vector<std::string_view>& items,
                    Received& into) const;
    void decide(const Item& item, Event& event) const;
    const Rule* rule_for(const Item& item, Event& event) const;
    bool expected(const Item& item) const;
    std::optional<Mode> mode_of(const Item& item) const;  // nothing: a field of `live` is absent
    void judge_mode(const Item& item, Event& event) const;
    std::string fingerprint(const Item& item, const Event& event) const;
    std::string_view mode_mark(const Item& item, const Event& event) const;
    std::string key_in_any_mode(const EffectKey& key) const;

    RuleContext context_;
    json::Pointer items_;
    std::size_t items_max_ = 0;
    bool batch_ = false;
    FieldSelectors event_id_;
    FieldSelectors type_;
    FieldSelectors object_;
    std::optional<FieldSelector> sequence_;
    std::optional<FieldSelector> time_;
    TimeUnit time_unit_ = TimeUnit::seconds;
    using Expectations = std::vector<std::pair<json::Pointer, std::vector<std::string>>>;
    static Result<Expectations> compile_conditions(const Conditions& from, const char* key);
    Expectations expect_;
    Expectations live_;
    Mode mode_ = Mode::live;  // the one that is served
    std::vector<Rule> rules_;
};

}  // namespace pawl::providers
