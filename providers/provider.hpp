// One provider, compiled from its file: secrets decoded, keys prepared, templates and pointers
// parsed. `receive` is the whole stage: is this delivery authentic, and what does it say? Pure, no
// I/O. Immutable after create, cheap to copy, safe from all threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "providers/config.hpp"
#include "providers/event.hpp"

namespace pawl::providers {

enum class Verdict {
    verified,
    refused,         // 401; nobody's slot is touched
    too_many_items,  // 413; authentic, but longer than items_max
    live_mode,       // 503; authentic, but real money, and test mode is served
};

struct Received {
    Verdict verdict = Verdict::refused;
    std::string diagnosis;  // "ok", or wrong_secret, timestamp_too_old, header_missing, ...
    std::string detail;     // the same as a sentence for operators; holds no secret
    bool batch = false;     // the answer has one entry for each event
    std::vector<Event> events;
};

struct Outgoing {
    std::string event_id;
    std::string body;
    Time at;
};

class Provider {
  public:
    // Returns every error of the file, the scheme, the secrets or the rules.
    static Result<Provider> create(ProviderConfig config);

    Received receive(const Delivery& delivery) const;

    // Reads a delivery whose stored verdict was "authentic" by the current rules, even if the
    // secret that verified it has been removed. The diagnosis states whether it still verifies;
    // `stored_verdict`: its token is stored as a hash, and is not verified again.
    Received read_again(const Delivery& delivery) const;

    // The headers as they may be stored: the values of Authorization and of headers that carry this
    // provider's token are replaced by `sha256:<hex>`, because a copy of them would authenticate.
    Headers storable(Headers headers) const;

    // The headers with which this provider would have sent the body, made with the first secret.
    // For `pawl send` and tests. Asymmetric schemes need `private_key` (PEM, or whsk_...).
    Result<Headers> sign(const Outgoing& outgoing, std::string_view private_key = {}) const;

    const ProviderConfig& config() const;  // with `books` (of the mode) and `scheme` filled in
    std::string_view name() const { return config().name; }

  private:
    struct Compiled;
    explicit Provider(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
    std::shared_ptr<const Compiled> compiled_;
};

}  // namespace pawl::providers
