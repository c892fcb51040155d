#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <thread>

#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "app/database_checks.hpp"
#include "app/first_steps.hpp"
#include "app/off.hpp"
#include "app/recovering.hpp"
#include "app/running.hpp"
#include "app/shapes.hpp"
#include "app/wiring.hpp"
#include "app/wiring_workflows.hpp"
#include "base/log.hpp"
#include "db/inspect.hpp"
#include "intents/retention/partitions.hpp"
#include "settings/lint/lint.hpp"
#include "settings/signals.hpp"
#include "tools/program.hpp"

namespace pawl::app {
namespace {

struct Options {
    std::string roles = "receive,work,enqueue,admin";
    bool dev = false;
    bool migrate = false;
};

void start_log(const LogSettings& settings) {
    const bool terminal = isatty(STDERR_FILENO) == 1;
    log::start(settings.level,
               settings.format.value_or(terminal ? log::Format::text : log::Format::json));
}

// A request's body is freed when it is answered. Bodies of this size and above then return to the
// system at once, so that one burst does not keep the memory. A batch of usual deliveries stays
// below, and is kept: allocating it again for each batch would cost more than filling it.
void give_freed_memory_back() {
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    mallopt(M_TRIM_THRESHOLD, 4 * 1024 * 1024);
}

// At the end of the drain time clients are cut and calls are abandoned. Then the results of those
// calls are written, and the embedded database is shut down.
constexpr std::chrono::milliseconds statements_after_drain(1500);
constexpr std::chrono::seconds after_drain(3);

// For bugs in stopping: leases expire by themselves, and unanswered deliveries are redelivered.
void end_at_the_latest_after(Duration limit) {
    std::thread([limit] {
        std::this_thread::sleep_for(limit);
        log::error("draining took too long; unanswered deliveries will be redelivered");
        _exit(exit_unreachable);
    }).detach();
}

// Tokens that the operator chose in the environment, and those that `--dev` prints: valid for as
// long as this process lives.
struct Tokens {
    std::vector<access::StandingToken> standing;
    std::string dev_admin, dev_api;
};

Result<Tokens> tokens_of(const Settings& settings, const Options& options, const Roles& roles) {
    using access::TokenRole;
    Tokens tokens;
    for (const auto& [text, role] : {std::pair(settings.admin_token, TokenRole::operating),
                                     {settings.api_token, TokenRole::api}}) {
        if (text.empty()) continue;
        auto chosen = access::chosen_token({"environment", role}, text);
        if (!chosen) return chosen.error();
        tokens.standing.push_back(std::move(*chosen));
    }
    if (!options.dev) return tokens;
    SecureRng rng;
    const auto print_later = [&](TokenRole role, std::string& text) {
        text = access::new_token(rng);
        tokens.standing.push_back(access::standing_token({"dev", role}, text));
    };
    if (roles.admin) print_later(TokenRole::operating, tokens.dev_admin);
    if (roles.receive) print_later(TokenRole::api, tokens.dev_api);
    return tokens;
}

Result<void> prepare(const Settings& settings, const Options& options, const Database& database,
                     const Clock& clock) {
    if (auto durable = require_durable(database); !durable) return durable;
    const bool may_migrate = options.migrate || database.embedded();
    if (auto ready = bring_schema(database, may_migrate); !ready) return ready;
    report_login(database);
    report_chain(database);
    db::Session session(database.as_runtime());
    intents::make_partitions(session, clock.now());
    if (auto whole = check_secrets_of_stored(settings, session); !whole) return whole;
    if (auto same = check_shapes_of_posted(settings, session); !same) return same;
    if (auto bound = check_mode(settings, session, intents::ModeChange::allowed); !bound) {
        return bound;
    }
    database.name_in_heads(session);
    return refuse_lost_commits(session);
}

void log_serving(const Settings& settings, const Roles& roles, const Database& database) {
    const std::string none = "not served by this process";
    const ServerSettings& server = settings.server;
    log::info("server started",
              {{"public", roles.serves_public() ? to_text(server.listen) : none},
               {"admin", roles.serves_admin() ? to_text(server.admin_listen) : none},
               {"version", version},
               {"mode", to_text(server.mode)},
               {"database", database.described()}});
}

// The table of locks belongs to all users of the server: a batch takes no more than its share.
void bound_batches(Settings& settings, const Database& database) {
    db::Session session(database.as_runtime());
    const std::int64_t locks = db::lock_table_size(db::durability(session));
    settings.receive.locks_max = locks_of_a_batch(locks, settings.receive);
    const Check check = check_locks(locks, settings);
    if (check.health == Health::good) return;
    log::warn("lock table may be too small for deliveries of many items",
              {{"locks", check.detail}, {"remedy", check.remedy}});
}

int serve_until_signal(const Settings& settings, const Options& options, const Roles& roles,
                       const Database& database, std::vector<providers::Provider> providers,
                       workflows::Gateways gateways, const Tokens& tokens, const Context& context,
                       const StopSignals& signals) {
    const SystemClock clock;
    Server server(settings, roles, database.as_runtime(), providers, std::move(gateways),
                  tokens.standing, *database.timer(), clock);
    if (auto started = server.start(); !started) return context.fail(started.error());
    log_serving(settings, roles, database);
    const StateFile state(settings);
    if (options.dev) {
        print_first_steps(
            {settings, roles, providers, tokens.dev_admin, tokens.dev_api, clock, context.out});
    }
    const int signal = signals.wait();
    signals.exit_at_second();
    log::info("stop requested; a second signal ends at once", {{"signal", signal}});
    const Duration drain = settings.server.drain_timeout;
    end_at_the_latest_after(drain + after_drain);
    const auto until = std::chrono::steady_clock::now() + drain + statements_after_drain;
    database.end_statements_at(std::chrono::time_point_cast<std::chrono::nanoseconds>(until));
    server.stop(drain);
    log::info("server stopped");
    return exit_done;
}

int run(const Options& options, const Context& context) {
    const auto roles = parse_roles(options.roles);
    if (!roles) return context.fail(roles.error());
    LoadOptions load_options;
    load_options.dev = options.dev;
    auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    // A rule that can lose money must not meet an event: an error of `pawl lint` ends the start.
    if (const Findings unwise = lint(*settings); has_errors(unwise)) {
        context.err.print(error_lines(unwise));
        return exit_wrong;
    }
    if (auto free = check_ports_free(*settings, *roles); !free) return context.fail(free.error());
    start_log(settings->log);
    give_freed_memory_back();
    log_off(*settings);
    auto providers = compile_providers(*settings);
    if (!providers) return context.fail(providers.error());
    auto gateways = make_gateways(*settings);
    if (!gateways) return context.fail(gateways.error());
    const auto tokens = tokens_of(*settings, options, *roles);
    if (!tokens) return context.fail(tokens.error());

    const StopSignals signals;  // before any thread
    const SystemClock clock;
    auto database = Database::start(*settings, clock);
    if (!database) return context.fail(database.error());
    try {
        if (auto ready = prepare(*settings, options, *database, clock); !ready) {
            return context.fail(ready.error());
        }
        database->watch_losses();
        bound_batches(*settings, *database);
        return serve_until_signal(*settings, options, *roles, *database, std::move(*providers),
                                  std::move(*gateways), *tokens, context, signals);
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("serve", "run the server");
    command
        ->add_option(
            "--roles", options->roles,
            "parts that this process runs: receive (webhooks and the API for shops), work\n"
            "(workflows and jobs), enqueue (staged jobs), admin (the API for operators);\n"
            "default: all four")
        ->type_name("LIST");
    command->add_flag("--dev", options->dev,
                      "accept the shipped demo secrets, on a loopback address only; make and print "
                      "tokens;\nserve test mode, unless PAWL_MODE=live");
    command->add_flag("--migrate", options->migrate,
                      "apply pending migrations first (always done for an embedded database)");
    command->footer(
        "SIGTERM or SIGINT drains and stops; a second one ends at once. The configuration is read\n"
        "at the start only: SIGHUP is ignored, a change takes a restart.\n"
        "Without PAWL_DATABASE_URL it runs a PostgreSQL of its own below PAWL_DATA_DIR (.pawl).\n"
        "Example: PAWL_LISTEN=0.0.0.0:8080 PAWL_DATABASE_URL=postgresql://pawl@db/pawl pawl serve");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
