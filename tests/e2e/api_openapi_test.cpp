// Every operation of /openapi.json is asked of the real server, and what comes back is held to the
// document: a status that it names, under its content type, with the members that it requires.
#include "tests/e2e/api_case.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/openapi_document.hpp"

namespace pawl::testing {
namespace {

class ApiOpenApi : public ::testing::Test {
  protected:
    // `asked` is the path with its parameters filled in.
    Response v1(int status, const std::string& method, const std::string& path,
                const std::string& asked, const std::string& body = "",
                const providers::Headers& headers = {}) {
        return held(status, method, path, api.ask(method, asked, body, headers));
    }
    Response admin(int status, const std::string& method, const std::string& path,
                   const std::string& asked, const std::string& body = "") {
        return held(status, method, path, api.admin(method, asked, body));
    }
    Response held(int status, const std::string& method, const std::string& path, Response answer) {
        EXPECT_EQ(answer.status, status) << method << " " << path << ": " << answer.body;
        EXPECT_EQ(document.complaint(method, path, answer), "")
            << method << " " << path << " " << answer.status << ": " << answer.body;
        return answer;
    }
    void drive_orders();
    void drive_payments();
    void drive_captures();
    void drive_refunds_and_accounts();
    void drive_webhooks();
    void drive_admin_reads();
    void drive_admin_changes();

