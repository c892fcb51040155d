// Orders paid over real sockets: the real program, its engine, and the sandbox's own count.
#include <future>
#include <set>

#include "tests/e2e/api_case.hpp"

namespace pawl::testing {
namespace {

class ApiPayments : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { shared_ = std::make_unique<ApiServer>(); }
    static void TearDownTestSuite() { shared_.reset(); }
    static ApiServer& api() { return *shared_; }

  private:
    static inline std::unique_ptr<ApiServer> shared_;
};

TEST_F(ApiPayments, AnOrderIsPaidCreditedAndRefunded) {
    api().put_order("o1");
    const auto paid = api().pay("o1", "k1");
    EXPECT_EQ(paid.status, 201) << paid.body;
    EXPECT_EQ(member(paid.body, "/state"), "succeeded");
    EXPECT_EQ(member(paid.body, "/captured"), "5000");
    const auto again = api().pay("o1", "k1");
    EXPECT_EQ(again.body, paid.body);
    EXPECT_EQ(again.header("Idempotent-Replayed"), "true");
    EXPECT_EQ(again.header("Location"), paid.header("Location"));
    EXPECT_EQ(api().sandbox.counts().by_order["o1"], 1);
    EXPECT_EQ(member(api().ask("GET", "/v1/accounts/user:42").body, "/balances/0/amount"), "5000");

    const auto refund =
        api().ask("POST", paid.header("Location") + "/refunds", R"({"amount":2000})",
                  {{"Idempotency-Key", "r1"}, {"Prefer", "wait=20"}});
    EXPECT_EQ(refund.status, 201) << refund.body;
    EXPECT_EQ(member(refund.body, "/state"), "succeeded");
    EXPECT_EQ(member(refund.body, "/key"), "refund:o1:1");
    EXPECT_EQ(api().ask("GET", refund.header("Location")).status, 200);
    EXPECT_EQ(member(api().ask("GET", paid.header("Location")).body, "/state"),
              "partially_refunded");
    EXPECT_EQ(member(api().ask("GET", "/v1/accounts/user:42").body, "/balances/0/amount"), "3000");
    EXPECT_EQ(member(api().admin("POST", "/admin/v1/verify", "{}").body, "/holds"), "true");
}

TEST_F(ApiPayments, TwoHundredFirstUsesOfOneKeyAreOneCharge) {
    api().put_order("crowd");
    std::vector<std::future<Response>> asked;
    for (int i = 0; i < 200; ++i) {
        asked.push_back(
            std::async(std::launch::async, [] { return api().pay("crowd", "crowd-key"); }));
    }
    std::map<int, int> statuses;
    std::set<std::string> bodies;
    for (auto& one : asked) {
        const auto answer = one.get();
        ++statuses[answer.status];
        if (answer.status == 201) bodies.insert(answer.body);
    }
    // A busy machine may answer 503 in time, which is not a 500 and executes nothing.
    EXPECT_EQ(statuses[201] + statuses[409] + statuses[503], 200) << "and no 500 among them";
    EXPECT_EQ(bodies.size(), 1U);
    EXPECT_EQ(api().sandbox.counts().by_order["crowd"], 1);
    EXPECT_EQ(api().database.value("SELECT count(*) FROM payments WHERE order_id = 'crowd'"), "1");
}

TEST_F(ApiPayments, TwoKeysForOneOrderAreOneCharge) {
    api().put_order("two");
    std::vector<std::future<Response>> asked;
    for (int i = 0; i < 20; ++i) {
        asked.push_back(std::async(std::launch::async,
                                   [i] { return api().pay("two", "key-" + std::to_string(i)); }));
    }
    std::map<int, int> statuses;
    for (auto& one : asked) ++statuses[one.get().status];
    EXPECT_EQ(statuses[201], 1);
    EXPECT_EQ(statuses[409], 19);
    EXPECT_EQ(api().pay("two", "key-late").code(), "order_paid");
    EXPECT_EQ(api().sandbox.counts().by_order["two"], 1);
}

TEST_F(ApiPayments, TheThreeChecksOfTheGuidePass) {
    const auto finished = api().verify();
    EXPECT_TRUE(finished.succeeded) << finished.how << "\n" << finished.output;
    EXPECT_EQ(finished.output.find("FAIL"), std::string::npos) << finished.output;
}

TEST(ApiStripeProfile, TheThreeChecksOfTheGuidePass) {
    ApiServer api("[idempotency]\nprofile = \"stripe\"\n");
    const auto finished = api.verify();
    EXPECT_TRUE(finished.succeeded) << finished.how << "\n" << finished.output;
    EXPECT_NE(finished.output.find("refused with 400"), std::string::npos) << finished.output;
}

TEST(ApiCanary, ASmallOrderIsPaidOnceAndTheExitCodeSaysSo) {
    ApiServer api;
    const auto canary = [&](const std::string& token) {
        process::Command command;
        command.argv = {PAWL_PROGRAM, "canary",
                        "--gateway",  "sandbox",
                        "--url",      "http://127.0.0.1:" + std::to_string(api.server.port())};
        command.env = {"PATH=/usr/bin:/bin", "PAWL_API_TOKEN=" + token};
        return process::run(std::move(command), std::chrono::seconds(30)).value();
    };
    const auto paid = canary(api_token);
    EXPECT_TRUE(paid.succeeded) << paid.output;
    EXPECT_NE(paid.output.find("paid once, its key sent 3 times"), std::string::npos)
        << paid.output;
    EXPECT_EQ(api.sandbox.counts().charges, 1);
    EXPECT_EQ(canary("").how, "exited with 2");
    api.sandbox.set("faults", R"({"down":true})");
    EXPECT_EQ(canary(api_token).how, "exited with 1");
    EXPECT_EQ(api.sandbox.counts().charges, 1);
}

TEST(ApiShutdown, AWaitingClientIsAnsweredBeforeTheServerEnds) {
    ApiServer api;
    api.put_order("o1");
    const char* silence = R"({"payment_method":"pm_timeout_before:30000"})";
    auto waiting =
        std::async(std::launch::async, [&] { return api.pay("o1", "k1", "60", silence); });
    EXPECT_TRUE(eventually(
        [&] { return api.database.value("SELECT count(*) FROM payments") == "1"; }, patience));
    api.server.signal(SIGTERM);
    const auto answer = waiting.get();
    EXPECT_EQ(answer.status, 202) << answer.body;
    EXPECT_TRUE(api.server.ended_within(patience));
}

// The real end of the process, in each gap of the first request.
class ApiCrash : public ::testing::TestWithParam<const char*> {};

TEST_P(ApiCrash, WhereverTheFirstRequestDiesTheRetryIsOneChargeAndItsAnswer) {
    ApiServer api("", std::string(GetParam()) + "=kill");
    api.put_order("o1");
    EXPECT_EQ(api.pay("o1", "k1", "2").status, 0);
    EXPECT_TRUE(api.server.ended_within(patience)) << "it was to be killed";
    api.server.options().faults.clear();
    api.server.start();
    Response answer;
    EXPECT_TRUE(eventually(
        [&] {
            answer = api.pay("o1", "k1", "10");
            return answer.status == 201;
        },
        patience))
        << answer.status << " " << answer.body;
    EXPECT_EQ(member(answer.body, "/state"), "succeeded");
    EXPECT_EQ(member(answer.body, "/key"), "pay:o1:1");
    EXPECT_EQ(api.pay("o1", "k1").body, answer.body);
    EXPECT_EQ(api.sandbox.counts().by_order["o1"], 1);
}

INSTANTIATE_TEST_SUITE_P(Gaps, ApiCrash,
                         ::testing::Values("key_taken_before_work", "work_done_before_commit",
                                           "work_committed_before_wait",
                                           "answer_stored_before_reply"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace pawl::testing
