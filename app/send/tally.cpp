#include "app/send/tally.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json.hpp"

namespace pawl::app {
namespace {

std::string member(const HttpReply& reply, std::string_view name) {
    const auto document = json::Document::parse(reply.body);
    if (!document) return "";
    const auto pointer = json::Pointer::parse("/" + std::string(name));
    const auto value = document->root().at(*pointer);
    return value ? value->text().value_or("") : "";
}

}  // namespace

void Tally::acknowledge(const HttpReply& reply, std::uint32_t latency_us) {
    ++acknowledged;
    latencies_us.push_back(latency_us);
    if (member(reply, "duplicate") == "true") {
        ++duplicates;
        return;
    }
    const std::string outcome = member(reply, "outcome");
    ++outcomes[outcome.empty() ? "acknowledged" : outcome];  // an `ack` text tells no more
}

void Tally::refuse(const HttpReply& reply) {
    const std::string code = member(reply, "code");
    ++refused[std::to_string(reply.status) + (code.empty() ? "" : " " + code)];
}

std::size_t Tally::refusals() const {
    return std::accumulate(refused.begin(), refused.end(), std::size_t{0},
                           [](std::size_t sum, const auto& one) { return sum + one.second; });
}

std::size_t Tally::answered() const {
    return acknowledged + refusals() + lost;
}

std::size_t Tally::outcome(const std::string& name) const {
    const auto found = outcomes.find(name);
    return found == outcomes.end() ? 0 : found->second;
}

double Tally::per_second() const {
    return seconds > 0 ? static_cast<double>(acknowledged) / seconds : 0;
}

double percentile_ms(std::vector<std::uint32_t>& latencies_us, double share) {
    if (latencies_us.empty()) return 0;
    std::sort(latencies_us.begin(), latencies_us.end());
    const double rank = std::ceil(share * static_cast<double>(latencies_us.size()));
    const auto index = static_cast<std::size_t>(std::max(1.0, rank)) - 1;
    return latencies_us[std::min(index, latencies_us.size() - 1)] / 1000.0;
}

}  // namespace pawl::app