    ApiServer api;
    OpenApiDocument document{api.admin("GET", "/openapi.json").body};
    std::string payment_;
};

void ApiOpenApi::drive_orders() {
    const std::string path = "/v1/orders/{order}", at = "/v1/orders/o1";
    const std::string order =
        R"({"amount":5000,"currency":"USD","account":"user:42","gateway":"sandbox"})";
    const std::string dearer =
        R"({"amount":6000,"currency":"USD","account":"user:42","gateway":"sandbox"})";
    v1(201, "PUT", path, at, order);
    v1(200, "PUT", path, at, order);
    v1(400, "PUT", path, at, "{}");
    v1(409, "PUT", path, at, dearer);
    v1(412, "PUT", path, at, dearer, {{"If-Match", "\"9\""}});
    v1(200, "GET", path, at);
    v1(404, "GET", path, "/v1/orders/none");
    held(401, "GET", path, HttpClient(api.server.port()).get(at));
    held(403, "GET", path,
         HttpClient(api.server.port())
             .request("GET", at, {{"Authorization", std::string("Bearer ") + admin_token}}, ""));
}

void ApiOpenApi::drive_payments() {
    const std::string path = "/v1/orders/{order}/payments", at = "/v1/orders/o1/payments";
    const auto key = [](const char* text) {
        return providers::Headers{{"Idempotency-Key", text}, {"Prefer", "wait=20"}};
    };
    v1(400, "POST", path, at, "{}");
    v1(404, "POST", path, "/v1/orders/none/payments", "{}", key("k0"));
    const auto paid = v1(201, "POST", path, at, "{}", key("k1"));
    payment_ = member(paid.body, "/payment_id");
    v1(201, "POST", path, at, "{}", key("k1"));
    v1(422, "POST", path, at, "{ }", key("k1"));
    v1(409, "POST", path, at, "{}", key("k2"));
    api.put_order("slow");
    const auto slow = v1(202, "POST", path, "/v1/orders/slow/payments",
                         R"({"payment_method":"pm_requires_action"})",
                         {{"Idempotency-Key", "k3"}, {"Prefer", "wait=1"}});
    const std::string cancel = "/v1/payments/{payment}/cancel";
    const std::string slow_at = slow.header("Location");
    v1(200, "POST", cancel, slow_at + "/cancel", "", {{"Prefer", "wait=20"}});
    v1(404, "POST", cancel, "/v1/payments/none/cancel");
    v1(409, "POST", cancel, "/v1/payments/" + payment_ + "/cancel");
    v1(200, "GET", "/v1/payments/{payment}", "/v1/payments/" + payment_);
    v1(404, "GET", "/v1/payments/{payment}", "/v1/payments/none");
    v1(200, "GET", "/v1/idempotency", "/v1/idempotency");
}

void ApiOpenApi::drive_captures() {
    const std::string path = "/v1/payments/{payment}/capture";
    api.put_order("held");
    const auto held =
        v1(201, "POST", "/v1/orders/{order}/payments", "/v1/orders/held/payments",
           R"({"capture":"manual"})", {{"Idempotency-Key", "k4"}, {"Prefer", "wait=20"}});
    const std::string at = held.header("Location") + "/capture";
    const providers::Headers key = {{"Idempotency-Key", "c1"}, {"Prefer", "wait=20"}};
    v1(201, "POST", path, at, R"({"amount":3000})", key);
    v1(422, "POST", path, at, R"({"amount":3001})", key);
    v1(409, "POST", path, at, "{}", {{"Idempotency-Key", "c2"}});
    v1(400, "POST", path, at, R"({"amount":0})", {{"Idempotency-Key", "c3"}});
    v1(404, "POST", path, "/v1/payments/none/capture", "{}", {{"Idempotency-Key", "c3"}});
}

void ApiOpenApi::drive_refunds_and_accounts() {
    const std::string path = "/v1/payments/{payment}/refunds";
    const std::string at = "/v1/payments/" + payment_ + "/refunds";
    const providers::Headers key = {{"Idempotency-Key", "r1"}, {"Prefer", "wait=20"}};
    const auto refund = v1(201, "POST", path, at, R"({"amount":100})", key);
    v1(422, "POST", path, at, R"({"amount":101})", key);
    v1(409, "POST", path, at, R"({"amount":5000})", {{"Idempotency-Key", "r2"}});
    v1(400, "POST", path, at, R"({"amount":0})", {{"Idempotency-Key", "r2"}});
    v1(404, "POST", path, "/v1/payments/none/refunds", "{}", {{"Idempotency-Key", "r2"}});
    v1(200, "GET", "/v1/refunds/{refund}", refund.header("Location"));
    v1(404, "GET", "/v1/refunds/{refund}", "/v1/refunds/none");
    v1(200, "GET", "/v1/accounts/{account}", "/v1/accounts/user:42");
    v1(404, "GET", "/v1/accounts/{account}", "/v1/accounts/nobody");
    const std::string transfers = "/v1/accounts/{account}/transfers";
    v1(200, "GET", transfers, "/v1/accounts/user:42/transfers?limit=1");
    v1(400, "GET", transfers, "/v1/accounts/user:42/transfers?limit=0");
}

void ApiOpenApi::drive_webhooks() {
    const std::string path = "/webhooks/{provider}";
    DemoSender sender(api.server.port());
    held(200, "POST", path, sender.send({.id = "evt_1"}));
    held(401, "POST", path, HttpClient(api.server.port()).post("/webhooks/demo", {}, "{}"));
    held(404, "POST", path, HttpClient(api.server.port()).post("/webhooks/none", {}, "{}"));
    held(200, "GET", "/healthz", HttpClient(api.server.port()).get("/healthz"));
    for (const char* at : {"/healthz", "/readyz", "/metrics", "/openapi.json"}) {
        held(200, "GET", at, HttpClient(api.server.admin_port()).get(at));
        EXPECT_EQ(HttpClient(api.server.admin_port()).get("/v1/idempotency").status, 404);
    }
    EXPECT_EQ(HttpClient(api.server.port()).get("/openapi.json").status, 404)
        << "it is the admin listener's";
}

void ApiOpenApi::drive_admin_reads() {
    for (const char* list :
         {"attention", "intents", "rejections", "accounts", "audit", "workflows", "providers"}) {
        const std::string path = std::string("/admin/v1/") + list;
        admin(200, "GET", path, path + "?limit=2");
        admin(400, "GET", path, path + "?limit=0");
    }
    admin(200, "GET", "/admin/v1/intents/{provider}/{event_id}", "/admin/v1/intents/demo/evt_1");
    admin(404, "GET", "/admin/v1/intents/{provider}/{event_id}", "/admin/v1/intents/demo/none");
    admin(200, "GET", "/admin/v1/accounts/{account}", "/admin/v1/accounts/user:42");
    admin(404, "GET", "/admin/v1/accounts/{account}", "/admin/v1/accounts/nobody");
    admin(200, "GET", "/admin/v1/workflows/{id}", "/admin/v1/workflows/1");
    admin(404, "GET", "/admin/v1/workflows/{id}", "/admin/v1/workflows/999999");
    const std::string jobs = "/admin/v1/jobs";
    Response listed;
    EXPECT_TRUE(eventually([&] {
        listed = api.admin("GET", jobs);
        return !member(listed.body, "/items/0/id").empty();
    })) << "nothing moves what was staged";
    admin(200, "GET", jobs, jobs + "?limit=2");
    admin(400, "GET", jobs, jobs + "?limit=0");
    admin(200, "GET", jobs + "/{id}", jobs + "/" + member(listed.body, "/items/0/id"));
    admin(404, "GET", jobs + "/{id}", jobs + "/999999");
    held(401, "GET", "/admin/v1/audit", HttpClient(api.server.admin_port()).get("/admin/v1/audit"));
}

void ApiOpenApi::drive_admin_changes() {
    const std::string reason = R"({"reason":"a test"})";
    for (const char* act : {"retry", "release", "post", "assign", "dismiss"}) {
        const std::string path = std::string("/admin/v1/intents/{provider}/{event_id}/") + act;
        const std::string at = std::string("/admin/v1/intents/demo/evt_1/") + act;
        admin(400, "POST", path, at, "{}");
        admin(409, "POST", path, at, reason);
        admin(404, "POST", path, std::string("/admin/v1/intents/none/evt_1/") + act, reason);
    }
    for (const char* act : {"pause", "resume"}) {
        const std::string path = std::string("/admin/v1/providers/{provider}/") + act;
        admin(200, "POST", path, std::string("/admin/v1/providers/demo/") + act, reason);
        admin(400, "POST", path, std::string("/admin/v1/providers/demo/") + act, "{}");
        admin(404, "POST", path, std::string("/admin/v1/providers/none/") + act, reason);
    }
    for (const char* act : {"retry", "discard"}) {
        const std::string path = std::string("/admin/v1/jobs/{id}/") + act;
        admin(400, "POST", path, std::string("/admin/v1/jobs/999999/") + act, "{}");
        admin(404, "POST", path, std::string("/admin/v1/jobs/999999/") + act, reason);
    }
    for (const char* act : {"resume", "cancel", "new-attempt", "resolve"}) {
        const std::string path = std::string("/admin/v1/workflows/{id}/") + act;
        const std::string at = std::string("/admin/v1/workflows/1/") + act;
        const bool resolve = act == std::string("resolve");
        admin(400, "POST", path, at, "{}");
        admin(409, "POST", path, at,
              resolve ? R"({"reason":"a test","outcome":"failed"})" : reason);
    }
    EXPECT_EQ(api.admin("POST", "/admin/v1/workflows/1/dance", reason).status, 404);
    const std::string transfers = "/admin/v1/transfers";
    const std::string entry =
        R"({"reference":"T-1","debit_account":"promo","credit_account":"user:9",)"
        R"("currency":"USD","reason":"a test","amount":)";
    admin(200, "POST", transfers, transfers, entry + "5}");
    admin(200, "POST", transfers, transfers, entry + "5}");
    admin(409, "POST", transfers, transfers, entry + "6}");
    admin(400, "POST", transfers, transfers, reason);
    admin(404, "POST", transfers, transfers, R"({"reverses":999999,"reason":"a test"})");
    admin(200, "POST", "/admin/v1/verify", "/admin/v1/verify");
}

// One test, because its last question is whether any operation was left out.
TEST_F(ApiOpenApi, EveryOperationAnswersAsItIsDescribed) {
    drive_orders();
    drive_payments();
    drive_captures();
    drive_refunds_and_accounts();
    drive_webhooks();
    drive_admin_reads();
    drive_admin_changes();
    EXPECT_EQ(document.never_asked(), std::vector<std::string>());
}

}  // namespace
}  // namespace pawl::testing
