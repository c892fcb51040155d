#include "tests/integration/paying.hpp"

#include "base/fault.hpp"
#include "base/keys.hpp"
#include "workflows/engine/runs.hpp"

namespace pawl::workflows {
namespace {

std::vector<Workflow> all_workflows(const WorkflowDeps& parts) {
    return {charge_order(parts), capture_payment(parts), refund_payment(parts)};
}

}  // namespace

Paying::Paying() : clock(SystemClock().now()) {
    parts = std::make_unique<WorkflowDeps>(
        WorkflowDeps{gateways, intents::post_money,
                     metrics.counter("pawl_external_calls_total", "", {"gateway", "outcome"})});
    gateway = &add_gateway("test");
}

Paying::~Paying() = default;

testing::CountingGateway& Paying::add_gateway(const std::string& name) {
    auto made = std::make_unique<testing::CountingGateway>(name);
    auto& counting = *made;
    gateways.emplace(name, std::move(made));
    EngineOptions options;
    for (const auto& [one, unused] : gateways) options.lanes[one] = {4, 0};
    engine = std::make_unique<Engine>(options, all_workflows(*parts), sessions, clock, metrics);
    return counting;
}

std::unique_ptr<Engine> Paying::another_engine() {
    other_sessions = std::make_unique<db::Pool>(database.options(), 2);
    EngineOptions options;
    for (const auto& [one, unused] : gateways) options.lanes[one] = {4, 0};
    return std::make_unique<Engine>(options, all_workflows(*parts), *other_sessions, clock,
                                    metrics);
}

payments::Payment Paying::begin(const std::string& order, const std::string& name,
                                std::int64_t amount, const std::string& account,
                                bool manual_capture) {
    payments::Payment begun;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        payments::Order wanted;
        wanted.id = order;
        wanted.amount = {amount, Currency::parse("USD").value()};
        wanted.account = AccountId(account);
        wanted.gateway = name;
        payments::put_order(transaction, wanted, std::nullopt, clock.now());
        const auto stored = payments::find_order(transaction, order, payments::Lock::row);
        static int count = 0;
        payments::NewPayment made{"pay_" + std::to_string(++count), "", name, CorrelationId("c")};
        made.manual_capture = manual_capture;
        auto allocated = payments::allocate(transaction, *stored, made, clock.now());
        begun = std::get<payments::Payment>(allocated);
        start_charge(transaction, begun, clock.now());
    });
    return begun;
}

payments::Payment Paying::paid(const std::string& order) {
    const auto begun = begin(order);
    rounds();
    EXPECT_EQ(state(begun.id), "succeeded");
    return payment(begun.id);
}

std::variant<payments::Refund, payments::NotRefundable> Paying::begin_refund(
    const payments::Payment& payment, std::int64_t amount) {
    std::variant<payments::Refund, payments::NotRefundable> allocated = payments::NotRefundable{};
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const auto stored =
            payments::find_payment(transaction, payment.id, payments::Lock::row).value();
        static int count = 0;
        allocated = payments::allocate_refund(
            transaction, stored, {"ref_" + std::to_string(++count), amount, CorrelationId("c")},
            clock.now());
        const auto* refund = std::get_if<payments::Refund>(&allocated);
        if (refund != nullptr) start_refund(transaction, *refund, stored, clock.now());
    });
    return allocated;
}

// The age of a call is that of the database's clock, which no test can advance.
void Paying::let_pass(Duration time) {
    clock.advance(time);
    const auto us =
        std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
    database.run("UPDATE external_calls SET first_sent_at = first_sent_at - interval '" + us +
                 " microseconds', last_sent_at = last_sent_at - interval '" + us +
                 " microseconds' WHERE first_sent_at IS NOT NULL");
    const std::string earlier = " - interval '" + us + " microseconds'";
    database.run("UPDATE external_calls SET asked_at = asked_at" + earlier +
                 " WHERE asked_at IS NOT NULL; UPDATE recoveries SET began_at = began_at" +
                 earlier + ", ended_at = ended_at" + earlier);
}

std::size_t Paying::rounds(Duration later) {
    if (later != Duration{}) let_pass(later);
    std::size_t claimed = 0;
    for (int i = 0; i < 100; ++i) {
        const std::size_t now = engine->run_once();
        if (now == 0) break;
        claimed += now;
    }
    return claimed;
}

void Paying::pass_until_settled(const std::string& payment_id, Duration step, int steps_max) {
    for (int i = 0; i < steps_max && !payments::is_settled(payment(payment_id).state); ++i) {
        rounds(step);
    }
}

void Paying::crash_at(const std::string& where) {
    fault::set_observer([&](std::string_view point, std::string_view) {
        if (point == where) throw db::Failure(db::FailureKind::unreachable, "", "the end");
    });
    try {
        engine->run_once();
    } catch (const db::Failure& end) {
        EXPECT_STREQ(end.what(), "the end");
    }
    fault::set_observer({});
    let_leases_run_out();
}

void Paying::let_leases_run_out() {
    database.run(
        "UPDATE workflow_runs SET locked_until = now() - interval '1 minute' "
        "WHERE locked_until IS NOT NULL");
}

payments::Payment Paying::payment(const std::string& id) {
    db::Transaction transaction(session);
    return payments::find_payment(transaction, id).value();
}

payments::Refund Paying::refund(const std::string& id) {
    db::Transaction transaction(session);
    return payments::find_refund(transaction, id).value();
}

Result<RunChange> Paying::resolve_call(const std::string& key, const std::string& outcome,
                                       const std::string& reference, bool force) {
    RunInstruction instruction;
    instruction.act = RunAct::resolve;
    instruction.run_id =
        std::stoll(value("SELECT run_id FROM workflow_runs WHERE signal_key = '" + key + "'"));
    instruction.principal = "ana";
    instruction.reason = "looked it up";
    instruction.outcome = outcome;
    instruction.reference = reference;
    instruction.force = force;
    return apply_operator_action(session, instruction, clock.now());
}

void Paying::signal(const std::string& key, std::optional<std::int64_t> amount) {
    std::optional<Money> moved;
    if (amount) moved = Money{*amount, Currency::parse("USD").value()};
    signal(key, moved, gateway->reference_of(key));
}

void Paying::signal(const std::string& key, const std::optional<Money>& moved,
                    const std::string& reference) {
    const Signal says{"test", reference, moved, ProviderName("test"), EventId("evt_told")};
    db::in_transaction(session, [&](db::Transaction& transaction) {
        signal_runs(transaction, {{key, says}}, clock.now());
    });
}

std::int64_t Paying::balance(const std::string& account) {
    return std::stoll(
        value("SELECT coalesce(sum(amount), 0) FROM balances WHERE account = '" + account + "'"));
}

void Paying::expect_books_hold() {
    for (const auto& invariant : intents::verify(session)) {
        if (invariant.for_attention) continue;
        for (const auto& breach : invariant.breaches) {
            ADD_FAILURE() << invariant.name << ": " << breach.subject << " " << breach.what;
        }
    }
}

void Paying::webhook(const std::string& event_id, const payments::Payment& about,
                     std::int64_t amount, bool total) {
    const std::string reference = gateway->reference_of(about.key);
    testing::Said said;
    said.total = total;
    said.id = event_id;
    said.amount = amount;
    providers::Event event = testing::event(said);
    event.object = reference;
    event.movements.at(0).effect_key = make_effect_key("test", "capture", {reference});
    event.signal_key = about.key;
    auto submission = testing::deliver({event}, "test");
    submission.books = "test";
    testing::commit(session, {submission});
}

}  // namespace pawl::workflows
