#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "db/migrate.hpp"

namespace pawl::app {
namespace {

const char* words(db::MigrationState state) {
    switch (state) {
        case db::MigrationState::applied:
            return "applied";
        case db::MigrationState::pending:
            return "pending";
        case db::MigrationState::edited:
            return "edited after it was applied";
        case db::MigrationState::unknown:
            return "not known to this program";
    }
    return "";
}

int up(db::Session& session, const Context& context) {
    const auto applied = db::migrate_up(session, db::embedded());
    if (!applied) return context.fail(invalid(applied.error().message));
    for (const std::string& name : *applied) context.out.line("applied " + name);
    if (applied->empty()) context.out.line("the schema is up to date");
    return exit_done;
}

int status(db::Session& session, const Context& context) {
    Table table({"migration", "state", "applied at"});
    for (const db::MigrationStatus& one : db::status(session, db::embedded())) {
        const bool good = one.state == db::MigrationState::applied;
        table.row({one.name, Cell(words(one.state), good ? Colour::green : Colour::yellow),
                   one.applied_at.value_or("")});
    }
    context.out.print(table.render(context.out));
    return exit_done;
}

int check(db::Session& session, const Context& context) {
    const auto checked = db::check(session, db::embedded());
    if (!checked) return context.fail(checked.error());
    context.out.line("the schema matches this program");
    return exit_done;
}

int run(const std::string& action, const Context& context) {
    LoadOptions options;
    options.beside_server = true;
    options.with_providers = false;
    const auto settings = context.settings(options);
    if (!settings) return exit_wrong;
    const SystemClock clock;
    const auto database =
        Database::use(*settings, clock, "migrate", {.migrated = false, .create = action == "up"});
    if (!database) return context.fail(database.error());
    try {
        db::Session session(database->as_owner());
        if (action == "status") return status(session, context);
        if (action == "check") return check(session, context);
        if (action == "sql") {
            const auto script = db::as_psql_script(session, db::embedded());
            if (!script) return context.fail(invalid(script.error().message));
            context.out.print(*script);
            return exit_done;
        }
        return up(session, context);
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

}  // namespace

void add_migrate(CLI::App& app, Context& context) {
    const auto action = std::make_shared<std::string>("up");
    CLI::App* command =
        app.add_subcommand("migrate", "bring the database to this program's schema");
    command
        ->add_option(
            "action", *action,
            "up: apply what is pending (default); status: a table; check: exit 1 where the\n"
            "schema is behind, ahead, edited or unreleased; sql: what is pending, for psql")
        ->check(CLI::IsMember({"up", "status", "check", "sql"}));
    command->footer(
        "Two at once are safe: the second waits for the first.\n"
        "Example: PAWL_DATABASE_URL=postgresql://owner@db/pawl pawl migrate check");
    command->callback(
        [&context, action] { context.run = [&context, action] { return run(*action, context); }; });
}

}  // namespace pawl::app
