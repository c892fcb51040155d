// The table of answers to a webhook, each row by three clients: curl, Node, and raw bytes. Rows
// that only broken HTTP can reach are for bytes alone: receive_program, gate_test.
#include "tests/e2e/any_client.hpp"
#include "tests/e2e/receive_case.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

using providers::Headers;

class ReceiveRows : public ReceiveCase, public ::testing::WithParamInterface<By> {
  protected:
    void SetUp() override {
        if (!is_there(GetParam())) GTEST_SKIP() << "not on PATH: " << to_text(GetParam());
    }
    // Event id of this client, in rows that all clients share.
    std::string id(const std::string& row) const { return row + "_" + to_text(GetParam()); }
    Response told(const Ask& ask) { return ask_by(GetParam(), server().port(), ask); }
    Response deliver(const Payment& payment, const std::string& provider = "demo") {
        return told(asked(payment, provider));
    }
    static Ask asked(const Payment& payment, const std::string& provider = "demo") {
        const std::string body = body_of(payment);
        const std::string_view secret = provider == "demo" ? std::string_view() : other_secret;
        return {"/webhooks/" + provider, signed_headers(payment.id, body, now(), secret), body};
    }
    static void expect_problem(const Response& answer, int status, const std::string& code) {
        EXPECT_EQ(answer.status, status) << answer.body;
        EXPECT_EQ(answer.code(), code) << answer.body;
        EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
    }
    static void expect_said(const Response& answer, const std::string& part) {
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_NE(answer.body.find(part), std::string::npos) << answer.body;
    }
    // A worker processes it, since this time.
    void lease(const std::string& provider, const std::string& event, const std::string& age) {
        database().run("INSERT INTO provider_pauses VALUES ('" + provider +
                       "', now(), 'ana', 'test')");
        expect_said(deliver({.id = event}, provider), R"("status":"pending")");
        database().run(
            "UPDATE webhook_intents SET lease = 7, wake_at = clock_timestamp() + interval '1 hour',"
            " locked_at = clock_timestamp() - interval '" +
            age + "' WHERE event_id = '" + event + "'");
        database().run("DELETE FROM provider_pauses");
    }
};

TEST_P(ReceiveRows, NewAndSeenBefore) {
    EXPECT_EQ(deliver({.id = id("new")}).body, answer_body(id("new"), "done", "applied", false));
    EXPECT_EQ(deliver({.id = id("new")}).body, answer_body(id("new"), "done", "applied", true));
    Ask chunked = asked({.id = id("new")});
    chunked.chunked = true;
    EXPECT_EQ(told(chunked).body, answer_body(id("new"), "done", "applied", true));
}

TEST_P(ReceiveRows, LeasedPausedAndTakenOver) {
    lease("demo", id("leased"), "1 second");
    expect_said(deliver({.id = id("leased")}), R"("status":"pending")");
    lease("narrow", id("conflict"), "1 second");
    const auto conflict = deliver({.id = id("conflict")}, "narrow");
    expect_problem(conflict, 409, "in_progress");
    EXPECT_EQ(conflict.header("Retry-After"), "1");
    lease("demo", id("expired"), "1 hour");
    expect_said(deliver({.id = id("expired")}), R"("status":"done","outcome":"applied")");
}

TEST_P(ReceiveRows, VerifiedAndNotApplicable) {
    const Ask unreadable{"/webhooks/demo", signed_headers(id("odd"), "no JSON", now()), "no JSON"};
    expect_said(told(unreadable), R"("outcome":"quarantined","note":"unreadable")");
    expect_said(deliver({.id = id("norule"), .type = "x"}, "narrow"), R"("note":"no_rule")");
    expect_said(deliver({.id = id("minus"), .amount = -1}), R"("note":"bad_amount")");
    deliver({.id = id("twice")});
    expect_said(deliver({.id = id("twice"), .amount = 2}), R"("note":"id_conflict")");
}

TEST_P(ReceiveRows, NotAuthentic) {
    const Ask good = asked({.id = id("forged")});
    const auto refused = [&](const char* code, const Headers& headers, const std::string& body) {
        expect_problem(told({good.path, headers, body}), 401, code);
    };
    refused("wrong_secret", signed_headers(id("forged"), good.body, now(), other_secret),
            good.body);
    refused("body_altered", good.headers, good.body + "\n");
    refused("header_missing", {}, good.body);
    const auto minutes = std::chrono::minutes(6);
    refused("timestamp_too_old", signed_headers(id("forged"), good.body, now() - minutes),
            good.body);
    refused("timestamp_in_future", signed_headers(id("forged"), good.body, now() + minutes),
            good.body);
    Headers two_times = good.headers;
    two_times.emplace_back("webhook-timestamp", "1");
    refused("header_malformed", two_times, good.body);
    EXPECT_EQ(intents(id("forged")), "0");
    Headers two_signatures = {{"webhook-signature", "v1,AAAA"}};
    two_signatures.insert(two_signatures.end(), good.headers.begin(), good.headers.end());
    EXPECT_EQ(told({good.path, two_signatures, good.body}).status, 200);
}

