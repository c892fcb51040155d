#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/commands/commands.hpp"
#include "base/rng.hpp"
#include "tools/send/report.hpp"
#include "tools/send/sender.hpp"

namespace pawl::app {
namespace {

struct Options {
    std::string provider;
    PlanOptions plan;
    SenderOptions sender;
    std::optional<std::uint64_t> seed;
    std::string url;
    std::string retry_for = "5s";
    bool hot = false;
    bool json = false;
    bool live = false;
};

Result<Target> target_of(const Options& options, const Settings& settings) {
    auto target = parse_target(options.url.empty() ? url_of(settings.server.listen) : options.url);
    if (target && target->path == "/") target->path = "/webhooks/" + options.provider;
    return target;
}

Result<providers::Provider> provider_of(const Options& options, const Settings& settings) {
    std::string names;
    for (const ProviderFile& file : settings.providers) {
        if (file.config.name != options.provider) {
            names += (names.empty() ? "" : ", ") + file.config.name;
            continue;
        }
        if (!file.on) {
            return invalid(
                fmt::format("provider \"{}\" is off: {}", options.provider, file.off_because));
        }
        return providers::Provider::create(file.config);
    }
    return invalid(fmt::format("unknown provider \"{}\"; configured: {}", options.provider, names));
}

// The deliveries that the run posts, in order.
Sender::Next deliveries_of(const Plan& plan, const PaymentOptions& payments,
                           const Wording& wording) {
    return [&plan, payments, wording,
            position = std::size_t{0}]() mutable -> std::optional<providers::Outgoing> {
        if (position == plan.size()) return std::nullopt;
        const Payment payment = make_payment(payments, plan.number_at(position++));
        return providers::Outgoing{payment.event_id, wording(payment), {}};
    };
}

int finish(RunReport& report, const Options& options, const Context& context) {
    if (!report.tally.reached) {
        return context.fail(unreachable(fmt::format(
            "cannot connect to {}; is `pawl serve` running there? --url names another target",
            report.url)));
    }
    if (options.json) {
        context.out.line(as_json(report));
    } else {
        context.out.print(as_table(report, context.out));
    }
    return report.complete() ? exit_done : exit_no;
}

Result<void> complete(Options& options) {
    // Short enough to be typed again.
    if (!options.seed) options.seed = SecureRng().below(1'000'000'000);
    options.plan.payments.seed = *options.seed;
    if (options.hot) options.plan.payments.accounts = 1;
    options.sender.connections = std::min(options.sender.connections, options.plan.count);
    const auto retry_for = parse_duration(options.retry_for);
    if (!retry_for) return retry_for.error();
    options.sender.retry_for = *retry_for;
    return {};
}

int post_all(const Options& options, const providers::Provider& provider, const Target& target,
             Wording wording, const Context& context) {
    const SystemClock clock;
    const Requests requests(provider, target);
    const Payment sample = make_payment(options.plan.payments, 0);
    const auto fits = requests.try_out({sample.event_id, wording(sample), clock.now()});
    if (!fits) return context.fail(fits.error());
    auto addresses = look_up(target);
    if (!addresses) return context.fail(addresses.error());

    const Plan plan(options.plan);
    Sender sender(options.sender, std::move(*addresses), requests,
                  deliveries_of(plan, options.plan.payments, wording), clock);
    Progress progress(context.err, "sent", plan.size());
    Tally tally = sender.run([&](const Tally& so_far) { progress.update(so_far.answered()); });
    progress.finish();
    RunReport report{options.provider,           target.url(), *options.seed,
                     options.sender.connections, plan,         std::move(tally)};
    return finish(report, options, context);
}

// The payments are made up: they do not belong into books of live money.
// `own` is the mode of this command's own configuration and environment.
Result<void> check_mode_of(const std::optional<RunningServer>& server, Mode own,
                           const Options& options, const Target& target) {
    if (options.live) return {};
    const bool dev = server && server->dev;
    if (dev || (server ? server->mode : own) == Mode::test) return {};
    if (!server) {
        return invalid(fmt::format(
            "the mode of the server at {} is unknown, and in live mode it would post these "
            "payments, which are made up, as live money; set PAWL_MODE=test if it serves test "
            "mode, or add --live",
            target.authority()));
    }
    return invalid(
        fmt::format("the server at {} serves live mode and would post these payments, which are "
                    "made up, as live money; send to one of test mode, such as `pawl serve --dev`, "
                    "or add --live",
                    target.authority()));
}

int run(Options options, const Context& context) {
    if (auto right = complete(options); !right) return context.fail(right.error());
    LoadOptions load_options;
    load_options.folder = context.config_folder;
    load_options.demo_secrets =
        true;  // the demo's secret is for this; whether it is accepted is the server's
    std::optional<RunningServer> server;
    if (options.url.empty() && load_options.variables("PAWL_LISTEN").value_or("").empty()) {
        auto beside = context.beside_server(std::move(load_options));
        if (!beside) return exit_wrong;
        load_options = std::move(beside->options);
        server = std::move(beside->server);
    }
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    const auto provider = provider_of(options, *settings);
    if (!provider) return context.fail(provider.error());
    const auto wording = wording_for(provider->config());
    if (!wording) return context.fail(wording.error());
    const auto target = target_of(options, *settings);
    if (!target) return context.fail(target.error());
    if (auto right = check_mode_of(server, settings->server.mode, options, *target); !right) {
        return context.fail(right.error());
    }
    return post_all(options, *provider, *target, *wording, context);
}

void describe_what(CLI::App& command, Options& options) {
    command.add_option("PROVIDER", options.provider, "demo, stripe, or another of these schemes")
        ->required();
    command.add_option("--count", options.plan.count, "deliveries in all (100)")
        ->check(CLI::Range(1, 50'000'000));
    command.add_option("--accounts", options.plan.payments.accounts, "accounts credited (10)")
        ->check(CLI::Range(1, 10'000'000));
    command
        .add_option("--duplicates", options.plan.duplicates,
                    "percent of the deliveries that repeat an earlier one (0)")
        ->check(CLI::Range(0, 100))
        ->type_name("PCT");
    command.add_flag("--shuffle", options.plan.shuffle, "shuffled instead of by number");
    command.add_flag("--hot", options.hot, "everything to one account");
    command.add_option("--seed", options.seed,
                       "random seed; reproduces the deliveries (default: a new one, printed)");
}

void describe_how(CLI::App& command, Options& options) {
    command.add_option("--rate", options.sender.per_second, "deliveries a second (default: all)")
        ->check(CLI::PositiveNumber);
    command.add_option("--concurrency", options.sender.connections, "connections kept open (16)")
        ->check(CLI::Range(1, 10'000));
    command
        .add_option("--retry-for", options.retry_for,
                    "time limit for retries after 503 or a lost connection (5s)")
        ->type_name("DURATION");
    command.add_option("--url", options.url,
                       "http://HOST:PORT[/PATH]; no TLS (default: where the server listens)");
    command.add_flag("--live", options.live,
                     "also to a server of live or unknown mode; live mode posts these payments as "
                     "live money");
    command.add_flag("--json", options.json, "one JSON object, with the balances to expect");
}

}  // namespace

void add_send(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("send", "make, sign and post test deliveries");
    describe_what(*command, *options);
    describe_how(*command, *options);
    command->footer(
        "Signed with the first of the provider's secrets. Latency is from the post to the answer;\n"
        "with --rate from the moment it was due. Exit code 1 where one was not acknowledged.\n"
        "With --url or PAWL_LISTEN the server's mode is unknown: PAWL_MODE=test states it.\n"
        "Example: pawl send demo --count 10000 --duplicates 30 --shuffle --seed 7");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
