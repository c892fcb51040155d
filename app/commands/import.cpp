#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "app/import_answer.hpp"
#include "app/job_parts.hpp"
#include "app/recovering.hpp"
#include "intents/import/import_captures.hpp"

namespace pawl::app {
namespace {

using intents::BatchImported;
using intents::FileSummary;
using intents::ImportedPayment;
using intents::LeftOut;

using Options = ImportOptions;

std::string books_of(const Settings& settings, const ProviderFile& file) {
    const std::string& books = file.config.books.empty() ? file.config.name : file.config.books;
    return books_in(settings.server.mode, books);
}

intents::BooksByName known_books(const Settings& settings) {
    intents::BooksByName known;
    for (const ProviderFile& file : settings.providers) {
        const std::string& name = file.config.books.empty() ? file.config.name : file.config.books;
        known[name] = {books_of(settings, file), file.config.captures};
    }
    return known;
}

bool is_of_the_system(const std::string& account) {
    return account.starts_with("fees:") || account.starts_with("bank:");
}

bool returns_without_need(const providers::RuleConfig& rule) {
    if (!rule.needs.empty()) return false;
    const bool debits = rule.action == providers::Action::debit && !is_of_the_system(rule.account);
    return debits || std::any_of(rule.moves.begin(), rule.moves.end(), [&](const auto& move) {
               return move.action == providers::Action::debit &&
                      !is_of_the_system(move.account.empty() ? rule.account : move.account);
           });
}

// Facts of the provider files that an operator wants to know before the cut-over.
std::vector<std::string> warnings_of(const Settings& settings, const FileSummary& summary) {
    std::vector<std::string> warnings;
    for (const ProviderFile& file : settings.providers) {
        const std::string books = books_of(settings, file);
        const bool imports = std::any_of(summary.sums.begin(), summary.sums.end(),
                                         [&](const auto& one) { return one.first.first == books; });
        if (!imports) continue;
        if (file.config.read.time.at.empty()) {
            warnings.push_back(fmt::format(
                "{}: [read] time is missing; without it every refund and dispute of an imported "
                "payment is quarantined effect_conflict",
                file.file));
        }
        for (const providers::RuleConfig& rule : file.config.rules) {
            if (!returns_without_need(rule)) continue;
            warnings.push_back(fmt::format(
                "{}: the rule for {} debits without needs; Pawl cannot see that a refund belongs "
                "to an imported payment: add needs",
                file.file, rule.when));
        }
    }
    return warnings;
}

Result<std::ifstream> open_file(const std::string& name) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(name, error)) {
        return invalid(
            fmt::format("{}: not found, or not a regular file; the file is read twice, "
                        "so that it cannot be a pipe",
                        name));
    }
    std::ifstream in(name, std::ios::binary);
    if (!in) return invalid(fmt::format("{}: not readable; check its permissions", name));
    return in;
}

// Reads the file a second time, a batch at a time.
class Run {
  public:
    Run(const Options& options, const Context& context, std::istream& in,
        const intents::BooksByName& books, const Clock& clock)
        : options_(options),
          context_(context),
          clock_(clock),
          file_(in, books, clock.now()),
          answer_(options, context) {
        act_ = {intents::new_import_id(), terminal_principal(), options.reason,
                std::filesystem::path(options.file).filename().string()};
    }

    int all(db::Session& session, const FileSummary& summary,
            const std::vector<std::string>& warnings) {
        answer_.begin(summary, warnings);
        Progress progress(context_.err, options_.apply ? "import" : "preview",
                          static_cast<std::size_t>(summary.payments));
        try {
            for (;;) {
                const auto batch = next_batch();
                if (!batch) return stopped(batch.error());
                if (batch->empty()) break;
                post(session, *batch);
                progress.update(static_cast<std::size_t>(read_));
            }
        } catch (const db::Failure& failure) {
            return stopped(explained(failure));
        }
        progress.finish();
        return answer_.end(imported_, true);
    }

