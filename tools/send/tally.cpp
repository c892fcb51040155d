#include "tools/send/tally.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json.hpp"

namespace pawl::app {
namespace {

json::Pointer pointer_to(std::string_view name) {
    return json::Pointer::parse("/" + std::string(name)).value();
}

// Members of a JSON answer by name; empty where there is none, or the answer is not JSON.
class Answered {
  public:
    explicit Answered(const HttpReply& reply) : document_(json::Document::parse(reply.body)) {}

    std::string text(const json::Pointer& member) const {
        const auto value = document_ ? document_->root().at(member) : std::nullopt;
        return value ? value->text().value_or("") : "";
    }

  private:
    Result<json::Document> document_;  // refers to the reply's body
};

}  // namespace

void Tally::acknowledge(const HttpReply& reply, std::uint32_t latency_us) {
    ++acknowledged;
    latencies_us.push_back(latency_us);
    static const json::Pointer duplicate = pointer_to("duplicate");
    static const json::Pointer told = pointer_to("outcome");
    const Answered answer(reply);
    if (answer.text(duplicate) == "true") {
        ++duplicates;
        return;
    }
    const std::string outcome = answer.text(told);
    ++outcomes[outcome.empty() ? "acknowledged" : outcome];  // an `ack` text has no details
}

void Tally::refuse(const HttpReply& reply) {
    const std::string code = Answered(reply).text(pointer_to("code"));
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
