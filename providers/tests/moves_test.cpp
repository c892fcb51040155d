// Events with several movements, with accounts that they do not name, and with times.
#include "providers/tests/sample.hpp"

namespace pawl::providers {
namespace {

// A dispute with a negative amount and its fee as a second movement, and a list of refunds.
ProviderConfig with_moves() {
    ProviderConfig config = sample::demo();
    RuleConfig dispute;
    dispute.when = "dispute";
    dispute.currency = "/currency";
    dispute.needs = {{{"capture"}, {"/payment_id"}}};
    dispute.dispute = Dispute::opened;
    dispute.moves = {{.action = Action::debit,
                      .account = "needs",
                      .amount = "-/amount",
                      .effect_key = {{"dispute"}, {"/payment_id"}, {"/step"}}},
                     {.action = Action::debit,
                      .account = "fees:demo",
                      .amount = "/fee",
                      .effect_key = {{"fee"}, {"/step"}}}};
    RuleConfig refunds;
    refunds.when = "refunds";
    refunds.account = "/account";
    refunds.currency = "root:/currency";
    refunds.moves = {{.action = Action::debit,
                      .each = "/refunds",
                      .amount = "./amount",
                      .effect_key = {{"refund"}, {"./id"}}}};
    config.rules = {sample::credit_rule(), dispute, refunds, sample::ignore_rule()};
    config.read.time = {"/at", TimeUnit::seconds};
    return config;
}

std::string shown(const Event& event) {
    if (!event.quarantine.empty()) return event.quarantine;
    std::string text;
    for (const Movement& one : event.movements) {
        text += (text.empty() ? "" : ", ") + std::string(to_text(one.kind)) + " " +
                one.account.str() + " " + std::to_string(one.amount.minor) + " " +
                one.effect_key.str();
    }
    return text;
}

std::string read(const std::string& body) {
    return shown(sample::read(with_moves(), body));
}

TEST(Moves, OneEventPostsSeveralWithTheirOwnKeys) {
    EXPECT_EQ(read(R"({"id":"1","type":"dispute","payment_id":"p","currency":"USD",)"
                   R"("amount":-80,"fee":15,"step":"t1"})"),
              "debit  80 demo/dispute/p:t1, debit fees:demo 15 demo/fee/t1");
    EXPECT_EQ(read(R"({"id":"1","type":"dispute","payment_id":"p","currency":"USD",)"
                   R"("amount":80,"fee":15,"step":"t1"})"),
              "bad_amount")
        << "negated it is below zero";
    EXPECT_EQ(read(R"({"id":"1","type":"dispute","payment_id":"p","currency":"USD",)"
                   R"("amount":-80,"step":"t1"})"),
              "bad_amount")
        << "all of them or none";
}

TEST(Moves, ElementsOfAnArrayAreMovements) {
    EXPECT_EQ(read(R"({"id":"1","type":"refunds","account":"user:1","currency":"USD",)"
                   R"("refunds":[{"id":"a","amount":1},{"id":"b","amount":2}]})"),
              "debit user:1 1 demo/refund/a, debit user:1 2 demo/refund/b");
    EXPECT_EQ(read(R"({"id":"1","type":"refunds","account":"user:1","currency":"USD",)"
                   R"("refunds":[]})"),
              "");
    EXPECT_EQ(read(R"({"id":"1","type":"refunds","account":"user:1","currency":"USD"})"),
              "shape_changed");
}

TEST(Moves, ASystemAccountIsNamedByTheFileAndNeverByAnEvent) {
    EXPECT_EQ(read(R"({"id":"1","type":"payment.captured","payment_id":"p","account":"fees:demo",)"
                   R"("currency":"USD","amount":1})"),
              "system_account");
}

TEST(Moves, EventTimeIsReadFromTheEvent) {
    const auto at = [](const std::string& time) {
        const Event event = sample::read(
            with_moves(), R"({"id":"1","type":"x","payment_id":"p","at":)" + time + "}");
        return event.occurred_at ? to_rfc3339(*event.occurred_at) : "none";
    };
    EXPECT_EQ(at("1767225600"), "2026-01-01T00:00:00.000000Z");
    EXPECT_EQ(at("\"soon\""), "none");
    EXPECT_EQ(at("9223372036854775807"), "none");
    EXPECT_EQ(at("null"), "none");
}

TEST(Moves, BadItemDoesNotAffectTheOthersOfItsBatch) {
    ProviderConfig config = sample::demo();
    config.read.items = "/a/items";
    const auto item = [](const std::string& id, const std::string& more) {
        return R"({"id":")" + id + R"(","type":"x")" + more + "}";
    };
    for (const char* bad : {R"(,"x":"\ud800")", R"(,"type":"x")", ",\"x\":\"\xff\"", ",\"x\":01"}) {
        const std::string body = R"({"x":{"items":[1]},"a":{"b":"]","items":[ )" + item("1", "") +
                                 " , " + item("2", bad) + "," + item("3", "") + " ]}}";
        const Received received = sample::receive(config, body);
        ASSERT_EQ(received.events.size(), 3U) << bad;
        EXPECT_EQ(received.events[0].event_id.str(), "1");
        EXPECT_EQ(received.events[1].quarantine, "unreadable") << bad;
        EXPECT_EQ(body.substr(received.events[1].body_offset, received.events[1].body_size),
                  item("2", bad));
        EXPECT_EQ(received.events[2].event_id.str(), "3");
    }
}

}  // namespace
}  // namespace pawl::providers
