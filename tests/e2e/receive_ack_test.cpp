// A provider that wants words of its own back takes them for a promise: they are said for what is
// durable, and never for anything else.
#include "tests/e2e/receive_case.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

using ReceiveAck = ReceiveCase;
constexpr const char* words = "[accepted]";

Response deliver(const Server& server, const std::string& id, std::string_view secret,
                 const std::string& type = "payment.captured") {
    DemoSender sender(server.port(), "acked");
    const std::string body = body_of({.id = id, .type = type});
    return sender.post(signed_headers(id, body, now(), secret), body);
}

TEST_F(ReceiveAck, AnUnavailableDatabaseIsA503WithoutTheAckText) {
    {
        const Closed closed(database());
        for (int i = 0; i < 2; ++i) {
            const auto answer = deliver(server(), "away", other_secret);
            expect_unavailable(answer);
            EXPECT_EQ(answer.code(), "not_durable");
            EXPECT_EQ(answer.body.find(words), std::string::npos) << answer.body;
        }
    }
    EXPECT_TRUE(eventually([&] { return deliver(server(), "away", other_secret).body == words; }));
    EXPECT_EQ(intents("away"), "1");
}

TEST_F(ReceiveAck, TheWordsAreSaidForEverythingThatIsStored) {
    for (int i = 0; i < 2; ++i) {
        const auto answer = deliver(server(), "stored", other_secret);
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.body, words);
    }
    EXPECT_EQ(deliver(server(), "no rule", other_secret, "unheard.of").body, words);
    EXPECT_EQ(state_of("no rule"), "quarantined quarantined");
}

TEST_F(ReceiveAck, ARejectedDeliveryIsAnsweredWithoutTheAckText) {
    const auto answer = deliver(server(), "forged", "");
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
    EXPECT_EQ(answer.body.find(words), std::string::npos) << answer.body;
    EXPECT_EQ(intents("forged"), "0");
}

}  // namespace
}  // namespace pawl::testing