  private:
    Result<std::vector<ImportedPayment>> next_batch() {
        std::vector<ImportedPayment> batch;
        while (batch.size() < intents::import_batch_max) {
            auto line = file_.next();
            if (!line) break;
            if (auto* bad = std::get_if<intents::LineFaults>(&*line)) {
                return invalid(
                    fmt::format("{}: has changed while it was read ({}); run the command again",
                                options_.file, intents::to_text(bad->front())));
            }
            batch.push_back(std::get<ImportedPayment>(std::move(*line)));
        }
        return batch;
    }

    void post(db::Session& session, const std::vector<ImportedPayment>& batch) {
        const BatchImported done = options_.apply
                                       ? intents::import_batch(session, batch, act_, clock_.now())
                                       : intents::preview_batch(session, batch);
        for (const LeftOut& one : done.left_out) answer_.left_out(one);
        imported_ += done.imported;
        read_ += static_cast<std::int64_t>(batch.size());
    }

    int stopped(const Error& why) const {
        answer_.end(imported_, false);
        const int code = context_.fail(why);
        if (options_.apply) {
            context_.err.line(fmt::format(
                "{} payments were imported; run the command again to import the rest", imported_));
        }
        return code;
    }

    const Options& options_;
    const Context& context_;
    const Clock& clock_;
    intents::CaptureFile file_;
    ImportAnswer answer_;
    intents::ImportRun act_;
    std::int64_t imported_ = 0, read_ = 0;
};

// A batch waits longer for a lock, and may take longer, than a delivery.
db::SessionOptions session_of(const Options& options, const Database& database) {
    if (!options.apply) return database.as_reader();
    db::SessionOptions session = db::named(database.as_runtime(), "import");
    session.statement_timeout = std::chrono::seconds(30);
    session.lock_timeout = std::chrono::seconds(10);
    return session;
}

int import_file(const Options& options, const Context& context, const Settings& settings,
                std::istream& in) {
    const SystemClock clock;
    const auto books = known_books(settings);
    FileSummary summary;
    {
        intents::CaptureFile file(in, books, clock.now());
        summary = intents::check_file(file);
    }
    if (in.bad())
        return context.fail(unreachable(fmt::format("{}: a read failed; try again", options.file)));
    if (summary.all_faults > 0) {
        ImportAnswer(options, context).faults(summary);
        return exit_wrong;
    }
    const auto database = Database::use(settings, clock, "import");
    if (!database) return context.fail(database.error());
    try {
        db::Session session(session_of(options, *database));
        if (auto right = check_may_post(settings, session); !right) {
            return context.fail(right.error());
        }
        in.clear();
        in.seekg(0);
        Run all(options, context, in, books, clock);
        const int code = all.all(session, summary, warnings_of(settings, summary));
        if (options.apply) notify_once(settings.work, session);  // of released events
        return code;
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

int run(const Options& options, const Context& context) {
    const bool blank = options.reason.find_first_not_of(" \t") == std::string::npos;
    if (options.apply && blank) {
        return context.fail(invalid("--reason: missing; write the reason, for the audit log"));
    }
    auto in = open_file(options.file);
    if (!in) return context.fail(in.error());
    LoadOptions load_options;
    load_options.beside_server = true;
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    return import_file(options, context, *settings, *in);
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("import", "take over payments that were captured before Pawl");
    command->require_subcommand(1);
    CLI::App* captures =
        command->add_subcommand("captures", "import captured payments from a CSV file");
    captures->add_option("file", options->file, "the CSV file")->type_name("FILE.csv")->required();
    captures->add_flag("--apply", options->apply, "import; without it nothing is changed");
    captures->add_option("--reason", options->reason, "for the audit log; needed by --apply")
        ->type_name("TEXT");
    captures->add_flag("--json", options->as_json, "one JSON object instead of lines");
    captures->footer(
        "The file has the columns books, payment, account, currency, captured, returned and time,\n"
        "named in its first line; amounts in minor units. `time` is the moment as of which "
        "captured\n"
        "and returned hold. A payment that has movements already is skipped and listed: an import\n"
        "that was interrupted is run again. Exit code 2 where a line is bad: nothing is imported.\n"
        "Exit code 1 where the ledger refuses a payment.\n"
        "Example: pawl import captures captures.csv --apply --reason 'cut-over of 1 December'");
    captures->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
    command->footer("Example: pawl import captures captures.csv");
}

}  // namespace pawl::app
