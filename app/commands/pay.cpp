#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "app/job_parts.hpp"
#include "app/recovering.hpp"
#include "app/wiring_workflows.hpp"
#include "base/json.hpp"
#include "base/rng.hpp"
#include "controllers/http/api_document.hpp"
#include "payments/payments.hpp"
#include "workflows/charge/charge_order.hpp"
#include "workflows/engine/engine.hpp"
#include "workflows/engine/views.hpp"

namespace pawl::app {
namespace {

using payments::Payment;

struct Options {
    std::string order, gateway, amount, currency, account;
    int wait_s = 10;
};

constexpr std::chrono::milliseconds look_every(200);

// The order that the options describe. Where it is stored, an option that is not given is as it is
// stored.
Result<payments::Order> wanted_order(const Options& options,
                                     const std::optional<payments::Order>& stored) {
    payments::Order wanted = stored.value_or(payments::Order{});
    wanted.id = options.order;
    if (!options.currency.empty()) {
        const auto currency = Currency::parse(options.currency);
        if (!currency) return currency.error();
        wanted.amount.currency = *currency;
    }
    if (!options.amount.empty()) {
        const auto amount = from_decimal_text(options.amount, wanted.amount.currency);
        if (!amount) return amount.error();
        wanted.amount = *amount;
    }
    if (!options.account.empty()) {
        // As the API's document states it.
        const auto& order = *http::shipped_operation("PUT", "/v1/orders/{order}").body;
        if (const auto wrong = order.properties.at("account")->mismatch_of_text(options.account)) {
            return invalid("--account: " + wrong->what);
        }
        wanted.account = AccountId(options.account);
    }
    if (!options.gateway.empty()) wanted.gateway = options.gateway;
    if (auto good = payments::check_order(wanted); !good) return good.error();
    return wanted;
}

Result<void> check_gateway(const Settings& settings, const std::string& name) {
    const auto& files = settings.gateways;
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const GatewayFile& file) { return file.name == name; });
    if (found == files.end()) {
        return invalid(
            fmt::format("no gateway {} is configured: add config/gateways/{}.toml", name, name));
    }
    if (found->on) return {};
    const std::string remedy =
        found->missing_name.empty()
            ? fmt::format("remove that from {}", found->file)
            : fmt::format("set {} for the server and for this command", found->missing_name);
    return invalid(fmt::format("gateway {} is off: {}; {}", name, found->off_because, remedy));
}

// The order as it is stored, or as the options say where it is new: then it is stored here, and
// only where it can be charged.
Result<payments::Order> order_of(db::Transaction& transaction, const Options& options,
                                 const Settings& settings, Time now) {
    const auto stored = payments::find_order(transaction, options.order, payments::Lock::row);
    const bool described = !options.amount.empty() && !options.currency.empty() &&
                           !options.account.empty() && !options.gateway.empty();
    if (!stored && !described) {
        return invalid(fmt::format(
            "order {}: not found; give --amount, --currency, --account and --gateway to create it",
            options.order));
    }
    const auto wanted = wanted_order(options, stored);
    if (!wanted) return wanted.error();
    if (stored && !payments::asks_the_same(*stored, *wanted)) {
        return invalid(fmt::format(
            "order {} is stored with other content: {} {} to {}, by {}; leave out what differs, or "
            "change the order with PUT /v1/orders/{}",
            stored->id, to_decimal_text(stored->amount), stored->amount.currency.code(),
            stored->account.str(), stored->gateway, stored->id));
    }
    if (auto on = check_gateway(settings, wanted->gateway); !on) return on.error();
    if (stored) return *stored;
    return payments::put_order(transaction, *wanted, std::nullopt, now).order;
}

// Begins the next attempt, or finds the one in progress.
Result<Payment> begin(db::Session& session, const Options& options, const Settings& settings,
                      const workflows::Gateways& gateways, Time now) {
    Result<Payment> begun = refused("");
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const auto order = order_of(transaction, options, settings, now);
        if (!order) {
            begun = order.error();
            return;
        }
        SecureRng rng;
        const payments::NewPayment wanted{payments::new_payment_id(), "",
                                          gateways.at(order->gateway)->config().books,
                                          CorrelationId(uuid_v4(rng))};
        auto allocated = payments::allocate(transaction, *order, wanted, now);
        if (const auto* other = std::get_if<payments::InTheWay>(&allocated)) {
            begun = other->payment;
            return;
        }
        begun = std::get<Payment>(allocated);
        workflows::start_charge(transaction, *begun, now);
    });
    return begun;
}

