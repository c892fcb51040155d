#include "tests/integration/api_case.hpp"

#include <chrono>

#include "base/json.hpp"
#include "controllers/admin/table.hpp"
#include "payments/answers.hpp"

namespace pawl::testing {
namespace {

constexpr db::Query due_payments{
    "test_due_payments",
    "SELECT payment_id, key FROM payments WHERE state = 'created' AND NOT cancel_requested"
    " AND payment_method IS DISTINCT FROM 'pm_held'"};
constexpr db::Query canceled_payments{
    "test_canceled_payments",
    "SELECT payment_id FROM payments WHERE state = 'created' AND cancel_requested"};
constexpr db::Query due_captures{
    "test_due_captures",
    "SELECT c.capture_id FROM captures c JOIN payments p USING (payment_id) WHERE c.state = "
    "'created' AND p.payment_method IS DISTINCT FROM 'pm_capture_held'"};
constexpr db::Query due_refunds{"test_due_refunds",
                                "SELECT refund_id FROM refunds WHERE state = 'created'"};

void start(db::Transaction& transaction, const char* workflow, const std::string& key) {
    transaction.run_script(
        "INSERT INTO workflow_runs (workflow, key, step, status, wake_at, correlation_id, "
        "created_at, updated_at) VALUES ('" +
        std::string(workflow) + "', '" + key + "', 'call', 'running', now(), 'c', now(), now())");
}

std::vector<providers::Provider> demo() {
    providers::ProviderConfig config;
    config.name = "demo";
    config.preset = "standard-webhooks";
    config.secrets = {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLJSw"};
    config.read.event_id = {{"/id"}};
    config.read.type = {{"/type"}};
    return {providers::Provider::create(config).value()};
}

}  // namespace

FakeProvider::FakeProvider(const TestDatabase& database, const Clock& clock)
    : database_(database), clock_(clock), thread_([this] { run(); }) {}

FakeProvider::~FakeProvider() {
    ending_ = true;
    thread_.join();
}

http::PaymentDeps FakeProvider::deps() {
    http::PaymentDeps deps;
    deps.start_charge = [](db::Transaction& t, const payments::Payment& payment) {
        start(t, "charge_order", payment.key);
    };
    deps.start_refund = [](db::Transaction& t, const payments::Refund& refund,
                           const payments::Payment&) { start(t, "refund_payment", refund.key); };
    deps.start_capture = [](db::Transaction& t, const payments::Capture& capture,
                            const payments::Payment&) { start(t, "capture_payment", capture.key); };
    deps.request_cancel = [this](db::Transaction& t, const payments::Payment& payment) {
        const auto before = payments::find_payment(t, payment.id, payments::Lock::row).value();
        if (payments::capture_under_way(t, before)) return false;
        auto after = before;
        after.cancel_requested = true;
        payments::save(t, before, after, clock_.now());
        return true;
    };
    deps.wake = [] {};
    deps.gateways = {{"sandbox", "sandbox"}};
    return deps;
}

void FakeProvider::settle(const std::string& payment_id, payments::State state) {
    db::Session session = database_.session();
    db::in_transaction(session, [&](db::Transaction& t) {
        const auto before = payments::find_payment(t, payment_id, payments::Lock::row).value();
        auto after = before;
        after.state = state;
        after.captured = state == payments::State::succeeded ? after.amount.minor : 0;
        after.capturable = state == payments::State::authorized ? after.amount.minor : 0;
        after.updated_at = clock_.now();
        payments::save(t, before, after, after.updated_at);
        payments::answer_subject(t, payment_id, payments::answer_of(after), clock_.now());
    });
}

void FakeProvider::settle_capture(const std::string& capture_id, payments::CaptureState state) {
    db::Session session = database_.session();
    db::in_transaction(session, [&](db::Transaction& t) {
        const auto locked = payments::lock_capture(t, capture_id).value();
        auto payment = locked.payment;
        if (state == payments::CaptureState::succeeded) {
            payment.state = payments::State::succeeded;
            payment.captured += locked.capture.amount;
            payment.capturable =
                locked.capture.final ? 0 : payment.capturable - locked.capture.amount;
        }
        payments::save(t, locked.payment, payment, clock_.now());
        auto after = locked.capture;
        after.state = state;
        after.updated_at = clock_.now();
        payments::save(t, locked.capture, after, after.updated_at);
        payments::answer_subject(t, capture_id, payments::answer_of(after, payment), clock_.now());
    });
}

void FakeProvider::settle_refund(const std::string& refund_id, payments::RefundState state) {
    db::Session session = database_.session();
    db::in_transaction(session, [&](db::Transaction& t) {
        const auto before = payments::lock_refund(t, refund_id)->refund;
        auto after = before;
        after.state = state;
        after.updated_at = clock_.now();
        payments::save(t, before, after, after.updated_at);
        payments::answer_subject(t, refund_id, payments::answer_of(after), clock_.now());
    });
}

void FakeProvider::settle_all() {
    db::Session session = database_.session();
    for (const auto& row : db::Statement::run(session, canceled_payments).named()) {
        settle(row.at("payment_id"), payments::State::canceled);
    }
    for (const auto& row : db::Statement::run(session, due_payments).named()) {
        const std::string& id = row.at("payment_id");
        {
            const std::lock_guard lock(mutex_);
            ++charges_[row.at("key")];
        }
        const auto method = database_.value(
            "SELECT coalesce(payment_method, '') FROM payments "
            "WHERE payment_id = '" +
            id + "'");
        const auto manual =
            database_.value("SELECT manual_capture FROM payments WHERE payment_id = '" + id + "'");
        const auto paid = manual == "t" ? payments::State::authorized : payments::State::succeeded;
        settle(id, method == "pm_decline" ? payments::State::declined : paid);
    }
    for (const auto& row : db::Statement::run(session, due_captures).named()) {
        settle_capture(row.at("capture_id"), payments::CaptureState::succeeded);
    }
    for (const auto& row : db::Statement::run(session, due_refunds).named()) {
        settle_refund(row.at("refund_id"), payments::RefundState::succeeded);
    }
}

void FakeProvider::run() {
    while (!ending_) {
        try {
            settle_all();
        } catch (const db::Failure&) {  // a test has taken the database away
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

int FakeProvider::charges(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return charges_[key];
}

std::size_t FakeProvider::charged_keys() {
    const std::lock_guard lock(mutex_);
    return charges_.size();
}

Api::Api(http::KeyPolicy policy, Duration answer_within)
    : provider(database, clock),
      deps_(provider.deps()),
      sessions_(database.options(), 4),
      blocking_("api", 4, 1000),
      verify_("verify", 1, 1),
      pending_(database.options(), clock, std::chrono::milliseconds(5)) {
    const auto authenticate =
        [](std::string_view token) -> Result<std::optional<access::TokenIdentity>> {
        const auto known = [](std::string_view name, access::TokenRole role) {
            return std::optional(access::TokenIdentity{std::string(name), role});
        };
        if (token == "viewer") return known("ana", access::TokenRole::viewer);
        if (token == "operator") return known("olga", access::TokenRole::operating);
        if (token == "unknown") return std::optional<access::TokenIdentity>();
        return known(token, access::TokenRole::api);
    };
    http::add_v1(routes_,
                 {sessions_, blocking_, authenticate, pending_, timer_, clock, answer_within},
                 deps_, policy, clock);
    http::add_admin(
        routes_, {sessions_, blocking_, authenticate},
        {demo(), {{"sandbox"}, {}}, {"demo"}, [] {}, database.options(), verify_, clock});
    pending_.start();
}

Api::~Api() {
    blocking_.stop();
    verify_.stop();
    pending_.stop();
}

std::future<http::Reply> Api::send(const Asked& asked, const std::string& token) {
    http::Request request;
    request.method = asked.method;
    request.target = asked.target;
    if (asked.target.starts_with("/admin")) request.listener = http::Listener::admin;
    request.headers = asked.headers;
    request.body = asked.body;
    request.headers.emplace_back("authorization", "Bearer " + token);
    request.received_at = clock.now();
    const auto promise = std::make_shared<std::promise<http::Reply>>();
    const http::Responder respond(
        [promise](http::Reply reply) { promise->set_value(std::move(reply)); }, unanswered);
    routes_.dispatch(std::move(request), respond);
    return promise->get_future();
}

http::Reply Api::ask(const Asked& asked, const std::string& token) {
    auto reply = send(asked, token);
    if (reply.wait_for(std::chrono::seconds(30)) != std::future_status::ready) {
        ADD_FAILURE() << asked.method << " " << asked.target << " was not answered";
        return {};
    }
    return reply.get();
}

http::Reply Api::put_order(const std::string& order, int amount) {
    return ask({"PUT",
                "/v1/orders/" + order,
                R"({"amount":)" + std::to_string(amount) +
                    R"(,"currency":"USD","account":"user:42","gateway":"sandbox"})",
                {}});
}

Asked Api::payment(const std::string& order, const std::string& key, const std::string& body,
                   const std::string& wait) {
    return {"POST",
            "/v1/orders/" + order + "/payments",
            body,
            {{"Idempotency-Key", key},
             {"Content-Type", "application/json"},
             {"Prefer", "wait=" + wait}}};
}

std::string header(const http::Reply& reply, const std::string& name) {
    for (const auto& [key, value] : reply.headers) {
        if (key == name) return value;
    }
    return "";
}

std::string member(const http::Reply& reply, const std::string& name) {
    const auto document = json::Document::parse(reply.body);
    if (!document) return "(no JSON)";
    const auto value = document->root().at(json::Pointer::parse("/" + name).value());
    return value ? value->text().value_or("(null)") : "";
}

std::string code(const http::Reply& reply) {
    return std::to_string(reply.status) + " " + member(reply, "code");
}

}  // namespace pawl::testing
