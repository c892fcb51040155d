#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "app/job_parts.hpp"
#include "base/json.hpp"
#include "base/money.hpp"
#include "intents/operator/transfer_acts.hpp"
#include "ledger/views.hpp"

namespace pawl::app {
namespace {

struct Options {
    std::string reference, debit, credit, account, currency, reason;
    std::int64_t id = 0, amount = 0, limit = 50;
    bool json = false;
};
using Action = int (*)(db::Session&, const Settings&, const Options&, const Context&);

std::string not_blank(const std::string& text) {
    const bool blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
    return blank ? "is empty; say why, for the audit log" : "";
}

void print(const std::vector<ledger::Posted>& transfers, const Context& context) {
    Table table({">id", "key", "from", "to", ">amount", ">reverses", ">corrects"});
    const auto number = [](const std::optional<std::int64_t>& id) {
        return id ? std::to_string(*id) : std::string();
    };
    for (const ledger::Posted& one : transfers) {
        table.row({std::to_string(one.id), one.effect_key.str(), one.debit.str(), one.credit.str(),
                   to_decimal_text(one.amount) + " " + one.amount.currency.str(),
                   number(one.reverses), number(one.corrects)});
    }
    context.out.print(table.render(context.out));
}

std::string to_json(const ledger::TransferRow& row) {
    json::Writer out;
    out.begin_object().member("id", row.id).member("effect_key", row.effect_key);
    out.member("debit_account", row.debit_account).member("credit_account", row.credit_account);
    out.member("currency", row.currency).member("amount", row.amount);
    out.member("provider", row.provider).member("event_id", row.event_id);
    out.member("sequence", row.sequence).member("posted_at", row.posted_at).end_object();
    return out.take();
}

int list(db::Session& session, const Settings&, const Options& options, const Context& context) {
    const auto rows = ledger::transfers_of(session, options.account, 0, options.limit);
    Table table({">id", "posted", "key", "from", "to", ">amount", "event"});
    for (const ledger::TransferRow& row : rows) {
        if (options.json) {
            context.out.line(to_json(row));
            continue;
        }
        const auto currency = Currency::parse(row.currency);
        const std::string amount =
            currency ? to_decimal_text({row.amount, *currency}) : std::to_string(row.amount);
        table.row({std::to_string(row.id), row.posted_at.substr(0, 19), row.effect_key,
                   row.debit_account, row.credit_account, amount + " " + row.currency,
                   row.event_id.value_or("")});
    }
    if (!options.json) context.out.print(table.render(context.out));
    return exit_done;
}

int carry_out(db::Session& session, const Settings& settings, const Options& options,
              const Context& context, const intents::TransferAct& act) {
    if (auto right = check_mode(settings, session); !right) return context.fail(right.error());
    const SystemClock clock;
    const auto result =
        intents::apply_transfer_act(session, act, {"terminal", options.reason}, clock.now());
    if (const auto* why = std::get_if<intents::TransferActRefused>(&result)) {
        return context.fail(refused(fmt::format("{}: {}", why->code, why->message)));
    }
    const auto& done = std::get<intents::TransferActDone>(result);
    notify_once(settings.work, session);
    if (done.duplicate)
        context.err.line("posted before, under this reference; nothing was changed");
    print(done.transfers, context);
    return exit_done;
}

int post(db::Session& session, const Settings& settings, const Options& options,
         const Context& context) {
    const auto currency = Currency::parse(options.currency);
    if (!currency) return context.fail(currency.error());
    return carry_out(session, settings, options, context,
                     intents::PostEntry{options.reference,
                                        AccountId(options.debit),
                                        AccountId(options.credit),
                                        {options.amount, *currency}});
}

int reverse(db::Session& session, const Settings& settings, const Options& options,
            const Context& context) {
    return carry_out(session, settings, options, context, intents::ReverseTransfer{options.id});
}

int correct(db::Session& session, const Settings& settings, const Options& options,
            const Context& context) {
    intents::CorrectTransfer act{options.id, options.reference};
    if (!options.account.empty()) act.account = AccountId(options.account);
    if (options.amount != 0) act.amount = options.amount;
    return carry_out(session, settings, options, context, act);
}

int run(Action action, const Options& options, const Context& context) {
    LoadOptions load_options;
    load_options.with_providers = false;
    load_options.beside_server = true;
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    const SystemClock clock;
    const auto database = Database::use(*settings, clock, "transfers");
    if (!database) return context.fail(database.error());
    try {
        db::Session session(database->as_reader());
        return action(session, *settings, options, context);
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

void add_entries(CLI::App& posted, CLI::App& corrected, CLI::App& reversed, Options& options) {
    posted.add_option("reference", options.reference, "unique; posted once under it")->required();
    posted.add_option("--from", options.debit, "the account that the money leaves")->required();
    posted.add_option("--to", options.credit, "the account that receives it")->required();
    posted.add_option("--amount", options.amount, "in minor units: 500 is 5.00 USD")->required();
    posted.add_option("--currency", options.currency, "an ISO 4217 code")->required();
    posted.footer(
        "Example: pawl transfers post T-17 --from promo --to user:42 --amount 500 "
        "--currency USD --reason 'goodwill'");
    corrected.add_option("transfer", options.id, "its number")->required();
    corrected.add_option("reference", options.reference, "unique; posted once under it")
        ->required();
    corrected.add_option("--account", options.account, "the account that it should have named");
    corrected.add_option("--amount", options.amount, "the amount that it should have had");
    corrected.footer(
        "Example: pawl transfers correct 1042 T-18 --account user:43 --reason "
        "'captured for the wrong user'");
    reversed.add_option("transfer", options.id, "its number")->required();
    reversed.footer("Example: pawl transfers reverse 1042 --reason 'posted by mistake'");
    for (CLI::App* act : {&posted, &corrected, &reversed}) {
        act->add_option("--reason", options.reason, "why, for the audit log")
            ->required()
            ->check(not_blank);
    }
}

}  // namespace

void add_transfers(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("transfers", "see the journal, and post to it");
    command->require_subcommand(1);
    const auto add = [&](const char* name, const char* about, Action action) {
        CLI::App* sub = command->add_subcommand(name, about);
        sub->callback([&context, options, action] {
            context.run = [&context, options, action] { return run(action, *options, context); };
        });
        return sub;
    };
    CLI::App* listed = add("list", "the newest transfers of an account", list);
    listed->add_option("account", options->account, "the account")->required();
    listed->add_option("--limit", options->limit, "at most so many (default 50)")
        ->check(CLI::Range(1, 10000));
    listed->add_flag("--json", options->json, "one JSON object a line");
    listed->footer("Example: pawl transfers list user:42");
    CLI::App* posted = add("post", "post an entry between two accounts", post);
    CLI::App* corrected = add("correct", "reverse a transfer and post it anew", correct);
    CLI::App* reversed = add("reverse", "reverse a transfer", reverse);
    add_entries(*posted, *corrected, *reversed, *options);
    command->footer("Example: pawl transfers reverse 1042 --reason 'posted by mistake'");
}

}  // namespace pawl::app