Payment read(db::Session& session, const std::string& id) {
    db::Transaction transaction(session);
    return payments::find_payment(transaction, id).value();
}

void print_steps(db::Session& session, const Payment& payment, const Context& context) {
    workflows::RunFilter filter;
    filter.text = payment.key;
    for (const auto& run : workflows::list_runs(session, filter)) {
        const std::string described = workflows::describe_run(session, run.id).value_or("{}");
        const auto document = json::Document::parse(described);
        const auto steps =
            document ? document->root().at(json::Pointer::parse("/steps").value()) : std::nullopt;
        if (!steps || json::text_at(document->root(), "/signal_key") != payment.key) continue;
        for (const json::Value& step : steps->children()) {
            context.out.line(fmt::format("  {:<14} -> {:<14} {}", json::text_at(step, "/step"),
                                         json::text_at(step, "/went_to"),
                                         json::text_at(step, "/note")));
        }
        if (run.status == "running") {
            context.out.line(fmt::format("  {:<14} .. {}", run.step, run.note.value_or("")));
        }
    }
}

// This process executes the run itself; a running server may be faster.
Payment run_payment(const Settings& settings, const Database& database,
                    const workflows::Gateways& gateways, Payment payment, const Clock& clock,
                    int wait_s) {
    Metrics metrics;
    const workflows::WorkflowDeps parts = workflow_parts(gateways, metrics);
    db::Pool sessions(database.as_runtime(), static_cast<std::size_t>(settings.database.sessions));
    workflows::Engine engine(engine_options(gateways, settings.work), shipped_workflows(parts),
                             sessions, clock, metrics);
    engine.start();
    db::Session session(database.as_runtime());
    const auto until = clock.steady() + std::chrono::seconds(wait_s);
    for (;;) {
        payment = read(session, payment.id);
        const bool waits_for_payer = payment.state == payments::State::requires_action;
        if (payments::is_settled(payment.state) || waits_for_payer) break;
        if (clock.steady() >= until) break;
        std::this_thread::sleep_for(look_every);
    }
    engine.stop();
    return payment;
}

int report(db::Session& session, const Payment& payment, const Context& context) {
    context.out.line(
        fmt::format("payment {}  attempt {}  key {}", payment.id, payment.attempt, payment.key));
    print_steps(session, payment, context);
    context.out.line(fmt::format("{} {} {} to {}{}", payments::to_text(payment.state),
                                 to_decimal_text(payment.amount), payment.amount.currency.code(),
                                 payment.account.str(),
                                 payment.note.empty() ? "" : ": " + payment.note));
    if (!payment.next_action.empty()) context.out.line("the payer must: " + payment.next_action);
    return payment.state == payments::State::succeeded ? exit_done : exit_no;
}

int run(const Options& options, const Context& context) {
    LoadOptions load_options;
    load_options.beside_server = true;
    if (auto named = payments::check_order_id(options.order); !named) {
        return context.fail(named.error());
    }
    const auto settings = context.settings(load_options);
    if (!settings) return exit_wrong;
    const auto gateways = make_gateways(*settings);
    if (!gateways) return context.fail(gateways.error());
    const SystemClock clock;
    const auto database = Database::use(*settings, clock, "pay");
    if (!database) return context.fail(database.error());
    try {
        db::Session session(database->as_runtime());
        if (auto right = check_may_post(*settings, session); !right) {
            return context.fail(right.error());
        }
        const auto begun = begin(session, options, *settings, *gateways, clock.now());
        if (!begun) return context.fail(begun.error());
        const Payment payment =
            run_payment(*settings, *database, *gateways, *begun, clock, options.wait_s);
        notify_once(settings->work, session);
        return report(session, payment, context);
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

}  // namespace

void add_pay(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("pay", "run charge_order for an order, and show its steps");
    command->add_option("order", options->order, "the order's id")->required();
    command->add_option("--gateway", options->gateway, "for a new order: its gateway");
    command->add_option("--amount", options->amount, "for a new order, like 50.00");
    command->add_option("--currency", options->currency, "for a new order, like USD");
    command->add_option("--account", options->account, "for a new order: the account to credit");
    command->add_option("--wait", options->wait_s, "seconds to wait for the end (10)")
        ->type_name("N");
    command->footer(
        "Rerunning resumes the attempt in progress; after a decline it begins the "
        "next.\nExit code 0 where the order is paid, 1 where it is not (yet).\n"
        "Example: pawl pay order-7 --gateway sandbox --amount 50.00 --currency USD "
        "--account user:42");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
