// The table of answers to a webhook, row by row: deliveries that are not authentic, not addressed
// to a provider, or too large. A rejected delivery takes no slot.
#include "tests/e2e/receive_case.hpp"

namespace pawl::testing {
namespace {

using providers::Headers;
using std::chrono::minutes;
using ReceiveRefusals = ReceiveCase;

struct Attempt {
    Headers headers;
    std::string body;
};

Headers without(Headers headers, const std::string& name) {
    std::erase_if(headers, [&](const auto& line) { return line.first == name; });
    return headers;
}

Headers with(Headers headers, const std::string& name, const std::string& value) {
    for (auto& [key, old] : headers) {
        if (key == name) old = value;
    }
    return headers;
}

Headers twice(Headers headers, const std::string& name, const std::string& value) {
    headers.emplace_back(name, value);
    return headers;
}

struct Refused {
    const char* name;
    const char* diagnosis;
    Attempt (*make)(const std::string& id, const std::string& body);
};
class ReceiveRefuses : public ReceiveCase, public ::testing::WithParamInterface<Refused> {};

TEST_P(ReceiveRefuses, WithADiagnosisThatIsKeptAndNoSlot) {
    const std::string id = std::string("refused_") + GetParam().name;
    const auto attempt = GetParam().make(id, body_of({.id = id}));
    DemoSender sender(server().port());
    const auto answer = sender.post(attempt.headers, attempt.body);
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
    EXPECT_EQ(answer.code(), GetParam().diagnosis) << answer.body;
    EXPECT_NE(answer.body.find(std::string("urn:pawl:problem:") + GetParam().diagnosis),
              std::string::npos);
    EXPECT_EQ(intents(id), "0");
    const std::string kept =
        "SELECT diagnosis FROM webhook_deliveries WHERE verdict = 'rejected' "
        "AND position('" +
        id + "' in convert_from(body, 'UTF8')) > 0";
    EXPECT_TRUE(eventually([&] { return database().value(kept) == GetParam().diagnosis; }))
        << "the refusal was not kept";
    // The genuine one is not hurt by it.
    EXPECT_EQ(sender.send({.id = id}).status, 200);
    EXPECT_EQ(intents(id), "1");
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, ReceiveRefuses,
    ::testing::Values(
        Refused{"AnotherSecret", "wrong_secret",
                [](const auto& id, const auto& body) {
                    return Attempt{signed_headers(id, body, now(), other_secret), body};
                }},
        Refused{"AnotherAmount", "wrong_secret",
                [](const auto& id, const auto& body) {
                    return Attempt{signed_headers(id, body, now()),
                                   body_of({.id = id, .amount = 100000})};
                }},
        Refused{"AnotherId", "wrong_secret",
                [](const auto& id, const auto& body) {
                    return Attempt{with(signed_headers("x", body, now()), "webhook-id", id), body};
                }},
        Refused{"AProxyAddedALine", "body_altered",
                [](const auto& id, const auto& body) {
                    return Attempt{signed_headers(id, body, now()), body + "\n"};
                }},
        Refused{"TooOld", "timestamp_too_old",
                [](const auto& id, const auto& body) {
                    return Attempt{signed_headers(id, body, now() - minutes(6)), body};
                }},
        Refused{"InTheFuture", "timestamp_in_future",
                [](const auto& id, const auto& body) {
                    return Attempt{signed_headers(id, body, now() + minutes(6)), body};
                }},
        Refused{
            "NoSignature", "header_missing",
            [](const auto& id, const auto& body) {
                return Attempt{without(signed_headers(id, body, now()), "webhook-signature"), body};
            }},
        Refused{
            "NoTimestamp", "header_missing",
            [](const auto& id, const auto& body) {
                return Attempt{without(signed_headers(id, body, now()), "webhook-timestamp"), body};
            }},
        Refused{"NoHeadersAtAll", "header_missing",
                [](const auto&, const auto& body) {
                    return Attempt{{}, body};
                }},
        Refused{"TimestampIsNoNumber", "header_malformed",
                [](const auto& id, const auto& body) {
                    return Attempt{
                        with(signed_headers(id, body, now()), "webhook-timestamp", "yesterday"),
                        body};
                }},
        Refused{"SignatureIsNoBase64", "header_malformed",
                [](const auto& id, const auto& body) {
                    return Attempt{
                        with(signed_headers(id, body, now()), "webhook-signature", "v1,***"), body};
                }},
        Refused{"TwoTimestamps", "header_malformed",
                [](const auto& id, const auto& body) {
                    return Attempt{twice(signed_headers(id, body, now()), "webhook-timestamp", "1"),
                                   body};
                }}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(ReceiveRefusals, TheSecondSignatureLineMayBeTheGenuineOne) {
    const std::string body = body_of({.id = "lines1"});
    Headers headers = {{"webhook-signature", "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}};
    for (const auto& line : signed_headers("lines1", body, now())) headers.push_back(line);
    DemoSender sender(server().port());
    EXPECT_EQ(sender.post(headers, body).status, 200);
}

TEST_F(ReceiveRefusals, AnUnknownProviderIsNotFound) {
    DemoSender sender(server().port(), "nobody");
    const auto answer = sender.send({.id = "nobody1"});
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.code(), "unknown_provider");
    EXPECT_EQ(intents("nobody1"), "0");
}

TEST_F(ReceiveRefusals, EveryOtherMethodGets405WithAllow) {
    HttpClient client(server().port());
    for (const char* method : {"GET", "PUT", "DELETE", "PATCH"}) {
        const auto answer = client.request(method, "/webhooks/demo", {}, "");
        EXPECT_EQ(answer.status, 405) << method;
        EXPECT_NE(answer.header("Allow").find("POST"), std::string::npos) << method;
        EXPECT_EQ(answer.code(), "method_not_allowed") << method;
    }
}

TEST_F(ReceiveRefusals, ThePublicListenerServesNothingElse) {
    HttpClient client(server().port());
    for (const char* path : {"/metrics", "/readyz", "/admin/v1/intents", "/console/", "/"}) {
        EXPECT_EQ(client.get(path).status, 404) << path;
    }
    EXPECT_EQ(HttpClient(server().admin_port()).get("/readyz").status, 200);
}

// Signed, of exactly this size, the rest of it blanks.
std::string padded(const std::string& id, std::size_t size) {
    std::string body = body_of({.id = id});
    body.resize(size, ' ');
    return body;
}

constexpr std::size_t limit = 1024 * 1024;

TEST_F(ReceiveRefusals, ABodyOfExactlyTheLimitIsAccepted) {
    DemoSender sender(server().port());
    EXPECT_EQ(sender.send_bytes("limit1", padded("limit1", limit)).status, 200);
}

TEST_F(ReceiveRefusals, ABodyOneByteLongerIsTooLarge) {
    DemoSender sender(server().port());
    const auto answer = sender.send_bytes("limit2", padded("limit2", limit + 1));
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
    EXPECT_EQ(intents("limit2"), "0");
}

std::string chunked_request(const std::string& id, const std::string& body) {
    std::string bytes =
        "POST /webhooks/demo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n";
    for (const auto& [name, value] : signed_headers(id, body, now())) {
        bytes += name + ": " + value + "\r\n";
    }
    bytes += "\r\n";
    constexpr std::size_t chunk = 60000;
    for (std::size_t at = 0; at < body.size(); at += chunk) {
        const std::string part = body.substr(at, chunk);
        char size[16];
        std::snprintf(size, sizeof size, "%zx\r\n", part.size());
        bytes += size + part + "\r\n";
    }
    return bytes + "0\r\n\r\n";
}

// Cut at the limit it would be another body, or, worse, a valid one.
TEST_F(ReceiveRefusals, AChunkedBodyIsHeldToTheSameLimit) {
    HttpClient client(server().port());
    EXPECT_EQ(client.exchange(chunked_request("chunks1", padded("chunks1", limit))).status, 200);
    EXPECT_EQ(client.exchange(chunked_request("chunks2", padded("chunks2", limit + 1))).status,
              413);
    EXPECT_EQ(intents("chunks2"), "0");
}

Response send_batch(Server& server, const std::string& items) {
    DemoSender sender(server.port(), "batch");
    const std::string body = "{\"events\":[" + items + "]}";
    return sender.post(signed_headers("batch", body, now(), other_secret), body);
}

std::string item(const std::string& id, const std::string& shop) {
    return R"({"shop":")" + shop + R"(",)" + body_of({.id = id, .account = "user:batch"}).substr(1);
}

TEST_F(ReceiveRefusals, ABatchIsAnsweredItemByItem) {
    const auto answer =
        send_batch(server(), item("b1", "mine") + "," + item("b1", "mine") + "," +
                                 R"({"shop":"mine","id":"b2","type":"unheard.of"})");
    EXPECT_EQ(answer.status, 200);
    EXPECT_TRUE(answer.body.starts_with("{\"events\":[")) << answer.body;
    EXPECT_NE(answer.body.find(R"("event_id":"b1","status":"done","outcome":"applied",)"
                               R"("duplicate":false)"),
              std::string::npos)
        << answer.body;
    EXPECT_NE(answer.body.find(R"("duplicate":true)"), std::string::npos) << answer.body;
    EXPECT_NE(answer.body.find(R"("no_rule")"), std::string::npos) << answer.body;
}

// A batch may hold items of another installation; these are rejected one by one.
TEST_F(ReceiveRefusals, AnItemOfAnotherInstallationTakesNoSlotAndTheOthersDo) {
    const auto answer = send_batch(server(), item("b3", "theirs") + "," + item("b4", "mine"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(intents("b3"), "0");
    EXPECT_EQ(intents(""), "0") << "the refused item took a slot without a name";
    EXPECT_EQ(state_of("b4"), "done applied");
}

TEST_F(ReceiveRefusals, ABatchWithoutAnyItemForUsIsRefused) {
    const auto answer = send_batch(server(), item("b5", "theirs"));
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(answer.code(), "not_for_us");
}

TEST_F(ReceiveRefusals, MoreItemsThanAllowedAreTooMany) {
    std::string items = item("b6", "mine");
    for (const char* more : {"b7", "b8", "b9"}) items += "," + item(more, "mine");
    const auto answer = send_batch(server(), items);
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.code(), "too_many_items");
    EXPECT_EQ(intents("b6"), "0");
}

}  // namespace
}  // namespace pawl::testing
