// Exit codes of every command. Values only.
#pragma once

#include "base/result.hpp"

namespace pawl::app {

enum ExitCode : int {
    exit_done = 0,
    exit_no = 1,           // the command ran, and its result is negative
    exit_wrong = 2,        // wrong usage or configuration: a retry changes nothing
    exit_unreachable = 3,  // database, network or disk: no answer, a retry may help
};

constexpr int exit_code(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::refused:
            return exit_no;
        case ErrorKind::invalid:
            return exit_wrong;
        case ErrorKind::unreachable:
            return exit_unreachable;
        // A bug is not a negative result: a shell would take it for a finding.
        case ErrorKind::internal:
            return exit_unreachable;
    }
    return exit_unreachable;
}

}  // namespace pawl::app
