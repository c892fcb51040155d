// The signatures that a delivery carries, and the text that each of them is said to sign. Part of
// verify; lives for one call on one thread's stack and refers to the delivery.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "providers/scheme.hpp"
#include "providers/verify.hpp"

namespace pawl::providers {

// One signature line. Its signatures are decoded, except for tokens, which are compared as text.
struct Candidate {
    std::string ts;
    std::vector<std::string> signatures;
};

// The signed text in parts, so that the body is never copied. Where the secret belongs, a part is
// empty and its index is in `secret_slots`.
struct Message {
    std::vector<std::string_view> parts;
    std::vector<std::size_t> secret_slots;
    std::vector<std::size_t> body_slots;
};

class Evidence {
  public:
    Evidence(const Scheme& scheme, const Delivery& delivery)
        : scheme_(scheme), delivery_(delivery) {}

    // Each of these three fills its last argument, or returns the refusal.
    std::optional<Verification> candidates(std::vector<Candidate>& into);
    std::optional<Verification> timestamp(Candidate& candidate, Time& into);
    std::optional<Verification> message(const Candidate& candidate, Message& into);
    std::optional<Verification> single(const Source& source, std::string& into);

  private:
    std::optional<Verification> candidate(std::string_view line, Candidate& into) const;
    std::optional<std::string> decoded(std::string_view text) const;
    const json::Document* document();

    const Scheme& scheme_;
    const Delivery& delivery_;
    std::optional<json::Document> document_;  // parsed only if the scheme looks into the body
    std::list<std::string> kept_;             // texts that message parts point to
};

}  // namespace pawl::providers
