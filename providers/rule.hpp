// A rule of a provider file, compiled: which events it is for, and how the money, the effect key
// and the needs of such an event are read. Owned by the Reader, immutable, safe from all threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "providers/config.hpp"
#include "providers/event.hpp"
#include "providers/field_selector.hpp"

namespace pawl::providers {

// Books and a kind, and those that an earlier version of the file had in their place.
struct FormerKind {
    std::string kind, former_books, former_kind;
};

// The context that the rules of one provider share.
struct RuleContext {
    std::string books;
    std::string file_books;  // as the file writes them, without the suffix of the mode
    Mode mode = Mode::live;
    std::vector<FormerKind> former_kinds;
    CaptureShape captures = CaptureShape::one;
    const ReadConfig* read = nullptr;                 // only while compiling
    Covers covers = Covers::full;                     // of the scheme
    std::vector<std::string> signed_headers;          // everything else in a header proves nothing
    std::vector<std::pair<Currency, int>> exponents;  // the provider's own minor units
    bool dense = false;  // some rule holds: the provider's numbers have no gaps
    // The accounts of the rules that hold: an event that is ignored has a place, too.
    std::vector<FieldSelector> held_accounts;
};

// An effect key that a rule had in earlier versions of its file.
struct FormerSelectors {
    std::string books;  // of the mode that is served
    FieldSelectors key;
};

// One movement of a rule, compiled.
struct Move {
    Action action = Action::credit;
    std::optional<json::Pointer> each;
    std::optional<FieldSelector> account;  // none: the account that holds the first need
    std::optional<FieldSelector> amount;
    bool negated = false;
    std::optional<FieldSelector> currency;
    AmountIs amount_is = AmountIs::delta;
    AmountUnit unit = AmountUnit::minor;
    FieldSelectors effect_key;  // the kind is its first part
    std::vector<FormerSelectors> formerly;
    std::shared_ptr<const KeyShape> shape;
};

class Rule {
  public:
    static Result<Rule> compile(const RuleConfig& config, const RuleContext& context);
    using Fields = std::vector<std::string_view>;  // pointers, as the file writes them
    // Returns nullopt if the rule is not for this event; otherwise the fields of `where` whose
    // values cannot be compared, absent or not a text. The rule matches if there are none.
    std::optional<Fields> match(std::string_view type, const Item& item) const;
    bool requires_absence_of(const Fields& fields) const;
    bool moves_money() const;
    bool may_not_be_missed() const;  // moves money, or marks its payment as disputed
    std::optional<FieldSelector> held_account() const;  // of a rule that holds, by account
    // Completes the event, or gives a reason for operator action in `quarantine`.
    void apply(const Item& item, const RuleContext& context, Event& event) const;

  private:
    Result<void> compile_where();
    Result<void> compile_moves(const RuleContext& context);
    Result<void> compile_move(const MoveConfig& config, const RuleContext& context);
    Result<void> check_formerly() const;
    Result<void> compile_keys(const RuleContext& context);
    Result<void> check_shape(const Move& move, const RuleContext& context) const;
    Result<void> check_order(const RuleContext& context) const;
    Result<void> check_trust(const RuleContext& context) const;
    const char* read_needs(const Item& item, const RuleContext& context, Event& event) const;
    const char* read_moves(const Item& item, const RuleContext& context, Event& event) const;
    const char* read_move(const Move& move, const Item& item, const RuleContext& context,
                          Event& event) const;
    std::optional<ReadablePart> readable_part(const Item& item, const RuleContext& context) const;
    const char* read_account(const Move& move, const Item& item, AccountId& into) const;
    const char* read_amount(const Move& move, const Item& item, const RuleContext& context,
                            Money& into) const;
    const char* read_sequence_rule(const Item& item, const RuleContext& context,
                                   Event& event) const;

    RuleConfig config_;
    std::vector<std::pair<json::Pointer, std::vector<std::string>>> where_;
    std::optional<FieldSelector> account_;  // where events that move nothing name theirs
    std::optional<FieldSelector> signal_;
    std::vector<Move> moves_;
    FieldSelectors start_key_;
    std::vector<FieldSelectors> needs_;
};

}  // namespace pawl::providers
