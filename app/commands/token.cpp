#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "access/tokens.hpp"
#include "app/commands/commands.hpp"
#include "app/database.hpp"

namespace pawl::app {
namespace {

struct Options {
    std::string principal;
    std::string role = "viewer";
    std::string lifetime;
    std::string reason = "none given";
    std::int64_t id = 0;
};
using Action = int (*)(db::Session&, const Options&, const Context&);

access::TokenChange by(const Options& options) {
    return {terminal_principal(), options.reason};
}

int create(db::Session& session, const Options& options, const Context& context) {
    const auto role = access::parse_role(options.role);
    if (!role) return context.fail(role.error());
    access::NewToken wanted{options.principal, *role, std::nullopt};
    if (!options.lifetime.empty()) {
        const auto lifetime = parse_duration(options.lifetime);
        if (!lifetime) return context.fail(invalid("lifetime: " + lifetime.error().message));
        wanted.lifetime = *lifetime;
    }
    SecureRng rng;
    const auto token = access::create_token(session, wanted, by(options), rng);
    if (!token) return context.fail(token.error());
    context.err.line(
        fmt::format("a token of {} ({}); it is shown this once:", options.principal, options.role));
    context.out.line(*token);
    return exit_done;
}

int list(db::Session& session, const Options&, const Context& context) {
    Table table({">id", "principal", "role", "begins", "created", "expires", "revoked"});
    for (const access::TokenRow& row : access::list_tokens(session)) {
        table.row({std::to_string(row.id), row.principal, row.role, row.hint, row.created_at,
                   row.expires_at.value_or("never"), row.revoked_at.value_or("")});
    }
    context.out.print(table.render(context.out));
    return exit_done;
}

int revoke(db::Session& session, const Options& options, const Context& context) {
    if (!access::revoke_token(session, options.id, by(options))) {
        return context.fail(refused(fmt::format(
            "token {}: not found or revoked; `pawl token list` shows them", options.id)));
    }
    context.out.line("revoked; servers refuse it within five seconds");
    return exit_done;
}

constexpr const char* insufficient_privilege = "42501";

int run(Action action, const Options& options, const Context& context) {
    if (options.reason.find_first_not_of(" \t") == std::string::npos) {
        return context.fail(invalid("--reason: empty; write the reason, for the audit log"));
    }
    LoadOptions load_options;
    load_options.with_providers = false;
    load_options.beside_server = true;
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    const SystemClock clock;
    const auto database = Database::use(*settings, clock, "token");
    if (!database) return context.fail(database.error());
    try {
        // As the owner: the server's role can make no token, and revoke none.
        db::SessionOptions as_owner = database->as_owner();
        as_owner.role = "pawl_owner";
        as_owner.chain = database->as_runtime().chain;  // each change writes an audit row
        db::Session session(as_owner);
        return action(session, options, context);
    } catch (const db::Failure& failure) {
        if (failure.sqlstate == insufficient_privilege) {
            return context.fail(invalid(fmt::format(
                "tokens belong to pawl_owner: {}; name the login that runs the migrations in "
                "PAWL_DATABASE_URL",
                explained(failure).message)));
        }
        return context.fail(explained(failure));
    }
}

}  // namespace

void add_token(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("token", "make, list and revoke API and admin tokens");
    command->require_subcommand(1);
    const auto add = [&](const char* name, const char* about, Action action) {
        CLI::App* sub = command->add_subcommand(name, about);
        sub->callback([&context, options, action] {
            context.run = [&context, options, action] { return run(action, *options, context); };
        });
        return sub;
    };
    CLI::App* made = add("create", "make a token, and show it once", create);
    made->add_option("--principal", options->principal, "principal of the token; outlives it")
        ->required();
    made->add_option("--role", options->role, "api, viewer (default) or operator");
    made->add_option("--lifetime", options->lifetime, "such as 90d; default: until it is revoked");
    made->add_option("--reason", options->reason, "for the audit log");
    made->footer("Example: pawl token create --principal shop --role api --lifetime 90d");
    add("list", "show every token's owner and dates, never the token", list)
        ->footer("Example: pawl token list");
    CLI::App* gone = add("revoke", "refuse a token from now on", revoke);
    gone->add_option("id", options->id, "the number `pawl token list` shows")->required();
    gone->add_option("--reason", options->reason, "for the audit log");
    gone->footer("Example: pawl token revoke 3");
    command->footer("Example: pawl token create --principal ana --role operator");
}

}  // namespace pawl::app
