// POST /v1/payments/{payment}/capture: one capture for each key, answered as stored, and refused
// where a cancel or another capture is in the way.
#include "base/fault.hpp"
#include "controllers/v1/start_capture.hpp"
#include "tests/integration/api_case.hpp"

namespace pawl::testing {
namespace {

using std::chrono::days;

class ApiCaptures : public Api {
  protected:
    std::string authorized(const std::string& order = "o1", const std::string& method = "pm_x") {
        put_order(order);
        const auto made = pay(order, "pay-" + order,
                              R"({"capture":"manual","payment_method":")" + method + "\"}");
        EXPECT_EQ(made.status, 201) << made.body;
        EXPECT_EQ(member(made, "state"), "authorized");
        return member(made, "payment_id");
    }
    static Asked asked(const std::string& id, const std::string& key, const std::string& body,
                       const std::string& wait = "5") {
        return {"POST",
                "/v1/payments/" + id + "/capture",
                body,
                {{"Idempotency-Key", key}, {"Prefer", "wait=" + wait}}};
    }
    http::Reply capture(const std::string& id, const std::string& key,
                        const std::string& body = "{}", const std::string& wait = "5") {
        return ask(asked(id, key, body, wait));
    }
    http::Reply get(const std::string& target) { return ask({"GET", target, "", {}}); }
    http::Reply cancel(const std::string& id) {
        return ask({"POST", "/v1/payments/" + id + "/cancel", "", {{"Prefer", "wait=1"}}});
    }
};

TEST_F(ApiCaptures, PartIsCapturedOnceUnderItsKeyAndSeenInItsPayment) {
    const std::string id = authorized();
    const auto waiting = get("/v1/payments/" + id);
    EXPECT_EQ(member(waiting, "capture"), "manual");
    EXPECT_EQ(member(waiting, "capturable"), "5000");
    EXPECT_EQ(member(waiting, "captured"), "0");
    EXPECT_EQ(member(get("/v1/orders/o1"), "due"), "0");
    const auto part = capture(id, "c1", R"({"amount":3000,"final":false})");
    EXPECT_EQ(part.status, 201) << part.body;
    EXPECT_EQ(member(part, "key"), "capture:o1:1:1");
    EXPECT_EQ(member(part, "state"), "succeeded");
    EXPECT_EQ(member(part, "final"), "false");
    EXPECT_EQ(header(part, "Location"), "/v1/payments/" + id);
    const auto again = capture(id, "c1", R"({"amount":3000,"final":false})");
    EXPECT_EQ(again.body, part.body);
    EXPECT_EQ(header(again, "Idempotent-Replayed"), "true");
    EXPECT_EQ(code(capture(id, "c1", "{}")), "422 idempotency_key_reused");
    EXPECT_EQ(capture(id, "c2").status, 201);
    const auto paid = get("/v1/payments/" + id);
    EXPECT_EQ(member(paid, "captured"), "5000");
    EXPECT_EQ(member(paid, "captures/1/amount"), "2000");
    EXPECT_EQ(member(paid, "captures/1/final"), "true") << "nothing was left";
}

TEST_F(ApiCaptures, RefusalsNameTheirReasonAndAreNotStored) {
    const std::string id = authorized();
    EXPECT_EQ(code(capture("pay_none", "c1")), "404 unknown_payment");
    EXPECT_EQ(code(capture(id, "c1", R"({"amount":5001})")), "409 capture_exceeds_authorized");
    EXPECT_EQ(code(ask({"POST", "/v1/payments/" + id + "/capture", "{}", {}})),
              "400 idempotency_key_missing");
    for (const char* body : {R"({"amount":0})", R"({"amount":"5"})", R"({"final":1})",
                             R"({"final":null})", R"({"sum":5})", "[]"}) {
        EXPECT_EQ(code(capture(id, "c1", body)), "400 invalid_capture") << body;
    }
    EXPECT_EQ(capture(id, "c1").status, 201);
    EXPECT_EQ(code(capture(id, "c2")), "409 payment_not_capturable");
    put_order("o2");
    const auto at_once = pay("o2", "k2");
    EXPECT_EQ(code(capture(member(at_once, "payment_id"), "c3")), "409 payment_not_capturable");
    EXPECT_EQ(code(pay("o3", "k3", R"({"capture":"later"})")), "400 invalid_payment");
}

TEST_F(ApiCaptures, CancelAndCaptureExcludeEachOther) {
    const std::string id = authorized("o1", "pm_capture_held");
    const auto held = capture(id, "c1", R"({"amount":1000})", "0");
    EXPECT_EQ(held.status, 202) << held.body;
    EXPECT_EQ(header(held, "Location"), "/v1/payments/" + id);
    EXPECT_EQ(code(capture(id, "c2")), "409 capture_in_progress");
    EXPECT_EQ(code(cancel(id)), "409 capture_in_progress");
    const std::string capture_id = member(get("/v1/payments/" + id), "captures/0/capture_id");
    provider.settle_capture(capture_id, payments::CaptureState::failed);
    EXPECT_EQ(member(get("/v1/payments/" + id), "captures/0/state"), "failed");
    EXPECT_EQ(cancel(id).status, 202);
    EXPECT_EQ(code(capture(id, "c3")), "409 cancel_accepted");
    EXPECT_EQ(code(pay("o1", "again")), "409 payment_in_progress");
}

TEST_F(ApiCaptures, ManyAtOnceAreOneAtATimeAndNeverAboveTheAuthorization) {
    const std::string id = authorized();
    std::vector<std::future<http::Reply>> replies;
    for (int i = 0; i < 30; ++i) {
        replies.push_back(
            send(asked(id, "c" + std::to_string(i), R"({"amount":900,"final":false})")));
    }
    for (auto& future : replies) {
        const auto reply = future.get();
        EXPECT_TRUE(reply.status == 201 || reply.status == 409) << reply.body;
    }
    EXPECT_LE(std::stoll(database.value("SELECT sum(amount)::text FROM captures")), 5000);
    EXPECT_EQ(database.value("SELECT captured = (SELECT sum(amount) FROM captures) FROM payments"),
              "t");
}

TEST_F(ApiCaptures, KeyIsKeptAsLongAsThePayment) {
    const std::string id = authorized();
    const auto first = capture(id, "c1");
    clock.advance(days(3650));
    EXPECT_EQ(capture(id, "c1").body, first.body);
    EXPECT_EQ(database.value("SELECT count(*) FROM captures"), "1");
}

// The process ends before each statement in turn; the retry gets one capture and its answer.
TEST_F(ApiCaptures, RequestThatEndsAtAnyStatementCapturesOnce) {
    std::vector<std::string> died_before;
    for (int n = 1;; ++n) {
        const std::string order = "o" + std::to_string(n);
        const std::string id = authorized(order);
        http::Request request;
        request.method = "POST";
        request.target = "/v1/payments/" + id + "/capture";
        request.params = {{"payment", id}};
        request.headers = asked(id, "c-" + order, "{}").headers;
        request.body = "{}";
        request.principal = access::TokenIdentity{"shop", access::TokenRole::api};
        std::string died;
        int reached = 0;
        const auto deps = provider.deps();
        db::Session session = database.session();
        fault::set_observer([&](std::string_view point, std::string_view what) {
            if (point != "before_statement" || ++reached != n) return;
            died = what;
            throw db::Failure(db::FailureKind::unreachable, "", "the process ends here");
        });
        try {
            http::start_capture(deps, {}, clock)(request, session);
        } catch (const db::Failure&) {
        }
        fault::set_observer({});
        if (died.empty()) break;
        died_before.push_back(died);
        const auto retry = capture(id, "c-" + order);
        EXPECT_EQ(retry.status, 201) << died << ": " << retry.body;
        EXPECT_EQ(database.value("SELECT count(*) FROM captures WHERE payment_id = '" + id + "'"),
                  "1")
            << died;
    }
    EXPECT_GE(died_before.size(), 6U);
    EXPECT_EQ(died_before.back(), "commit");
}

}  // namespace
}  // namespace pawl::testing
