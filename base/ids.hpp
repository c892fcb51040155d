// Strong types for ids that are all text or numbers underneath, so that an account cannot be passed
// as an event id. Plain values, no thread rules.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace pawl {

template <class Tag>
class Name {
  public:
    Name() = default;
    explicit Name(std::string text) : text_(std::move(text)) {}
    const std::string& str() const { return text_; }
    bool empty() const { return text_.empty(); }
    auto operator<=>(const Name&) const = default;

  private:
    std::string text_;
};

using ProviderName = Name<struct ProviderTag>;
using EventId = Name<struct EventTag>;
using AccountId = Name<struct AccountTag>;
using EffectKey = Name<struct EffectTag>;  // always in its full form, <books>/<kind>/<id>
using CorrelationId = Name<struct CorrelationTag>;

// A provider's own numbering. It orders; it is never added to or compared with anything else.
struct Sequence {
    std::int64_t value = 0;
    auto operator<=>(const Sequence&) const = default;
};

}  // namespace pawl

template <class Tag>
struct std::hash<pawl::Name<Tag>> {
    std::size_t operator()(const pawl::Name<Tag>& name) const noexcept {
        return std::hash<std::string>{}(name.str());
    }
};
