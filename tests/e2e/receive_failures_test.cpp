// Known failures of other webhook receivers, tried on the real program over real HTTP.
#include <barrier>
#include <thread>

#include "tests/e2e/receive_case.hpp"

namespace pawl::testing {
namespace {

using ReceiveFailures = ReceiveCase;

// A forged delivery must not take the dedup slot of the genuine one.
TEST_F(ReceiveFailures, AForgedDeliveryFirstDoesNotStopTheGenuineOne) {
    DemoSender sender(server().port());
    const std::string forged = body_of({.id = "l1", .account = "user:thief", .amount = 1000000});
    const std::string genuine = body_of({.id = "l1", .account = "user:l1"});
    for (int i = 0; i < 5; ++i) {
        const auto headers = signed_headers("l1", forged, now(), other_secret);
        EXPECT_EQ(sender.post(headers, forged).status, 401);
    }
    EXPECT_EQ(sender.post(signed_headers("l1", genuine, now()), genuine).body,
              answer_body("l1", "done", "applied", false));
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:l1'"), "100");
    EXPECT_EQ(database().value("SELECT count(*) FROM balances WHERE account = 'user:thief'"), "0");
}

// The same movement under another event id must not move money again.
TEST_F(ReceiveFailures, AFreshIdForTheSameMovementMovesNothing) {
    DemoSender sender(server().port());
    for (int i = 0; i < 4; ++i) {
        const auto answer = sender.send(
            {.id = "l2_" + std::to_string(i), .payment = "pay_l2", .account = "user:l2"});
        EXPECT_EQ(answer.status, 200);
    }
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:l2'"), "100");
}

// An id may hold every character that separates something in a key.
TEST_F(ReceiveFailures, AnIdIsEscapedInTheEffectKeyThatIsStored) {
    DemoSender sender(server().port());
    EXPECT_EQ(
        sender.send({.id = "escaped", .payment = "a@1#2/b:c%d", .account = "user:esc"}).status,
        200);
    EXPECT_EQ(database().value("SELECT effect_key FROM transfers WHERE event_id = 'escaped'"),
              "demo-test/capture/a%401%232%2Fb%3Ac%25d");
}

// The signature is over bytes, and bytes are stored.
struct Bytes {
    const char* name;
    std::string body;
    std::string outcome;
};
class ReceiveBytes : public ReceiveCase, public ::testing::WithParamInterface<Bytes> {};

TEST_P(ReceiveBytes, AreVerifiedAndKeptAsTheyCame) {
    const auto& [name, body, outcome] = GetParam();
    DemoSender sender(server().port());
    const auto answer = sender.send_bytes("l13", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_NE(answer.body.find("\"outcome\":\"" + outcome + "\""), std::string::npos)
        << answer.body;
    std::string hex;
    for (const char c : body) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        hex += two;
    }
    EXPECT_EQ(database().value("SELECT count(*) FROM webhook_deliveries WHERE verdict = "
                               "'authentic' AND body = '\\x" +
                               hex + "'"),
              "1");
    if (outcome != "applied") return;
    EXPECT_EQ(database().value(
                  "SELECT amount FROM balances WHERE account = 'user:" + std::string(name) + "'"),
              "100");
}

std::string spaced(const std::string& name) {
    return "\n{ \"id\" :\t\"" + name +
           "\",\r\n\"type\":\"payment.captured\" , \"payment_id\":\"pay_" + name +
           "\",\"account\" : \"user:" + name +
           "\",\"amount\":100 ,\"currency\":\"USD\",\"sequence\":1 }\n\n";
}

std::string with_extra(const std::string& name, const std::string& extra) {
    return body_of({.id = name, .account = "user:" + name}).substr(0, 1) + extra + "," +
           body_of({.id = name, .account = "user:" + name}).substr(1);
}

INSTANTIATE_TEST_SUITE_P(
    Odd, ReceiveBytes,
    ::testing::Values(
        Bytes{"Spaces", spaced("Spaces"), "applied"},
        Bytes{"KeyOrder",
              R"({"sequence":1,"currency":"USD","amount":100,"account":"user:KeyOrder",)"
              R"("payment_id":"pay_KeyOrder","type":"payment.captured","id":"KeyOrder"})",
              "applied"},
        Bytes{"NumberForms", with_extra("NumberForms", R"("fee":1.00,"rate":1e-7,"zero":-0.0)"),
              "applied"},
        Bytes{"Escapes", with_extra("Escapes", R"("note":"caf\u00e9 \/ \ud83d\udcb6")"), "applied"},
        Bytes{"RawUnicode", with_extra("RawUnicode", "\"note\":\"caf\xc3\xa9\""), "applied"},
        // It cannot be read for certain, so an operator decides; it is authentic all the same.
        Bytes{"InvalidUtf8", with_extra("InvalidUtf8", "\"note\":\"\xff\xfe\xc3\""), "quarantined"},
        Bytes{"NulByte", with_extra("NulByte", std::string("\"note\":\"a\0b\"", 12)),
              "quarantined"},
        Bytes{"TheKeyTwice", with_extra("TheKeyTwice", R"("amount":1)"), "quarantined"},
        Bytes{"TrailingBytes",
              body_of({.id = "TrailingBytes", .account = "user:TrailingBytes"}) + "}",
              "quarantined"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// The answers of 200 concurrent deliveries of one event.
struct Told {
    std::atomic<int> ok{0};
    std::atomic<int> first{0};
    std::atomic<int> other{0};
};

void send_at_once(std::uint16_t port, int senders, const Payment& payment, Told& told) {
    std::barrier together(senders);
    std::vector<std::thread> threads;
    for (int i = 0; i < senders; ++i) {
        threads.emplace_back([&] {
            DemoSender sender(port);
            sender.client().get("/healthz");  // connected before the start
            together.arrive_and_wait();
            const auto answer = sender.send(payment);
            ++(answer.status == 200 ? told.ok : told.other);
            if (answer.body.find("\"duplicate\":false") != std::string::npos) ++told.first;
        });
    }
    for (auto& thread : threads) thread.join();
}

// A first use that races: the loser must not get a 500, and only one may move money.
TEST_F(ReceiveFailures, TwoHundredDeliveriesOfOneEventAtOnceAreOneTransfer) {
    Told told;
    send_at_once(server().port(), 200, {.id = "l4", .account = "user:l4"}, told);
    EXPECT_EQ(told.ok, 200);
    EXPECT_EQ(told.other, 0);
    EXPECT_EQ(told.first, 1);
    EXPECT_EQ(database().value("SELECT count(*) FROM transfers WHERE event_id = 'l4'"), "1");
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:l4'"), "100");
    EXPECT_EQ(database().value("SELECT deliveries FROM webhook_intents WHERE event_id = 'l4'"),
              "200");
}

// The same with two servers on one database: nothing in one's memory helps against the other.
TEST_F(ReceiveFailures, TwoServersOnOneDatabaseAreStillOneTransfer) {
    const Folder folder;
    Server second({.data_dir = folder / "data", .database_url = database().url()});
    second.start();
    Told told;
    std::thread there(
        [&] { send_at_once(second.port(), 60, {.id = "l4b", .account = "user:l4b"}, told); });
    send_at_once(server().port(), 60, {.id = "l4b", .account = "user:l4b"}, told);
    there.join();
    EXPECT_EQ(told.ok, 120);
    EXPECT_EQ(told.first, 1);
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:l4b'"), "100");
}

// A duplicate among others must not fail them.
TEST_F(ReceiveFailures, DuplicatesAmongOthersAtOnceDoNotFailThem) {
    DemoSender(server().port()).send({.id = "l10_0", .account = "user:l10"});
    std::vector<std::thread> threads;
    std::atomic<int> ok{0};
    for (int i = 0; i < 40; ++i) {
        threads.emplace_back([&, i] {
            DemoSender sender(server().port());
            const std::string id = "l10_" + std::to_string(i % 20);
            if (sender.send({.id = id, .account = "user:l10"}).status == 200) ++ok;
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(ok, 40);
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:l10'"), "2000");
}

}  // namespace
}  // namespace pawl::testing
