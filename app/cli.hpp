// The command line: the list of commands, and the conversion of errors to sentences and exit codes.
// Used by main() only, before and after the threads of a command.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/doctor.hpp"
#include "app/running.hpp"
#include "settings/exit_code.hpp"
#include "settings/settings.hpp"
#include "settings/terminal.hpp"

namespace CLI {
class App;
}

namespace pawl::app {

// Passed to every command; outlives the run.
struct Context {
    std::string config_folder;     // --config
    std::function<int()> run;      // set by the command that was chosen
    DatabaseProbe database_probe;  // for doctor; set in main where a database layer is linked
    // For lint: the files against what was posted; set there, too.
    std::function<Result<Findings>(const Settings&)> shape_probe;
    Terminal out{stdout};  // answers
    Terminal err{stderr};  // everything else

    int fail(const Error& error) const;  // prints it, returns its exit code

    // The options, completed by those of a server that runs on this machine. Returns nullopt after
    // printing the error: the command then returns exit_wrong.
    struct Beside {
        LoadOptions options;
        std::optional<RunningServer> server{};
    };
    std::optional<Beside> beside_server(LoadOptions options) const;

    // The settings; nullopt after printing every error: the command then returns exit_wrong.
    std::optional<Settings> settings(LoadOptions options = {}) const;
};

// The operator at this terminal, for the audit log: terminal:USER.
std::string terminal_principal();

int run_cli(int argc, const char* const* argv, Context& context);
int run_cli(int argc, const char* const* argv);

}  // namespace pawl::app
