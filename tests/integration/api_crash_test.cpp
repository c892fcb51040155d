// Crashes of a first request at each of its statements, and an unavailable store: the retry under
// the same key gets one charge and its answer.
#include "base/fault.hpp"
#include "controllers/v1/start_payment.hpp"
#include "tests/integration/api_case.hpp"

namespace pawl::testing {
namespace {

using std::chrono::seconds;

bool becomes_true(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + seconds(30);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

class ApiCrash : public Api {
  protected:
    explicit ApiCrash(Duration answer_within = seconds(20)) : Api({}, answer_within) {}
    // Runs the first request of a process that ends before its n-th statement: the database rolls
    // its writes back, and no answer is sent. Returns the statement before which it ended; empty if
    // the request finished.
    std::string die_before(int n, const Asked& asked, db::FailureKind kind) {
        http::Request request;
        request.method = asked.method;
        request.target = asked.target;
        request.params = {{"order", "o1"}};
        request.headers = asked.headers;
        request.body = asked.body;
        request.principal = access::TokenIdentity{"shop", access::TokenRole::api};
        std::string died;
        int reached = 0;
        fault::set_observer([&](std::string_view point, std::string_view what) {
            if (point != "before_statement" || ++reached != n) return;
            died = what;
            throw db::Failure(kind, "", "the process ends here");
        });
        const auto deps = provider.deps();
        db::Session session = database.session();
        try {
            http::start_payment(deps, {}, clock)(request, session);
        } catch (const db::Failure&) {
        }
        fault::set_observer({});
        return died;
    }
    std::string wait_until() { return database.value("SELECT wait_until FROM idempotency_keys"); }
    void empty_tables() {
        database.run(
            "DELETE FROM idempotency_keys; DELETE FROM payments; DELETE FROM orders;"
            "DELETE FROM workflow_runs");
    }
};

TEST_F(ApiCrash, AtEveryStatementAndTheRetryGetsOneChargeAndItsAnswer) {
    const Asked asked = payment("o1", "k1");
    std::vector<std::string> died_before;
    for (int n = 1;; ++n) {
        empty_tables();
        put_order("o1");
        const std::string died = die_before(n, asked, db::FailureKind::unreachable);
        if (died.empty()) break;
        died_before.push_back(died);
        const auto retry = ask(asked);
        EXPECT_EQ(retry.status, 201) << died << ": " << retry.body;
        EXPECT_EQ(member(retry, "key"), "pay:o1:1") << died;
        EXPECT_EQ(ask(asked).body, retry.body) << died;
        EXPECT_EQ(database.value("SELECT count(*) FROM workflow_runs"), "1") << died;
        EXPECT_EQ(provider.charges("pay:o1:1"), n) << died << ": one in each round";
    }
    EXPECT_GE(died_before.size(), 6U);
    EXPECT_EQ(died_before.front(), "payments_insert_key");
    EXPECT_EQ(died_before.back(), "commit");
}

// The server that took the request has ended, and its answer is lost.
TEST_F(ApiCrash, AfterTheCommitTheRetryWaitsForWhatTheFirstHasBegun) {
    put_order("o1");
    const Asked asked = payment("o1", "k1", R"({"payment_method":"pm_held"})", "30");
    EXPECT_EQ(die_before(1000, asked, db::FailureKind::unreachable), "");
    EXPECT_EQ(code(ask(asked)), "409 idempotency_in_progress") << "until its wait has run out";
    const std::string first_wait = wait_until();
    clock.advance(seconds(31));
    auto retry = send(asked);
    // Without this the next request, not the retry, may be the one that takes over the wait.
    ASSERT_TRUE(becomes_true([&] { return wait_until() != first_wait; }));
    EXPECT_EQ(code(ask(asked)), "409 idempotency_in_progress") << "now the retry is waited for";
    provider.settle(database.value("SELECT payment_id FROM payments"), payments::State::succeeded);
    const auto answer = retry.get();
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(header(answer, "Idempotent-Replayed"), "") << "the first answer was never sent";
    EXPECT_EQ(database.value("SELECT count(*) FROM workflow_runs"), "1");
    EXPECT_EQ(header(ask(asked), "Idempotent-Replayed"), "true");
}

// elizaOS#10930: the commit had landed, its answer was lost, and the retry did it again.
TEST_F(ApiCrash, ACommitWhoseAnswerIsLostIsFoundToHaveLanded) {
    put_order("o1");
    int commits = 0;
    http::PaymentDeps deps = provider.deps();
    db::Session session = database.session();
    http::Request request;
    request.method = "POST";
    request.target = "/v1/orders/o1/payments";
    request.params = {{"order", "o1"}};
    request.headers = {{"Idempotency-Key", "k1"}};
    request.principal = access::TokenIdentity{"shop", access::TokenRole::api};
    const auto start_charge = deps.start_charge;
    deps.start_charge = [&](db::Transaction& t, const payments::Payment& payment) {
        start_charge(t, payment);
        if (++commits > 1) return;
        t.commit();  // it lands ...
        throw db::Failure(db::FailureKind::in_doubt, "40003", "and its answer is lost");
    };
    const auto outcome = http::start_payment(deps, {}, clock)(request, session);
    ASSERT_TRUE(std::holds_alternative<http::AnswerLater>(outcome));
    EXPECT_EQ(commits, 1);
    EXPECT_EQ(database.value("SELECT count(*) FROM payments"), "1");
    EXPECT_EQ(database.value("SELECT payment_id FROM payments"),
              std::get<http::AnswerLater>(outcome).subject);
}

// With the time for an answer that the product has.
class ApiWithoutStore : public ApiCrash {
  protected:
    ApiWithoutStore() : ApiCrash(std::chrono::milliseconds(1800)) {}
};

TEST_F(ApiWithoutStore, RequestIsNotExecutedAndAnsweredWith503) {
    put_order("o1");
    database.take_away();
    const auto reply = pay("o1", "k1");
    EXPECT_EQ(code(reply), "503 database_unreachable");
    EXPECT_NE(header(reply, "Retry-After"), "");
    database.bring_back();
    EXPECT_EQ(database.value("SELECT count(*) FROM payments"), "0");
    EXPECT_EQ(database.value("SELECT count(*) FROM idempotency_keys"), "0");
    EXPECT_EQ(pay("o1", "k1").status, 201) << "it was not stored";
}

TEST_F(ApiWithoutStore, AStoreThatHangsIsA503InTimeAndTheRetryFindsWhatWasDoneLate) {
    put_order("o1");
    db::Session other = database.owner();
    std::optional<db::Transaction> holding(other);
    holding->run_script("LOCK TABLE idempotency_keys");
    const auto began = std::chrono::steady_clock::now();
    const auto reply = pay("o1", "k1");
    EXPECT_EQ(code(reply), "503 database_unreachable");
    EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(2));
    holding.reset();
    http::Reply retry;
    do {
        retry = pay("o1", "k1");
        clock.advance(seconds(1));
    } while (retry.status == 409);
    EXPECT_EQ(retry.status, 201) << retry.body;
    EXPECT_EQ(database.value("SELECT count(*) FROM payments"), "1");
}

}  // namespace
}  // namespace pawl::testing
