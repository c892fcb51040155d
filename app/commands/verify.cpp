#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "intents/verify.hpp"

namespace pawl::app {
namespace {

void print(const std::vector<intents::Invariant>& invariants, const Terminal& out) {
    for (const intents::Invariant& one : invariants) {
        const bool good = one.breaches.empty();
        const char* bad = one.for_attention ? "LOOK  " : "BROKEN";
        out.line((good ? out.paint(Colour::green, "holds ") : out.paint(Colour::red, bad)) + "  " +
                 one.says);
        for (const intents::Breach& breach : one.breaches) {
            out.line(fmt::format("          {}: {}", breach.subject, breach.what));
        }
        if (static_cast<int>(one.breaches.size()) == intents::breaches_max) {
            out.line("          (and perhaps more: the list ends here)");
        }
    }
}

struct Options {
    bool as_json = false;
    bool deep = false;
};

int run(const Options& options, const Context& context) {
    LoadOptions load_options;
    load_options.with_providers = false;
    load_options.beside_server = true;
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    const SystemClock clock;
    const auto database = Database::use(*settings, clock, "verify");
    if (!database) return context.fail(database.error());
    try {
        db::SessionOptions session_options = database->as_reader();
        // The whole journal is read.
        session_options.statement_timeout = std::chrono::milliseconds(0);
        db::Session session(session_options);
        const auto invariants = intents::verify(
            session, options.deep ? intents::Depth::deep : intents::Depth::constraints);
        if (options.as_json) {
            context.out.line(intents::to_json(invariants));
        } else {
            print(invariants, context.out);
        }
        return intents::holds(invariants) ? exit_done : exit_no;
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("verify", "prove the books: every invariant, in one snapshot");
    command->add_flag("--json", options->as_json, "one JSON object instead of lines");
    command->add_flag("--deep", options->deep,
                      "read the rows also where a valid constraint proves an invariant");
    command->footer(
        "Exit code 1 where an invariant is broken, with the rows that break it.\n"
        "Example: pawl verify --json");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
