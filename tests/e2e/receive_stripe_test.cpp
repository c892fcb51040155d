// Deliveries as Stripe makes them, by the shipped stripe.toml, over a real socket: what its
// Stripe-Signature header may look like, and what becomes of it while a secret is rolled.
#include <gtest/gtest.h>

#include "tests/e2e/foreign_clients.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/stripe_events.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

constexpr std::string_view new_secret = stripe_secret;
constexpr std::string_view old_secret = "whsec_1a2b3c4d5e6f708192a3b4c5d6e7f809";
constexpr std::string_view strange_secret = "whsec_ffffffffffffffffffffffffffffffff";

class ReceiveStripe : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { shared_ = std::make_unique<Shared>(); }
    static void TearDownTestSuite() { shared_.reset(); }

    struct Shared {
        Shared() { server.start(); }
        Folder folder;
        TestDatabase database;
        Server server{{.data_dir = folder / "data",
                       .database_url = database.url(),
                       .config = copied_config(folder),
                       .variables = {"STRIPE_WEBHOOK_SECRET=" + std::string(new_secret),
                                     "STRIPE_OLD_SECRET=" + std::string(old_secret)}}};
    };
    static void list_secrets(const std::string& secrets) {
        const std::string file = shared_->server.options().config + "/providers/stripe.toml";
        std::string text = read_text(file);
        const auto at = text.find("\nsecrets ") + 1;
        text.replace(at, text.find('\n', at) - at, "secrets = [" + secrets + "]");
        write_text(file, text);
        shared_->server.kill_now();
        shared_->server.start();
    }
    static Response post(const std::vector<std::string>& signatures, const std::string& body) {
        providers::Headers headers = {{"Content-Type", "application/json; charset=utf-8"},
                                      {"User-Agent", "Stripe/1.0 (+https://stripe.com)"}};
        for (const auto& one : signatures) headers.emplace_back("Stripe-Signature", one);
        return DemoSender(shared_->server.port(), "stripe").post(headers, body);
    }
    static std::string amount_of(const std::string& id) {
        return shared_->database.value(
            "SELECT coalesce(sum(amount), 0) FROM balances WHERE account = 'user:" + id + "'");
    }
    static std::string intents(const std::string& id) {
        return shared_->database.value(
            "SELECT count(*) FROM webhook_intents WHERE event_id = "
            "'evt_" +
            id + "'");
    }
    static inline std::unique_ptr<Shared> shared_;
};

struct Signed {
    const char* name;
    const char* diagnosis;  // null: authentic
    // The header lines for this body, signed about `now`.
    std::vector<std::string> (*lines)(const std::string& body);
};

std::string at(int minutes_ago) {
    return seconds_of(now() - std::chrono::minutes(minutes_ago));
}
std::string genuine(const std::string& body, std::string_view secret = new_secret,
                    int minutes_ago = 0) {
    const std::string t = at(minutes_ago);
    return "t=" + t + "," + stripe_v1(t, body, secret);
}

const Signed headers[] = {
    {"AsItIs", nullptr, [](const auto& body) { return std::vector{genuine(body)}; }},
    {"WithAnOldV0Beside", nullptr,
     [](const auto& body) { return std::vector{genuine(body) + ",v0=" + std::string(64, 'a')}; }},
    // Stripe signs with both secrets for as long as a rolled one lives on.
    {"RolledAndTheOtherFirst", nullptr,
     [](const auto& body) {
         const std::string t = at(0);
         return std::vector{"t=" + t + "," + stripe_v1(t, body, strange_secret) + "," +
                            stripe_v1(t, body, new_secret)};
     }},
    {"RolledAndTheOtherLast", nullptr,
     [](const auto& body) {
         const std::string t = at(0);
         return std::vector{"t=" + t + "," + stripe_v1(t, body, new_secret) + "," +
                            stripe_v1(t, body, strange_secret)};
     }},
    {"FourMinutesOld", nullptr,
     [](const auto& body) { return std::vector{genuine(body, new_secret, 4)}; }},
    {"TwoLinesOneForged", nullptr,
     [](const auto& body) {
         return std::vector{"t=1,v1=" + std::string(64, '0'), genuine(body)};
     }},
    {"SixMinutesOld", "timestamp_too_old",
     [](const auto& body) { return std::vector{genuine(body, new_secret, 6)}; }},
    {"SixMinutesAhead", "timestamp_in_future",
     [](const auto& body) { return std::vector{genuine(body, new_secret, -6)}; }},
    {"AnotherSecret", "wrong_secret",
     [](const auto& body) { return std::vector{genuine(body, strange_secret)}; }},
    {"ASecretThatIsNotListedYet", "wrong_secret",
     [](const auto& body) { return std::vector{genuine(body, old_secret)}; }},
    {"AnotherBody", "wrong_secret",
     [](const auto& body) { return std::vector{genuine(body + "0")}; }},
    {"AnOldSignatureUnderANewTime", "wrong_secret",
     [](const auto& body) {
         return std::vector{"t=" + at(0) + "," + stripe_v1(at(60), body, new_secret)};
     }},
    {"OnlyV0", "header_malformed",
     [](const auto& body) {
         const std::string t = at(0);
         return std::vector{"t=" + t + ",v0=" + stripe_v1(t, body, new_secret).substr(3)};
     }},
    {"NoTime", "header_malformed",
     [](const auto& body) { return std::vector{stripe_v1(at(0), body, new_secret)}; }},
    {"NoHeader", "header_missing", [](const auto&) { return std::vector<std::string>(); }},
};

