// The demo's result tables: expected and actual figures. Pure, but for the sums that it queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "settings/terminal.hpp"
#include "tools/demo/programs.hpp"
#include "tools/demo/scenario.hpp"

namespace pawl::app {

struct FeedCounts {
    std::size_t answered = 0, duplicates = 0, retries = 0, lost = 0;
    bool over = false;
};

struct Live {
    FeedCounts pawl, rival;
    std::size_t deliveries = 0;
    int kills = 0;
    int paid = 0, paid_by_rival = 0, orders = 0;
};

struct DemoSummary {
    std::size_t deliveries = 0, redeliveries = 0, second_events = 0;
    int kills = 0;
    std::int64_t expected_minor = 0, pawl_minor = 0, rival_minor = 0;
    std::size_t rival_doubled = 0, rival_lost = 0;
    int orders = 0, paid = 0;
    std::int64_t charged = 0, charged_by_rival = 0, shop_minor = 0;
    bool verified = false;

    bool good() const;
};

std::string introduction(const Terminal& out, const Scenario& scenario, std::uint64_t seed);
std::vector<std::string> live_lines(const Terminal& out, const Live& live);
std::string end_table(const DemoSummary& end, const Terminal& out);
std::string verdict(const DemoSummary& end, const Terminal& out);
// The faults of the quick-start code, by cause.
std::string rival_causes(const DemoSummary& end);

// Balances of Pawl's accounts with this prefix.
std::int64_t sum_of_accounts(const DemoPrograms& programs, const std::string& prefix);
// Charges by order, from the sandbox's own count.
std::int64_t charges_of(const std::string& counts, const std::string& prefix);

}  // namespace pawl::app
