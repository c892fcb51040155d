#include "jobs/retry_after.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "outbound/http_date.hpp"

namespace pawl::jobs {
namespace {

// Longer is taken for a mistake: a subscriber must not put itself off for a year.
constexpr std::chrono::seconds longest = std::chrono::hours(1);

std::optional<std::chrono::seconds> in_seconds(std::string_view text) {
    const bool digits = !text.empty() && std::all_of(text.begin(), text.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) return std::nullopt;
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    // More than 64 bits hold is long, and not nothing.
    if (error != std::errc()) return longest;
    return std::chrono::seconds(std::min<std::int64_t>(seconds, longest.count()));
}

}  // namespace

std::optional<Duration> retry_after(const outbound::HttpReply& reply, Time now) {
    const auto asked = reply.header("retry-after");
    if (!asked) return std::nullopt;
    if (const auto seconds = in_seconds(*asked)) return *seconds;
    const auto until = outbound::parse_http_date(*asked);
    if (!until) return std::nullopt;
    const auto sent = outbound::parse_http_date(reply.header("date").value_or(""));
    return std::clamp<Duration>(*until - sent.value_or(now), Duration::zero(), longest);
}

}  // namespace pawl::jobs
