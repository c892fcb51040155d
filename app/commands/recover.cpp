#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "access/recovery.hpp"
#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "intents/verify/loss_watch.hpp"

namespace pawl::app {
namespace {

struct Options {
    bool end = false;
    std::string reason;
};

std::string period_of(const access::Recovery& recovery) {
    const std::string from =
        recovery.recorded_to ? to_rfc3339(*recovery.recorded_to) : "the first commit";
    return fmt::format("{} to {}", from, to_rfc3339(recovery.began_at));
}

int begin(db::Session& session, const Options& options, const Context& context) {
    const auto lost = intents::uncovered_losses(session);
    const std::string found = intents::described(lost);
    const std::string reason = !options.reason.empty() ? options.reason
                               : found.empty()         ? "begun by an operator"
                                               : "commits are missing that were recorded here";
    const auto begun = intents::recovery_from(lost, terminal_principal(), reason);
    const bool is_new = access::begin_recovery(session, begun);
    const auto recovery = access::last_recovery(session);
    context.out.line(is_new ? "recovery is on" : "recovery was on, and is restarted");
    context.out.line(found.empty() ? "missing     no commit that was recorded on this machine"
                                   : "missing     " + found);
    context.out.line("period      " + period_of(*recovery));
    context.out.line(
        "from now on every server asks the gateway about a call and its order before it sends it");
    context.out.line(
        "next        start `pawl serve`; have the provider deliver the events of the period "
        "again;\n"
        "            then pawl recover --end --reason TEXT (docs/recovery.md)");
    return exit_done;
}

int end(db::Session& session, const Options& options, const Context& context) {
    const auto recovery = access::last_recovery(session);
    const bool on = recovery && recovery->is_on();
    if (!on || !access::end_recovery(session, terminal_principal(), options.reason)) {
        return context.fail(refused("recovery: none is on; nothing was changed"));
    }
    context.out.line("recovery has ended");
    context.out.line("not fetched the events of " + period_of(*recovery));
    context.out.line(
        "            this version has no `pawl backfill`: unless that is done, have them "
        "delivered\n"
        "            again from each provider's dashboard");
    context.out.line(
        "still asked calls of the orders that were made before now, once each; an order that was "
        "lost\n"
        "            and is made again from now on is not");
    return exit_done;
}

int run(const Options& options, const Context& context) {
    LoadOptions load_options;
    load_options.with_providers = false;
    load_options.beside_server = true;
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    const SystemClock clock;
    const auto database = Database::use(*settings, clock, "recover");
    if (!database) return context.fail(database.error());
    try {
        db::Session session(database->as_runtime());
        return options.end ? end(session, options, context) : begin(session, options, context);
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

CLI::Validator not_blank() {
    return CLI::Validator(
        [](const std::string& text) {
            const bool blank = text.find_first_not_of(" \t") == std::string::npos;
            return std::string(blank ? "empty; write the reason" : "");
        },
        "");
}

}  // namespace

void add_recover(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "recover", "begin or end a recovery, after a restore or a failover that lost commits");
    CLI::Option* reason =
        command->add_option("--reason", options->reason, "for the audit log; required by --end")
            ->type_name("TEXT")
            ->check(not_blank());
    command->add_flag("--end", options->end, "end the recovery that is on")->needs(reason);
    command->footer(
        "During a recovery webhooks are received and posted, and no call to a payment API is sent\n"
        "before the gateway has been asked about its key and its order. It lasts until --end.\n"
        "Exit code 1: --end, and none is on.\n"
        "Example: pawl recover --end --reason 'events of 10:00 to 10:20 were delivered again'");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
