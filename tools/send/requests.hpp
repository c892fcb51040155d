// Turns a delivery into the bytes of its HTTP request, signed as its provider would sign it. Made
// once for a run; immutable, any thread.
#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"
#include "providers/provider.hpp"
#include "tools/send/target.hpp"

namespace pawl::app {

// A delivery to send, and its request where that was made ahead of time.
struct Parcel {
    Parcel(providers::Outgoing what, std::string as = {})
        : delivery(std::move(what)), request(std::move(as)) {}
    providers::Outgoing delivery;
    std::string request;  // empty: it is signed when it is sent
};

class Requests {
  public:
    Requests(providers::Provider provider, const Target& target);

    // Refused where the provider's own file could not read such a delivery, or cannot sign it.
    Result<void> try_out(const providers::Outgoing& sample) const;
    std::string make(const providers::Outgoing& delivery) const;

  private:
    providers::Provider provider_;
    std::string opening_;  // the request line and the headers that are always the same
};

}  // namespace pawl::app
