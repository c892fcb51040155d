// Signs messages to subscribers, by the Standard Webhooks specification: v1 for each secret, so
// that a subscriber may rotate. Immutable; safe from every thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "base/result.hpp"
#include "outbound/http_client.hpp"

namespace pawl::outbound {

class MessageSigner {
  public:
    static Result<MessageSigner> create(const std::vector<std::string>& secrets);  // whsec_...
    // webhook-id, webhook-timestamp, webhook-signature.
    Headers sign(const std::string& id, Time at, std::string_view body) const;

  private:
    std::vector<crypto::HmacKey> keys_;
};

}  // namespace pawl::outbound