class ReceiveStripeSigned : public ReceiveStripe, public ::testing::WithParamInterface<Signed> {};

TEST_P(ReceiveStripeSigned, IsAnsweredByItsHeader) {
    const Signed& tested = GetParam();
    const std::string body = stripe_event(tested.name);
    const auto answer = post(tested.lines(body), body);
    if (tested.diagnosis == nullptr) {
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_NE(answer.body.find(R"("outcome":"applied","duplicate":false)"), std::string::npos);
        EXPECT_EQ(amount_of(tested.name), "5000");
        return;
    }
    EXPECT_EQ(answer.status, 401) << answer.body;
    EXPECT_EQ(answer.code(), tested.diagnosis) << answer.body;
    EXPECT_EQ(intents(tested.name), "0");
    EXPECT_EQ(post({genuine(body)}, body).status, 200) << "the refusal hurt the genuine one";
}

INSTANTIATE_TEST_SUITE_P(Header, ReceiveStripeSigned, ::testing::ValuesIn(headers),
                         [](const auto& tested) { return std::string(tested.param.name); });

// From the day that both are listed, to the day that the old one is taken off the list.
TEST_F(ReceiveStripe, WhileASecretIsRolledBothAreGoodAndAfterwardsOnlyTheNewOne) {
    const auto status = [](const std::string& id, std::string_view secret) {
        const std::string body = stripe_event(id);
        return post({genuine(body, secret)}, body).status;
    };
    EXPECT_EQ(status("before", old_secret), 401);
    list_secrets(R"("${env:STRIPE_WEBHOOK_SECRET}", "${env:STRIPE_OLD_SECRET}")");
    EXPECT_EQ(status("rolling1", old_secret), 200);
    EXPECT_EQ(status("rolling2", new_secret), 200);
    EXPECT_EQ(status("rolling3", strange_secret), 401);
    list_secrets(R"("${env:STRIPE_WEBHOOK_SECRET}")");
    EXPECT_EQ(status("after1", old_secret), 401);
    EXPECT_EQ(status("after2", new_secret), 200);
    // A redelivery under the new secret is a duplicate of the delivery under the old one.
    EXPECT_EQ(status("rolling1", new_secret), 200);
    EXPECT_EQ(amount_of("rolling1"), "5000");
}

TEST_F(ReceiveStripe, ASignatureThatNodeMadeIsTakenToo) {
    if (on_path("node").empty()) GTEST_SKIP() << "there is no node on PATH";
    const std::string body = stripe_event("node");
    const std::string t = at(0);
    const auto made =
        run_program({on_path("node"), "-e",
                     "const [secret, text] = process.argv.slice(1);process.stdout.write("
                     "require('crypto').createHmac('sha256', secret).update(text).digest('hex'))",
                     std::string(new_secret), t + "." + body});
    EXPECT_EQ(made.output.size(), 64U) << made.output;
    EXPECT_EQ(post({"t=" + t + ",v1=" + made.output}, body).status, 200);
    EXPECT_EQ(amount_of("node"), "5000");
}

}  // namespace
}  // namespace pawl::testing
