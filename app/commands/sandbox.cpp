#include "sandbox/sandbox.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "app/commands/commands.hpp"
#include "settings/signals.hpp"
#include "settings/values.hpp"
#include "settings/well_known.hpp"

namespace pawl::app {
namespace {

struct Options {
    std::string listen = "127.0.0.1:8090";
    std::string webhook_url = "http://127.0.0.1:8080/webhooks/sandbox";
    std::string webhook_secret;
    std::string api_key;
    std::string key_horizon = "24h";
    std::string search_lag = "0s";
    std::vector<std::string> faults;
    std::uint64_t seed = 1;
    bool list_faults = false;
};

// The option, else the server's variable, else the published default.
std::string secret_from(const std::string& option, std::string_view variable) {
    if (!option.empty()) return option;
    const auto value = process_variables()(std::string(variable));
    return value && !value->empty() ? *value : std::string(supplied_in_development(variable));
}

Result<sandbox::Options> options_from(const Options& given) {
    sandbox::Options into;
    const auto listen = parse_listen(given.listen);
    if (!listen) return invalid(fmt::format("--listen {}: {}", given.listen, listen_rule));
    into.host = listen->host;
    into.port = listen->port;
    into.webhook_url = given.webhook_url;
    into.webhook_secret = secret_from(given.webhook_secret, sandbox_secret_variable);
    into.api_key = secret_from(given.api_key, sandbox_api_key_variable);
    into.seed = given.seed;
    const auto horizon = parse_duration(given.key_horizon);
    if (!horizon) return invalid("--key-horizon: " + horizon.error().message);
    const auto lag = parse_duration(given.search_lag);
    if (!lag) return invalid("--search-lag: " + lag.error().message);
    into.key_horizon = *horizon;
    into.search_lag = *lag;
    for (const std::string& text : given.faults) {
        const auto rate = sandbox::parse_fault_rate(text);
        if (!rate) return invalid("--fault: " + rate.error().message);
        into.faults.push_back(*rate);
    }
    return into;
}

std::string list_of_faults(const Terminal& out) {
    Table table({"fault", ">ARG", "effect"});
    for (const sandbox::FaultName& one : sandbox::fault_names()) {
        table.row({std::string(one.name), std::to_string(one.arg), std::string(one.what)});
    }
    return table.render(out);
}

int run(const Options& given, const Context& context) {
    if (given.list_faults) {
        context.out.print(list_of_faults(context.out));
        return exit_done;
    }
    const auto options = options_from(given);
    if (!options) return context.fail(options.error());
    const StopSignals signals;  // before any thread
    sandbox::Sandbox sandbox;
    if (auto started = sandbox.start(*options); !started) return context.fail(started.error());
    context.out.line(sandbox.url());
    signals.wait();
    signals.exit_at_second();
    sandbox.stop();
    return exit_done;
}

}  // namespace

void add_sandbox(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("sandbox", "a payment provider to test against");
    command->add_option("--listen", options->listen, "ADDRESS:PORT, IPv4 (127.0.0.1:8090)");
    command->add_option("--webhook-url", options->webhook_url,
                        "where webhooks go; \"\" for nowhere\n"
                        "(http://127.0.0.1:8080/webhooks/sandbox)");
    command->add_option("--webhook-secret", options->webhook_secret,
                        "secret that signs webhooks (PAWL_SANDBOX_SECRET, else the one of --dev)");
    command->add_option("--api-key", options->api_key,
                        "API key of its clients (PAWL_SANDBOX_API_KEY, else the one of --dev)");
    command->add_option("--key-horizon", options->key_horizon,
                        "lifetime of an idempotency key (24h)");
    command->add_option("--search-lag", options->search_lag,
                        "delay before a new payment can be searched (0s)");
    command
        ->add_option("--fault", options->faults,
                     "NAME=PERCENT[:ARG] of the requests; may be repeated")
        ->type_name("FAULT");
    command->add_option("--seed", options->seed, "random seed; reproduces the faults (1)");
    command->add_flag("--list-faults", options->list_faults, "print the faults, and exit");
    command->footer(
        "Speaks Stripe's PaymentIntents and refunds, and moves no money. Prints its address when\n"
        "it is ready; SIGTERM or SIGINT stops it. GET /sandbox/counts says what it charged.\n"
        "Example: pawl sandbox --fault timeout_after=10:15000 --fault webhook_repeated=20:3");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
