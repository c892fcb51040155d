// A rule of a provider file, compiled: which events it is for, and how the money, the effect key
// and the needs of such an event are read. Owned by the Reader, immutable, safe from all threads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "providers/config.hpp"
#include "providers/event.hpp"
#include "providers/field_selector.hpp"

namespace pawl::providers {

// What the rules of one provider share.
struct RuleContext {
    std::string books;
    const ReadConfig* read = nullptr;                 // only while compiling
    Covers covers = Covers::full;                     // of the scheme
    std::vector<std::string> signed_headers;          // everything else in a header proves nothing
    std::vector<std::pair<Currency, int>> exponents;  // the provider's own minor units
    bool dense = false;  // some rule holds: the provider's numbers have no gaps
};

class Rule {
  public:
    static Result<Rule> compile(const RuleConfig& config, const RuleContext& context);
    using Fields = std::vector<std::string_view>;  // pointers, as the file writes them
    // Nothing: the rule is not for this event. Otherwise the fields of `where` whose values cannot
    // be compared, absent or no text; where there are none, the rule matches.
    std::optional<Fields> match(std::string_view type, const Item& item) const;
    bool requires_absence_of(const Fields& fields) const;
    bool moves_money() const;
    // Completes the event, or names in `quarantine` why a person must.
    void apply(const Item& item, const RuleContext& context, Event& event) const;

  private:
    Result<void> compile_where();
    Result<void> compile_money(const RuleContext& context);
    Result<void> compile_keys(const RuleContext& context);
    Result<void> check_order(const RuleContext& context) const;
    Result<void> check_trust(const RuleContext& context) const;
    const char* read_movement(const Item& item, const RuleContext& context, Event& event) const;
    const char* read_amount(const Item& item, const RuleContext& context, Money& into) const;
    const char* read_sequence_rule(const RuleContext& context, Event& event) const;

    RuleConfig config_;
    std::vector<std::pair<json::Pointer, std::vector<std::string>>> where_;
    std::optional<FieldSelector> account_;
    std::optional<FieldSelector> signal_;
    std::optional<FieldSelector> amount_;
    std::optional<FieldSelector> currency_;
    FieldSelectors effect_key_;  // the kind is its first part
    std::vector<FieldSelectors> needs_;
};

}  // namespace pawl::providers
