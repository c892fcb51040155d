#include "settings/lint/lint.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "app/commands/commands.hpp"
#include "base/json.hpp"

namespace pawl::app {
namespace {

struct Options {
    bool json = false;
    bool dev = false;
    bool database = false;
};

std::size_t count(const Findings& findings, Severity severity) {
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(),
                      [&](const Finding& finding) { return finding.severity == severity; }));
}

std::string counted(std::size_t number, std::string_view what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

Colour colour_of(Severity severity) {
    if (severity == Severity::error) return Colour::red;
    return severity == Severity::warning ? Colour::yellow : Colour::blue;
}

void print_json(const Findings& findings, const Terminal& out) {
    json::Writer writer;
    writer.begin_object().key("findings").begin_array();
    for (const Finding& finding : findings) {
        writer.begin_object()
            .member("severity", to_text(finding.severity))
            .member("file", finding.place.file)
            .key("line")
            .number(finding.place.line)
            .key("column")
            .number(finding.place.column)
            .member("what", finding.what)
            .member("why", finding.why)
            .member("remedy", finding.remedy)
            .end_object();
    }
    writer.end_array();
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
        const auto number = static_cast<std::int64_t>(count(findings, severity));
        writer.key(to_text(severity) + "s").number(number);
    }
    writer.end_object();
    out.line(writer.take());
}

void print_text(const Findings& findings, const Settings& settings, const Terminal& out) {
    for (const Finding& finding : findings) {
        const std::string label = fmt::format("{:<8}", to_text(finding.severity));
        out.line(out.paint(colour_of(finding.severity), label) +
                 out.paint(Colour::bold, to_text(finding.place)));
        out.line("        " + finding.what);
        if (!finding.why.empty()) out.line("        because " + finding.why);
        if (!finding.remedy.empty()) out.line("        -> " + finding.remedy);
    }
    if (!findings.empty()) out.line();
    out.line(fmt::format("{}: {}; {}, {}, {}", settings.folder.string(),
                         counted(settings.providers.size(), "provider"),
                         counted(count(findings, Severity::error), "error"),
                         counted(count(findings, Severity::warning), "warning"),
                         counted(count(findings, Severity::note), "note")));
}

int exit_of(const Findings& findings) {
    const bool unparsed = std::any_of(findings.begin(), findings.end(),
                                      [](const Finding& finding) { return finding.unparsed; });
    if (unparsed) return exit_wrong;
    return has_errors(findings) ? exit_no : exit_done;
}

int run(const Options& options, const Context& context) {
    LoadOptions load_options;
    load_options.folder = context.config_folder;
    load_options.dev = options.dev;
    const bool beside_server = options.database && context.shape_probe;
    if (beside_server) {
        const auto beside = context.beside_server(std::move(load_options));
        if (!beside) return exit_wrong;
        load_options = beside->options;
    }
    const Loaded loaded = load(load_options);
    Findings findings = loaded.findings;
    const auto add = [&findings](const Findings& more) {
        findings.insert(findings.end(), more.begin(), more.end());
    };
    if (exit_of(findings) != exit_wrong) {  // half of a configuration is not worth judging
        add(lint(loaded.settings));
        if (beside_server) {
            const auto changed = context.shape_probe(loaded.settings);
            if (!changed) return context.fail(changed.error());
            add(*changed);
        }
    }
    sort_by_place(findings);
    if (options.json) {
        print_json(findings, context.out);
    } else {
        print_text(findings, loaded.settings, context.out);
    }
    return exit_of(findings);
}

}  // namespace

void add_lint(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("lint", "check the configuration without starting");
    command->add_flag("--json", options->json, "one JSON object instead of text");
    command->add_flag("--dev", options->dev, "accept the shipped demo secrets, as `serve --dev`");
    command->add_flag("--database", options->database,
                      "also hold the provider files against the keys that the database has posted");
    command->footer(
        "Exit code 1 on any error, 2 where a file cannot be parsed.\n"
        "Example: pawl lint --config /etc/pawl");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
