#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/inspect/delivery.hpp"
#include "app/inspect/verdict.hpp"

namespace pawl::app {
namespace {

struct Options {
    DescribedDelivery delivery;
    std::vector<std::string> fetched;
};

// The faults of this one provider; those of other providers are ignored.
Result<providers::ProviderConfig> config_of(const ProviderFile& file, const Findings& findings) {
    std::string sentences;
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::error || finding.place.file != file.file) continue;
        sentences += (sentences.empty() ? "" : "\npawl: ") + sentence(finding);
    }
    if (!sentences.empty()) return invalid(sentences);
    if (!file.on) {
        return invalid(
            fmt::format("provider \"{}\" is off: {}", file.config.name, file.off_because));
    }
    return file.config;
}

Result<providers::ProviderConfig> find_provider(const std::string& name, const Loaded& loaded) {
    std::string names;
    for (const ProviderFile& file : loaded.settings.providers) {
        if (file.config.name == name) return config_of(file, loaded.findings);
        names += (names.empty() ? "" : ", ") + file.config.name;
    }
    if (names.empty()) return invalid("there are no provider files; --config says where they are");
    return invalid(fmt::format("unknown provider \"{}\"; configured: {}", name, names));
}

// Reads the event as a server of the event's own mode would, where the served mode ignores or
// refuses it; the note names which.
void read_in_its_own_mode(providers::ProviderConfig config, const providers::Delivery& delivery,
                          providers::Received& received) {
    config.mode = config.mode == Mode::live ? Mode::test : Mode::live;
    const auto provider = providers::Provider::create(std::move(config));
    if (!provider) return;
    auto own = provider->receive(delivery).events;
    for (std::size_t i = 0; i < own.size() && i < received.events.size(); ++i) {
        providers::Event& event = received.events[i];
        const std::string note = event.quarantine == "live_mode" ? "live_mode" : event.note;
        if (note.empty()) continue;
        event = std::move(own[i]);
        event.note = note;
    }
}

int run(const Options& options, const Context& context) {
    LoadOptions load_options;
    load_options.folder = context.config_folder;
    // Documented examples are signed with documented secrets, and nothing can be gained here.
    load_options.demo_secrets = true;
    load_options.accept_well_known = true;
    const Loaded loaded = load(load_options);
    const auto config = find_provider(options.delivery.provider, loaded);
    if (!config) return context.fail(invalid(config.error().message));
    const auto provider = providers::Provider::create(*config);
    if (!provider) return context.fail(invalid(provider.error().message));
    const SystemClock clock;
    const auto delivery = read_delivery(options.delivery, clock.now());
    if (!delivery) return context.fail(delivery.error());
    for (const std::string& text : options.fetched) {
        const auto fetched = read_fetched(text);
        if (!fetched) return context.fail(fetched.error());
        context.err.line(fmt::format("pawl: provider \"{}\" fetches nothing; {} was not needed",
                                     provider->name(), fetched->first));
    }
    providers::Received received = provider->receive(*delivery);
    read_in_its_own_mode(*config, *delivery, received);
    context.out.line(verdict_json(*provider, *delivery, received));
    return received.verdict == providers::Verdict::refused ? exit_no : exit_done;
}

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    DescribedDelivery& delivery = options->delivery;
    CLI::App* command = app.add_subcommand(
        "inspect",
        "verify a captured delivery offline, and show the event that Pawl reads from it");
    command->add_option("--provider", delivery.provider, "the provider that sent it")->required();
    command->add_option("--header", delivery.headers, "one header line; repeat it for each")
        ->type_name("'K: V'")
        ->allow_extra_args(false);
    command
        ->add_option("--body", delivery.body, "the raw body, byte for byte; - for standard input")
        ->type_name("FILE")
        ->required();
    command->add_option("--method", delivery.method, "its method (POST)");
    command->add_option("--url", delivery.url, "its URL or path (/webhooks/PROVIDER)");
    command->add_option("--at", delivery.at, "time of arrival, for the age check (now)")
        ->type_name("RFC3339");
    command
        ->add_option("--fetched", options->fetched,
                     "answer of the provider's URL, for checks that fetch; repeatable")
        ->type_name("URL=FILE")
        ->allow_extra_args(false);
    command->footer(
        "Touches neither network nor database. Exit code 0: authentic, 1: not.\n"
        "Example: printf "
        "'{\"id\":\"evt_1\",\"type\":\"payment.captured\",\"payment_id\":\"pi_1\",\n"
        "  \"account\":\"user:1\",\"amount\":5000,\"currency\":\"USD\",\"sequence\":1}' |\n"
        "  pawl inspect --provider demo --body - --at 2026-01-01T00:00:00Z \\\n"
        "    --header 'webhook-id: evt_1' --header 'webhook-timestamp: 1767225600' \\\n"
        "    --header 'webhook-signature: v1,oHm88dhj2JyP5mt9k5Tg8PjATw1szSQ9lEkE9/T9KDM='");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
