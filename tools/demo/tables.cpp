#include "tools/demo/tables.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/money.hpp"
#include "tools/demo/shop.hpp"

namespace pawl::app {
namespace {

std::string money(std::int64_t minor) {
    return to_decimal_text({minor, Currency::parse("USD").value()}) + " USD";
}

std::string bar(std::size_t done, std::size_t all) {
    constexpr std::size_t width = 24;
    const std::size_t filled = all == 0 ? 0 : done * width / all;
    return std::string(filled, '#') + std::string(width - filled, '.');
}

std::string feed_line(const char* name, const FeedCounts& counts, std::size_t all) {
    return fmt::format("  {:<16} [{}] {:>5}/{} delivered  {:>4} tried again", name,
                       bar(counts.answered, all), counts.answered, all, counts.retries);
}

Cell judged(std::string text, bool right) {
    return {std::move(text), right ? Colour::green : Colour::red};
}

}  // namespace

bool DemoSummary::good() const {
    return pawl_minor == expected_minor && charged == paid && shop_minor == charged * order_minor &&
           verified && paid == orders;
}

std::string introduction(const Terminal& out, const Scenario& scenario, std::uint64_t seed) {
    return fmt::format(
        "{}\n\n"
        "{} payments are reported by {} deliveries: {} of them are redeliveries, {} are second\n"
        "events about a payment, and all are shuffled. Pawl gets them, and so does the code of "
        "the\n"
        "quick-start pages of payment providers: verify the signature, insert the event's id\n"
        "into a table, add the amount to the balance, answer. A shop charges orders through a\n"
        "payment API of which almost every second request fails: through Pawl, and through the\n"
        "API's SDK (two more tries under one key; then the customer presses Pay again). Seed {}.\n",
        out.paint(Colour::bold, "The same deliveries, two receivers, and a kill -9"),
        scenario.payments(), scenario.deliveries().size(), scenario.redeliveries(),
        scenario.second_events(), seed);
}

std::vector<std::string> live_lines(const Terminal& out, const Live& live) {
    return {feed_line("Pawl", live.pawl, live.deliveries),
            feed_line("quick-start code", live.rival, live.deliveries),
            fmt::format("  {:<16} {} of {} orders paid through Pawl, {} through the SDK",
                        "the shop", live.paid, live.orders, live.paid_by_rival),
            out.paint(Colour::dim, fmt::format("  {} killed so far", live.kills))};
}

std::string end_table(const DemoSummary& end, const Terminal& out) {
    Table table({"", ">expected", ">Pawl", ">quick-start code"});
    table.row({"credited", money(end.expected_minor),
               judged(money(end.pawl_minor), end.pawl_minor == end.expected_minor),
               judged(money(end.rival_minor), end.rival_minor == end.expected_minor)});
    table.row(
        {"  difference", money(0),
         judged(money(end.pawl_minor - end.expected_minor), end.pawl_minor == end.expected_minor),
         judged(money(end.rival_minor - end.expected_minor),
                end.rival_minor == end.expected_minor)});
    table.row({"charges (counted by the payment API)", std::to_string(end.orders),
               judged(std::to_string(end.charged), end.charged == end.orders),
               judged(std::to_string(end.charged_by_rival), end.charged_by_rival == end.orders)});
    table.row({"  credited for them", money(end.orders * order_minor),
               judged(money(end.shop_minor), end.shop_minor == end.orders * order_minor), "-"});
    table.row(
        {"pawl verify", "holds", judged(end.verified ? "holds" : "BROKEN", end.verified), "-"});
    return "\n" + table.render(out);
}

std::string verdict(const DemoSummary& end, const Terminal& out) {
    if (end.good()) {
        return "\n" + out.paint(Colour::green,
                                fmt::format("Nothing was lost and nothing was doubled, through {} "
                                            "redeliveries and {} kills.",
                                            end.redeliveries + end.second_events, end.kills));
    }
    return "\n" + out.paint(Colour::red, "This is not what was expected.");
}

std::string rival_causes(const DemoSummary& end) {
    const auto again = std::max<std::int64_t>(0, end.charged_by_rival - end.orders);
    return fmt::format(
        "The quick-start code credited {} payments twice (two events about one payment), lost {}\n"
        "payments (killed between the insert and the credit), and made {} charges a second time\n"
        "(no answer from the API, then a new key).",
        end.rival_doubled, end.rival_lost, again);
}

std::int64_t sum_of_accounts(const DemoPrograms& programs, const std::string& prefix) {
    std::int64_t sum = 0;
    std::string cursor;
    for (;;) {
        const Fetched page = fetch(programs.admin_url() + "/admin/v1/accounts?limit=500" +
                                       (cursor.empty() ? "" : "&cursor=" + cursor),
                                   programs.admin_token());
        const auto document = json::Document::parse(page.body);
        const auto items =
            document ? document->root().at(json::Pointer::parse("/items").value()) : std::nullopt;
        if (!items) return sum;
        for (const json::Value& one : items->children()) {
            if (!json::text_at(one, "/account").starts_with(prefix)) continue;
            sum += number_in(std::string(one.raw()), "/amount");
        }
        cursor = json::text_at(document->root(), "/next");
        if (cursor.empty()) return sum;
    }
}

std::int64_t charges_of(const std::string& counts, const std::string& prefix) {
    const auto document = json::Document::parse(counts);
    const auto orders =
        document ? document->root().at(json::Pointer::parse("/by_order").value()) : std::nullopt;
    std::int64_t sum = 0;
    if (!orders) return sum;
    for (const json::Value& one : orders->children()) {
        if (one.key().starts_with(prefix)) sum += std::stoll(one.text().value_or("0"));
    }
    return sum;
}

}  // namespace pawl::app
