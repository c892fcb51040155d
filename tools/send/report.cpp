#include "tools/send/report.hpp"

#include <fmt/core.h>

#include <numeric>

#include "base/json.hpp"

namespace pawl::app {
namespace {

constexpr std::size_t accounts_named_max = 10'000;  // more make no readable JSON

std::int64_t number(std::size_t count) {
    return static_cast<std::int64_t>(count);
}
std::string text(std::size_t count) {
    return std::to_string(count);
}

Cell bad(std::size_t count) {
    return {text(count), count == 0 ? Colour::none : Colour::red};
}
Cell uneasy(std::size_t count) {
    return {text(count), count == 0 ? Colour::none : Colour::yellow};
}

std::size_t applied(const Tally& tally) {
    return tally.outcome("applied") + tally.outcome("applied_late");
}

std::string listed(const std::map<std::string, std::size_t>& counts) {
    std::string list;
    for (const auto& [name, count] : counts) {
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, name);
    }
    return list;
}

std::int64_t sum(const std::map<std::string, std::int64_t>& amounts) {
    return std::accumulate(amounts.begin(), amounts.end(), std::int64_t{0},
                           [](std::int64_t total, const auto& one) { return total + one.second; });
}

void write_counts(json::Writer& out, std::string_view name,
                  const std::map<std::string, std::size_t>& counts) {
    out.key(name).begin_object();
    for (const auto& [key, count] : counts) out.member(key, number(count));
    out.end_object();
}

void write_tally(json::Writer& out, Tally& tally) {
    out.member("requests", number(tally.requests));
    out.member("acknowledged", number(tally.acknowledged));
    out.member("duplicates", number(tally.duplicates));
    write_counts(out, "outcomes", tally.outcomes);
    write_counts(out, "refused", tally.refused);
    out.member("unavailable", number(tally.unavailable)).member("troubled", number(tally.troubled));
    out.member("broken", number(tally.broken)).member("retries", number(tally.retries));
    out.member("lost", number(tally.lost));
    out.key("seconds").raw(fmt::format("{:.3f}", tally.seconds));
    out.key("per_second").raw(fmt::format("{:.1f}", tally.per_second()));
    out.key("latency_ms").begin_object();
    for (const auto& [name, share] : {std::pair{"p50", 0.5}, {"p99", 0.99}, {"max", 1.0}}) {
        out.key(name).raw(fmt::format("{:.3f}", percentile_ms(tally.latencies_us, share)));
    }
    out.end_object();
}

}  // namespace

std::size_t RunReport::unsent() const {
    return plan.size() - tally.answered();
}

std::string as_table(RunReport& report, const Terminal& terminal) {
    Tally& tally = report.tally;
    Table table({">sent", ">applied", ">duplicate", ">other", ">refused", ">503", ">retried",
                 ">lost", ">p50 ms", ">p99 ms", ">per s"});
    const std::size_t other = tally.acknowledged - tally.duplicates - applied(tally);
    const std::size_t lost = tally.lost + report.unsent();
    table.row({text(report.plan.size() - report.unsent()), text(applied(tally)),
               text(tally.duplicates), text(other), bad(tally.refusals()),
               uneasy(tally.unavailable), text(tally.retries), bad(lost),
               fmt::format("{:.2f}", percentile_ms(tally.latencies_us, 0.5)),
               fmt::format("{:.2f}", percentile_ms(tally.latencies_us, 0.99)),
               fmt::format("{:.0f}", tally.per_second())});
    std::string out = table.render(terminal);
    if (other > 0) out += fmt::format("outcomes: {}\n", listed(tally.outcomes));
    if (!tally.refused.empty()) out += fmt::format("refused: {}\n", listed(tally.refused));
    if (tally.broken + tally.troubled > 0) {
        out += fmt::format("tried again after {} broken connections and {} transient errors\n",
                           tally.broken, tally.troubled);
    }
    return out + fmt::format("seed {}: {} payments worth {} to {} accounts, user:{}-1 ...\n",
                             report.seed, report.plan.distinct(),
                             to_decimal_text(
                                 {sum(report.plan.expected()), Currency::parse("USD").value()}) +
                                 " USD",
                             report.plan.expected().size(), report.seed);
}

std::string as_json(RunReport& report) {
    const auto expected = report.plan.expected();
    json::Writer out;
    out.begin_object().member("provider", report.provider).member("url", report.url);
    out.key("seed").raw(std::to_string(report.seed));
    out.member("connections", number(report.connections));
    out.member("deliveries", number(report.plan.size()));
    out.member("events", number(report.plan.distinct()));
    out.member("unsent", number(report.unsent()));
    write_tally(out, report.tally);
    out.member("currency", "USD").member("expected_amount", sum(expected));
    if (expected.size() <= accounts_named_max) {
        out.key("expected_balances").begin_object();
        for (const auto& [account, minor] : expected) out.member(account, minor);
        out.end_object();
    }
    return out.end_object().take();
}

}  // namespace pawl::app
