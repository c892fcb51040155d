#include "tools/demo/demo.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/wiring.hpp"
#include "base/log.hpp"
#include "tools/demo/quick_start.hpp"

namespace pawl::app {
namespace {

struct Options {
    DemoOptions demo;
    std::uint16_t rival_port = 0;
    std::string rival_file;
};

int run(const Options& options, const Context& context) {
    log::start(log::Level::error, log::Format::text);
    LoadOptions load_options;
    load_options.dev = true;
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    const auto compiled = compile_providers(*settings);
    if (!compiled) return context.fail(compiled.error());
    for (const providers::Provider& provider : *compiled) {
        if (provider.name() != "demo") continue;
        const auto ended =
            options.rival_port == 0
                ? run_demo(options.demo, *settings, provider, context.out)
                : run_quick_start_receiver(options.rival_port, options.rival_file, provider);
        return ended ? *ended : context.fail(ended.error());
    }
    return context.fail(invalid("the demo needs config/providers/demo.toml, which is not there"));
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "demo",
        "an end-to-end crash demo: duplicates, reordering, timeouts, kill -9; under a minute");
    command->add_option("--seed", options->demo.seed,
                        "random seed; reproduces the deliveries (a new one)");
    command->add_option("--payments", options->demo.payments, "payments to generate (400)")
        ->check(CLI::Range(10, 100'000));
    command->add_option("--orders", options->demo.orders, "orders to charge (24)")
        ->check(CLI::Range(1, 1000));
    command->add_option("--kills", options->demo.kills, "times that both are killed (2)")
        ->check(CLI::Range(0, 20));
    command->add_option("--rate", options->demo.per_second, "deliveries a second to each (30)")
        ->check(CLI::PositiveNumber);
    // Used by the demo itself, which runs the other receiver as a program of its own.
    command->add_option("--quick-start", options->rival_port)->group("");
    command->add_option("--quick-start-file", options->rival_file)->group("");
    command->footer(
        "Runs a payment provider, a server with an embedded database, and for comparison the\n"
        "code of the quick-start pages of payment providers: verify the signature, insert the "
        "event's id\n"
        "into a table, add the amount to the balance, answer; and, to charge, call the SDK. All "
        "of\n"
        "it on free ports and in a folder that is removed. Exit code 1 where Pawl did not end as\n"
        "expected.\n"
        "Example: pawl demo --seed 7");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