TEST_P(ReceiveRows, UnknownProviderOtherMethodAndTooLarge) {
    expect_problem(deliver({.id = id("nobody")}, "nobody"), 404, "unknown_provider");
    for (const char* method : {"GET", "PUT", "DELETE"}) {
        const auto answer = told({.path = "/webhooks/demo", .method = method});
        expect_problem(answer, 405, "method_not_allowed");
        EXPECT_EQ(answer.header("Allow"), "POST");
    }
    Ask large = asked({.id = id("large")});
    large.body.resize(1024 * 1024 + 1, ' ');
    EXPECT_EQ(told(large).status, 413);
    large.chunked = true;
    EXPECT_EQ(told(large).status, 413);
    Ask lines = asked({.id = id("lines")});
    for (int i = 0; i < 101; ++i) lines.headers.emplace_back("X-" + std::to_string(i), "y");
    expect_problem(told(lines), 431, "too_many_headers");
    Ask expecting = asked({.id = id("expecting")});
    expecting.headers.emplace_back("Expect", "100-continue");
    if (GetParam() == By::curl) {
        EXPECT_EQ(told(expecting).status, 200);
    }
    EXPECT_EQ(intents(id("large")) + intents(id("lines")), "00");
}

TEST_P(ReceiveRows, Batches) {
    const auto batch = [&](std::vector<std::pair<const char*, const char*>> items) {
        std::string body;
        for (const auto& [name, shop] : items) {
            body += (body.empty() ? "{\"events\":[" : ",") + std::string(R"({"shop":")") + shop +
                    R"(",)" + body_of({.id = id(name)}).substr(1);
        }
        body += "]}";
        return told({"/webhooks/batch", signed_headers("batch", body, now(), other_secret), body});
    };
    const auto mixed = batch({{"b1", "mine"}, {"b2", "theirs"}, {"b3", "mine"}});
    expect_said(mixed, R"({"events":[{)");
    expect_said(mixed, R"("status":"refused","code":"not_for_us")");
    EXPECT_EQ(intents(id("b1")) + intents(id("b2")) + intents(id("b3")), "101");
    expect_problem(batch({{"b4", "theirs"}}), 401, "not_for_us");
    expect_problem(batch({{"b5", "mine"}, {"b6", "mine"}, {"b7", "mine"}, {"b8", "mine"}}), 413,
                   "too_many_items");
}

TEST_P(ReceiveRows, AckTextAndServerErrors) {
    EXPECT_EQ(deliver({.id = id("acked")}, "acked").body, "[accepted]");
    {
        const Closed closed(database());
        for (const char* provider : {"demo", "acked"}) {
            const auto answer = deliver({.id = id("away")}, provider);
            expect_unavailable(answer);
            EXPECT_EQ(answer.code(), "not_durable");
        }
    }
    EXPECT_EQ(intents(id("away")), "0");
    EXPECT_TRUE(eventually([&] { return deliver({.id = id("away")}).status == 200; }));
}

INSTANTIATE_TEST_SUITE_P(By, ReceiveRows, ::testing::Values(By::bytes, By::curl, By::node),
                         [](const auto& tested) { return std::string(to_text(tested.param)); });

// A full queue is the same row. Filled again for each client, because it empties.
TEST(ReceiveRowsBusy, AFullQueue) {
    ReceiveServer shared("queue_max = 4\ncommitters = 1\nbatch_max = 1\n",
                         "before_commit=sleep:1400");
    for (const By client : {By::bytes, By::curl, By::node}) {
        if (!is_there(client)) continue;
        std::vector<DemoSender> waiting;
        for (int i = 0; i < 4; ++i) {
            waiting.emplace_back(shared.server.port());
            waiting.back().begin({.id = std::string(to_text(client)) + std::to_string(i)});
        }
        const auto queued = [&] {
            return HttpClient(shared.server.admin_port())
                       .get("/metrics")
                       .body.find("pawl_queue_depth 3") != std::string::npos;
        };
        ASSERT_TRUE(eventually(queued)) << to_text(client);
        const std::string body = body_of({.id = "late"});
        const auto answer = ask_by(client, shared.server.port(),
                                   {"/webhooks/demo", signed_headers("late", body, now()), body});
        expect_unavailable(answer);
        EXPECT_EQ(answer.code(), "busy") << to_text(client);
        for (DemoSender& one : waiting) one.answer();
    }
}

double silence_of(const std::string& provider, std::uint16_t admin_port) {
    const std::string page = HttpClient(admin_port).get("/metrics").body;
    const std::string sample = "pawl_provider_last_event_seconds{provider=\"" + provider + "\"} ";
    const std::size_t at = page.find("\n" + sample);
    return at == std::string::npos ? -1 : std::stod(page.substr(at + 1 + sample.size()));
}

TEST(ReceiveSilence, EndsWithAStoredEventAndNotWithARefusedOne) {
    ReceiveServer shared("");
    const auto silence = [&] { return silence_of("demo", shared.server.admin_port()); };
    constexpr double long_enough = 1;
    ASSERT_TRUE(eventually([&] { return silence() > long_enough; })) << silence();
    DemoSender sender(shared.server.port());
    const std::string body = body_of({.id = "one"});
    EXPECT_EQ(sender.post(signed_headers("one", "{}", now()), body).status, 401);
    EXPECT_GT(silence(), long_enough);
    EXPECT_EQ(sender.send({.id = "one"}).status, 200);
    EXPECT_LT(silence(), long_enough);
    EXPECT_GE(silence(), 0);
}

}  // namespace
}  // namespace pawl::testing
