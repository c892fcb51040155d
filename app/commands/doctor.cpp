#include "app/doctor.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/commands.hpp"
#include "base/json.hpp"

namespace pawl::app {
namespace {

struct Options {
    bool json = false;
    bool dev = false;
};

Cell verdict(Health health) {
    switch (health) {
        case Health::good:
            return {"good", Colour::green};
        case Health::doubtful:
            return {"look", Colour::yellow};
        case Health::bad:
            return {"bad", Colour::red};
        case Health::wrong:
            return {"none", Colour::red};
        case Health::unreachable:
            return {"away", Colour::red};
    }
    return {"bad", Colour::red};
}

void print_json(const Checks& checks, const Terminal& out) {
    json::Writer writer;
    writer.begin_object().key("checks").begin_array();
    for (const Check& check : checks) {
        writer.begin_object()
            .member("name", check.name)
            .member("verdict", verdict(check.health).text)
            .member("detail", check.detail)
            .member("remedy", check.remedy)
            .end_object();
    }
    writer.end_array().end_object();
    out.line(writer.take());
}

int run(const Options& options, const Context& context) {
    LoadOptions load_options;
    load_options.folder = context.config_folder;
    load_options.dev = options.dev;
    const auto beside = context.beside_server(std::move(load_options));
    if (!beside) return exit_wrong;
    const Loaded loaded = load(beside->options);
    Checks checks = check_surroundings(loaded, beside->server ? beside->server->pid : 0);
    if (context.database_probe) {
        const Checks more = context.database_probe(loaded.settings);
        checks.insert(checks.end(), more.begin(), more.end());
    }
    if (options.json) {
        print_json(checks, context.out);
    } else {
        Table table({"", "what", "found", "to do"});
        for (const Check& check : checks) {
            table.row({verdict(check.health), check.name, check.detail, check.remedy});
        }
        context.out.print(table.render(context.out));
    }
    return loaded.ok() ? exit_of(checks) : int{exit_wrong};
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("doctor", "check the environment: ports, disk, clock, database");
    command->add_flag("--json", options->json, "one JSON object instead of a table");
    command->add_flag("--dev", options->dev, "accept the shipped demo secrets, as `serve --dev`");
    command->footer(
        "Exit code 1 where something is bad, 2 for a wrong configuration, 3 where the database\n"
        "could not be reached.\n"
        "Example: PAWL_DATABASE_URL=postgresql://pawl@db/pawl pawl doctor");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
