// Runs `pawl import captures` and other commands as an operator in a terminal does, with their exit
// codes. Plain functions.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/process.hpp"
#include "tests/e2e/embedded_case.hpp"

namespace pawl::testing {

struct Ended {
    std::string how;   // exited with 0
    std::string said;  // both streams
};

inline Ended run_pawl(const std::string& program, std::vector<std::string> arguments,
                      std::vector<std::string> variables) {
    process::Command command;
    command.argv = {program};
    for (std::string& one : arguments) command.argv.push_back(std::move(one));
    command.env = std::move(variables);
    command.env.emplace_back("PATH=/usr/bin:/bin");
    const auto ended = process::run(std::move(command), patience);
    EXPECT_TRUE(ended.ok());
    return ended ? Ended{ended->how, ended->output} : Ended{};
}

inline constexpr const char* capture_header =
    "books,payment,account,currency,captured,returned,time\n";

}  // namespace pawl::testing
