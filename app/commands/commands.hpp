// The list of commands: a name here is a command in `pawl --help`. Each add_ function describes its
// options to CLI11 and sets context.run when it is chosen; it does nothing else.
#pragma once

#include "app/cli.hpp"

namespace pawl::app {

void add_admin(CLI::App& app, Context& context);  // one for each noun of the admin API
void add_canary(CLI::App& app, Context& context);
void add_demo(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_import(CLI::App& app, Context& context);
void add_inspect(CLI::App& app, Context& context);
void add_lint(CLI::App& app, Context& context);
void add_migrate(CLI::App& app, Context& context);
void add_pay(CLI::App& app, Context& context);
void add_sandbox(CLI::App& app, Context& context);
void add_send(CLI::App& app, Context& context);
void add_serve(CLI::App& app, Context& context);
void add_token(CLI::App& app, Context& context);
void add_verify(CLI::App& app, Context& context);

// In the order in which a newcomer needs them.
inline constexpr void (*commands[])(CLI::App&, Context&) = {
    add_demo,  add_serve, add_send, add_inspect, add_lint,   add_doctor, add_migrate,
    add_token, add_admin, add_pay,  add_import,  add_canary, add_verify, add_sandbox,
};

}  // namespace pawl::app
