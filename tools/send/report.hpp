// Formats a finished run as text and as JSON. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "settings/terminal.hpp"
#include "tools/send/plan.hpp"
#include "tools/send/tally.hpp"

namespace pawl::app {

struct RunReport {
    std::string provider;
    std::string url;
    std::uint64_t seed = 0;
    std::size_t connections = 0;
    const Plan& plan;
    Tally tally;

    std::size_t unsent() const;  // deliveries left when the run ended
    bool complete() const { return tally.acknowledged == plan.size(); }
};

std::string as_table(RunReport& report, const Terminal& terminal);
std::string as_json(RunReport& report);  // with what each account must hold

}  // namespace pawl::app
