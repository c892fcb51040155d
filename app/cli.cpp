#include "app/cli.hpp"

#include <fmt/core.h>
#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <optional>
#include <regex>

#include "app/commands/commands.hpp"
#include "app/database_checks.hpp"
#include "app/running.hpp"
#include "app/shapes.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "settings/suggest.hpp"

namespace pawl::app {
namespace {

constexpr const char* footer =
    "Exit codes: 0 done, 1 negative result, 2 wrong usage or configuration,\n"
    "            3 the database or network could not be reached.\n"
    "Start here: pawl serve --dev";

// In the order in which a newcomer needs them.
void add_commands(CLI::App& app, Context& context) {
    for (const auto add : commands) add(app, context);
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

const CLI::App& chosen(const CLI::App& app) {
    const auto picked = app.get_subcommands();
    return picked.empty() ? app : chosen(*picked.front());
}

std::string full_name(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

// "--rate: Value -1 not in range 0 to 1000", in newer versions "[0 - 1000]": the option, the value,
// and what it takes.
std::optional<std::string> out_of_range(const std::string& said) {
    static const std::regex form(
        "^(.*): Value (.*) not in range \\[?([^ ]+) (?:to|-) ([^ \\]]+)\\]?$");
    std::smatch parts;
    if (!std::regex_match(said, parts, form)) return std::nullopt;
    constexpr double unbounded = 1e15;  // the largest double is above it
    const std::string least = parts[3], most = parts[4];
    // The smallest double, which std::stod refuses in its shortest form.
    const bool positive =
        least.find('.') != std::string::npos && std::strtod(least.c_str(), nullptr) < 1;
    const std::string takes = std::strtod(most.c_str(), nullptr) < unbounded
                                  ? fmt::format("a number from {} to {}", least, most)
                              : positive ? std::string("a number above 0")
                                         : fmt::format("a number of at least {}", least);
    return fmt::format("{}: invalid (\"{}\"); write {}", parts[1].str(), parts[2].str(), takes);
}

// "action: down not in {up,status,check}"
std::optional<std::string> not_a_word(const std::string& said) {
    static const std::regex form("^(.*): (.*) not in \\{(.*)\\}$");
    std::smatch parts;
    if (!std::regex_match(said, parts, form)) return std::nullopt;
    return fmt::format("{}: unknown (\"{}\"); write one of {}", parts[1].str(), parts[2].str(),
                       join(split(parts[3].str(), ",")));
}

// The parser's own sentence, except about a value: "Could not convert: id = abc".
std::string message_of(const CLI::ParseError& error) {
    constexpr std::string_view converting = "Could not convert: ";
    const std::string said = error.what();
    if (auto range = out_of_range(said)) return *range;
    if (auto word = not_a_word(said)) return *word;
    const std::size_t equals = said.find(" = ");
    if (!said.starts_with(converting) || equals == std::string::npos) return said;
    return fmt::format("{}: invalid (\"{}\"); write a number",
                       said.substr(converting.size(), equals - converting.size()),
                       said.substr(equals + 3));
}

// The unknown argument, and the command it probably meant.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& command = chosen(app);
    const std::string see = fmt::format("see `{} --help`", full_name(command));
    const auto extras = app.remaining(true);
    if (extras.empty()) return fmt::format("{}; {}", message_of(error), see);
    const std::string& word = extras.front();
    const bool option = word.starts_with("-");
    const auto names = option ? option_names(command) : command_names(command);
    const std::string near = nearest(word.substr(0, word.find('=')), names);
    const std::string what = option ? "unknown option" : "unknown argument";
    return fmt::format("`{}`: {} \"{}\"; {}", full_name(command), what, word,
                       near.empty() ? see : fmt::format("did you mean \"{}\"?", near));
}

// Names and texts go into the database and onto the screen. `inspect` alone takes a sender's bytes
// as they are.
Result<void> check_text(const CLI::App& command, int argc, const char* const* argv) {
    if (command.get_name() == "inspect") return {};
    for (int i = 1; i < argc; ++i) {
        if (json::is_utf8(argv[i])) continue;
        return invalid(
            fmt::format("argument {} (\"{}\") is not UTF-8 text; write it in UTF-8", i, argv[i]));
    }
    return {};
}

}  // namespace

std::string terminal_principal() {
    const passwd* const entry = ::getpwuid(::getuid());
    return "terminal:" + (entry != nullptr ? entry->pw_name : std::to_string(::getuid()));
}

int Context::fail(const Error& error) const {
    err.line(err.paint(Colour::red, "pawl: ") + error.message);
    return exit_code(error.kind);
}

std::optional<Context::Beside> Context::beside_server(LoadOptions options) const {
    const auto server = find_running(options);
    if (!server) return fail(server.error()), std::nullopt;
    if (!*server) return Beside{std::move(options)};
    if ((*server)->found_elsewhere) {
        err.line(fmt::format("pawl: using the server at {} (pid {}, data directory {})",
                             to_text((*server)->listen), (*server)->pid, (*server)->data_dir));
    }
    return Beside{joined(std::move(options), **server), **server};
}

std::optional<Settings> Context::settings(LoadOptions options) const {
    if (options.folder.empty()) options.folder = config_folder;
    if (options.beside_server) {
        auto beside = beside_server(std::move(options));
        if (!beside) return std::nullopt;
        options = std::move(beside->options);
    }
    Loaded loaded = load(options);
    if (loaded.ok()) return std::move(loaded.settings);
    err.print(error_lines(loaded.findings));
    return std::nullopt;
}

int run_cli(int argc, const char* const* argv, Context& context) {
    CLI::App app{"Pawl receives payment webhooks and posts each one's money exactly once.", "pawl"};
    app.set_version_flag("--version", "pawl " PAWL_VERSION "\nbuilt with " PAWL_LIBRARIES);
    app.add_option("--config", context.config_folder,
                   "the configuration directory (default: PAWL_CONFIG, ./config, /etc/pawl)")
        ->type_name("DIR");
    app.fallthrough();
    app.footer(footer);
    app.require_subcommand(1);
    add_commands(app, context);
    if (argc < 2) {
        context.err.print(app.help());
        return exit_wrong;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
        return context.fail(invalid(usage_error(app, error)));
    }
    if (auto text = check_text(chosen(app), argc, argv); !text) return context.fail(text.error());
    return context.run();
}

int run_cli(int argc, const char* const* argv) {
    log::start(log::Level::warn, log::Format::text);  // `serve` chooses its own
    Context context;
    context.database_probe = check_database;
    context.shape_probe = find_changed_shapes;
    return run_cli(argc, argv, context);
}

}  // namespace pawl::app
