#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <span>

#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "app/job_parts.hpp"
#include "app/wiring.hpp"
#include "base/money.hpp"
#include "intents/operator/operating.hpp"
#include "intents/queries/views.hpp"
#include "ledger/outcome.hpp"

namespace pawl::app {
namespace {

struct Options {
    std::string provider, status, outcome, account, text, event_id, reason;
    std::int64_t limit = 50;
};
using Action = int (*)(db::Session&, const Options&, const Context&);

std::optional<std::string> given(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

// An option's value that the audit log must be able to show.
std::string not_blank(const std::string& text) {
    const bool blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
    return blank ? "is empty; say why, for the audit log" : "";
}

std::function<std::string(const std::string&)> one_of(std::span<const std::string_view> known) {
    return [known](const std::string& text) -> std::string {
        if (std::find(known.begin(), known.end(), text) != known.end()) return "";
        return fmt::format("there is no \"{}\"; use one of {}", text, fmt::join(known, ", "));
    };
}

std::string money_of(const intents::IntentRow& row) {
    if (!row.amount || !row.currency) return "";
    const auto currency = Currency::parse(*row.currency);
    if (!currency) return "";
    return to_decimal_text({*row.amount, *currency}) + " " + *row.currency;
}

Colour colour_of(const std::string& status) {
    if (status == "done") return Colour::green;
    return status == "quarantined" ? Colour::red : Colour::yellow;
}

int list(db::Session& session, const Options& options, const Context& context) {
    intents::IntentFilter filter;
    filter.provider = given(options.provider);
    filter.status = given(options.status);
    filter.outcome = given(options.outcome);
    filter.account = given(options.account);
    filter.text = given(options.text);
    filter.limit = options.limit;
    const auto page = intents::list_intents(session, filter);
    if (!page) return context.fail(page.error());
    Table table({"received", "provider", "event", "type", "outcome", "account", ">amount", "note"});
    for (const intents::IntentRow& row : page->rows) {
        table.row({row.received_at.substr(0, 19), row.provider, row.event_id, row.type,
                   Cell(row.outcome, colour_of(row.status)), row.account.value_or(""),
                   money_of(row), row.note.value_or("")});
    }
    context.out.print(table.render(context.out));
    if (page->next) context.err.line("there are more; narrow the filter, or raise --limit");
    return exit_done;
}

int show(db::Session& session, const Options& options, const Context& context) {
    const auto described = intents::describe_intent(session, options.provider, options.event_id);
    if (!described) {
        return context.fail(
            refused(fmt::format("no event {} of {} is stored; `pawl intents list` "
                                "shows what is",
                                options.event_id, options.provider)));
    }
    context.out.line(*described);
    return exit_done;
}

// Retried by today's rules, and so with the provider files.
template <intents::Act act>
int apply_to_event(db::Session& session, const Options& options, const Context& context) {
    LoadOptions load_options;
    load_options.beside_server = true;
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    if (auto right = check_mode(*settings, session); !right) return context.fail(right.error());
    const auto compiled = compile_providers(*settings);
    if (!compiled) return context.fail(compiled.error());
    for (const providers::Provider& provider : *compiled) {
        if (provider.name() != options.provider) continue;
        const SystemClock clock;
        const auto answer = intents::apply_operator_action(
            session, provider, {act, options.event_id, "terminal", options.reason}, clock.now());
        if (!answer) return context.fail(answer.error());
        notify_once(settings->work, session);
        context.out.line(fmt::format("{} {}", ledger::to_text(answer->outcome), answer->note));
        return ledger::is_done(answer->outcome) ? exit_done : exit_no;
    }
    return context.fail(refused(fmt::format("no provider {} is served", options.provider)));
}

int run(Action action, const Options& options, const Context& context) {
    LoadOptions load_options;
    load_options.with_providers = false;
    load_options.beside_server = true;
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    const SystemClock clock;
    const auto database = Database::use(*settings, clock, "intents");
    if (!database) return context.fail(database.error());
    try {
        db::Session session(database->as_reader());
        return action(session, options, context);
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

}  // namespace

void add_intents(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("intents", "see what was received and what became of it");
    command->require_subcommand(1);
    const auto add = [&](const char* name, const char* about, Action action) {
        CLI::App* sub = command->add_subcommand(name, about);
        sub->callback([&context, options, action] {
            context.run = [&context, options, action] { return run(action, *options, context); };
        });
        return sub;
    };
    CLI::App* listed = add("list", "the newest events, by filter", list);
    listed->add_option("--provider", options->provider, "only of this provider");
    listed->add_option("--status", options->status, "pending, done, parked or quarantined")
        ->check(one_of(ledger::status_names()));
    listed->add_option("--outcome", options->outcome, "applied, duplicate_effect, ...")
        ->check(one_of(ledger::outcome_names()));
    listed->add_option("--account", options->account, "only of this account");
    listed->add_option("--text", options->text, "part of an event id, object, account or note");
    listed->add_option("--limit", options->limit, "at most so many (default 50)")
        ->check(CLI::Range(1, 10000));
    listed->footer("Example: pawl intents list --status quarantined");
    CLI::App* shown = add("show", "everything about one event, as JSON", show);
    shown->add_option("provider", options->provider, "the provider's name")->required();
    shown->add_option("event", options->event_id, "the event's id")->required();
    shown->footer("Example: pawl intents show demo evt_1");
    const auto add_act = [&](const char* name, const char* about, Action action) {
        CLI::App* act = add(name, about, action);
        act->add_option("provider", options->provider, "the provider's name")->required();
        act->add_option("event", options->event_id, "the event's id")->required();
        act->add_option("--reason", options->reason, "why, for the audit log")
            ->required()
            ->check(not_blank);
        return act;
    };
    add_act("retry", "read an unfinished event again by today's rules",
            apply_to_event<intents::Act::retry>)
        ->footer("Example: pawl intents retry demo evt_1 --reason 'rule for refunds added'");
    add_act("release", "go on with it: the numbers before it will not come",
            apply_to_event<intents::Act::release>)
        ->footer("Example: pawl intents release demo evt_7 --reason 'evt_6 was never sent'");
    add_act("post", "post it, although what it needs or its turn has not come",
            apply_to_event<intents::Act::post>)
        ->footer("Example: pawl intents post demo evt_9 --reason 'captured at the old system'");
    command->footer("Example: pawl intents list --status quarantined");
}

}  // namespace pawl::app
