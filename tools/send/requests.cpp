#include "tools/send/requests.hpp"

#include <fmt/core.h>

#include "tools/program.hpp"

namespace pawl::app {

Requests::Requests(providers::Provider provider, const Target& target)
    : provider_(std::move(provider)),
      opening_(fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: pawl-send/{}\r\n"
                           "Content-Type: application/json\r\n",
                           target.path, target.authority(), version)) {}

Result<void> Requests::try_out(const providers::Outgoing& sample) const {
    auto headers = provider_.sign(sample);
    if (!headers) return headers.error();
    providers::Delivery delivery;
    delivery.headers = *headers;
    delivery.body = sample.body;
    delivery.received_at = sample.at;
    const providers::Received received = provider_.receive(delivery);
    if (received.verdict != providers::Verdict::verified) {
        return invalid(fmt::format("provider \"{}\" refuses what was signed for it: {} ({})",
                                   provider_.name(), received.diagnosis, received.detail));
    }
    const std::string& quarantine = received.events.front().quarantine;
    if (quarantine.empty()) return {};
    return invalid(fmt::format(
        "the file of provider \"{}\" reads fields that the test deliveries do not have: they would "
        "be quarantined as {}",
        provider_.name(), quarantine));
}

std::string Requests::make(const providers::Outgoing& delivery) const {
    std::string request = opening_;
    const auto headers = provider_.sign(delivery);
    for (const auto& [name, value] : *headers) {
        request.append(name).append(": ").append(value) += "\r\n";
    }
    request.append("Content-Length: ").append(std::to_string(delivery.body.size()));
    return request.append("\r\n\r\n").append(delivery.body);
}

}  // namespace pawl::app
