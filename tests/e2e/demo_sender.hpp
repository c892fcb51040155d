// Deliveries as the demo provider makes them: bodies, signatures, and a client that posts them.
// Values and plain functions; a sender belongs to one thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "providers/event.hpp"
#include "tests/e2e/http_client.hpp"

namespace pawl::testing {

struct Payment {
    std::string id;
    std::string payment = {};  // empty: made from the id
    std::string account = "user:1";
    std::int64_t amount = 100;
    std::string currency = "USD";
    std::int64_t sequence = 1;
    std::string type = "payment.captured";
};

std::string body_of(const Payment& payment);

// The headers that a genuine sender of these bytes would add.
providers::Headers signed_headers(const std::string& id, const std::string& body, Time at,
                                  std::string_view secret = {});  // empty: the demo's
Time now();

class DemoSender {
  public:
    explicit DemoSender(std::uint16_t port, std::string provider = "demo")
        : client_(port), path_("/webhooks/" + std::move(provider)) {}

    Response send(const Payment& payment) { return send_bytes(payment.id, body_of(payment)); }
    Response send_bytes(const std::string& id, const std::string& body);
    Response post(const providers::Headers& headers, const std::string& body) {
        return client_.post(path_, headers, body);
    }
    bool begin(const Payment& payment);  // sends it, and leaves the answer for later
    Response answer() { return client_.read(); }
    HttpClient& client() { return client_; }

  private:
    HttpClient client_;
    std::string path_;
};

}  // namespace pawl::testing
