#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "base/json.hpp"
#include "intents/verify/accepted.hpp"
#include "intents/verify/verify.hpp"

namespace pawl::app {
namespace {

struct Options {
    bool as_json = false;
    bool deep = false;
    std::string accept;  // the reason; empty: nothing is accepted
    std::vector<std::string> lost_keys;
};

void print(const intents::Proof& proof, const Terminal& out) {
    for (const intents::Invariant& one : proof.invariants) {
        const bool good = one.breaches.empty();
        const char* bad = one.for_attention ? "LOOK  " : "BROKEN";
        out.line((good ? out.paint(Colour::green, "holds ") : out.paint(Colour::red, bad)) + "  " +
                 one.says);
        for (const intents::Breach& breach : one.breaches) {
            out.line(fmt::format("          {}: {}", breach.subject, breach.what));
        }
        if (static_cast<int>(one.breaches.size()) >= intents::breaches_max) {
            out.line("          (list truncated)");
        }
    }
    for (const intents::Range& range : proof.ranges) {
        out.line("read    " + intents::to_text(range));
    }
    if (!proof.chained) {
        out.line("read    everything; no key is set (chain_keys), so no row is chained");
    }
}

// A line on a terminal, rewritten in place; with --json an object a line, on stderr in any case.
class ProgressLine {
  public:
    ProgressLine(const Terminal& err, bool as_json, const Clock& clock)
        : err_(err), as_json_(as_json), clock_(clock), next_(clock.steady() + every) {}
    ~ProgressLine() {
        if (shown_ && !as_json_) err_.control("\r\x1b[K");
    }

    void show(std::string_view step, std::int64_t done, std::int64_t of) {
        if ((!as_json_ && !err_.interactive()) || clock_.steady() < next_) return;
        next_ = clock_.steady() + every;
        shown_ = true;
        if (as_json_) {
            json::Writer out;
            out.begin_object().member("reading", step).member("done", done).member("of", of);
            return err_.line(out.end_object().take());
        }
        const std::string total = of > 0 ? fmt::format(" of {}", of) : "";
        err_.control(fmt::format("\r\x1b[Kverify: {} {}{}", step, done, total));
    }

  private:
    static constexpr std::chrono::seconds every{1};
    const Terminal& err_;
    const bool as_json_;
    const Clock& clock_;
    std::chrono::steady_clock::time_point next_;
    bool shown_ = false;
};

intents::Proof prove(const Options& options, const Database& database, const Clock& clock,
                     const Terminal& err) {
    db::SessionOptions session_options = database.as_reader();
    session_options.statement_timeout = std::chrono::milliseconds(0);  // large tables are read
    db::Session session(session_options);
    ProgressLine line(err, options.as_json, clock);
    return intents::prove(session,
                          options.deep ? intents::Depth::deep : intents::Depth::since_last_proof,
                          [&line](std::string_view step, std::int64_t done, std::int64_t of) {
                              line.show(step, done, of);
                          });
}

// With a wrong key everything looks broken: accepted, it would count as proven.
Result<std::size_t> accept(const Options& options, const Database& database,
                           const intents::Proof& proof) {
    db::Session session(database.as_runtime());
    return intents::accept_breaks(session, proof, "terminal", options.accept,
                                  {options.lost_keys.begin(), options.lost_keys.end()});
}

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
        intents::Proof proof = prove(options, *database, clock, context.err);
        if (!options.accept.empty()) {
            if (auto accepted = accept(options, *database, proof); !accepted) {
                return context.fail(accepted.error());
            }
            proof = prove(options, *database, clock, context.err);
        }
        if (options.as_json) {
            context.out.line(intents::to_json(proof));
        } else {
            print(proof, context.out);
        }
        return intents::holds(proof.invariants) ? exit_done : exit_no;
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("verify", "prove the books: every invariant, and the hash chains");
    command->add_flag("--json", options->as_json,
                      "one JSON object instead of lines; progress as objects on stderr");
    command->add_flag("--deep", options->deep,
                      "read what an earlier verification has proven, too, and the rows where a\n"
                      "valid constraint proves an invariant");
    command
        ->add_option("--accept", options->accept,
                     "accept the breaks of chains that are found, after a restore or a failover\n"
                     "that lost commits: with the reason, for the audit log")
        ->type_name("REASON")
        ->check(CLI::Validator(
            [](const std::string& text) {
                const bool blank = text.find_first_not_of(" \t") == std::string::npos;
                return std::string(blank ? "empty; write the reason" : "");
            },
            ""));
    command
        ->add_option(
            "--lost-key", options->lost_keys,
            "a chain key that --accept gives up, as verify names it: its rows are believed")
        ->type_name("KEY");
    command->footer(
        "Reads transfers and audit log from where the last verification that found nothing had\n"
        "come, and prints what it read. Exit code 1 where an invariant is broken, with the rows\n"
        "that break it.\n"
        "Example: pawl verify --json");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
