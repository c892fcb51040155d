// The shipped stripe.toml against events in the shapes of Stripe's API reference: what each posts,
// and that no field can go missing or move without notice.
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "providers/provider.hpp"
#include "settings/settings.hpp"

namespace pawl::app::test {
namespace {

using providers::Event;

providers::Provider shipped(const std::string& name) {
    LoadOptions options;
    options.folder = PAWL_SOURCE_DIR "/config";
    options.dev = false;
    options.variables = [](const std::string& variable) -> std::optional<std::string> {
        if (variable == "PAWL_DEMO_SECRET") return "whsec_c29tZSBzZWNyZXQgb2YgdGhlIHRlc3QncyBvd24=";
        if (variable.ends_with("_SECRET")) return "whsec_unit_secret";
        return std::nullopt;
    };
    const Loaded loaded = load(options);
    for (const ProviderFile& file : loaded.settings.providers) {
        if (file.config.name == name) return *providers::Provider::create(file.config);
    }
    throw std::runtime_error(name + ".toml is not shipped");
}

std::string event(const std::string& type, const std::string& object) {
    return R"({"id":"evt_1","object":"event","api_version":"2025-03-31.basil",)"
           R"("created":1767225600,"livemode":true,"pending_webhooks":1,)"
           R"("request":{"id":null,"idempotency_key":null},)"
           R"("type":")" +
           type + R"(","data":{"object":)" + object + "}}";
}

std::string intent(const std::string& metadata) {
    return R"({"id":"pi_1","object":"payment_intent","amount":5000,"amount_capturable":0,)"
           R"("amount_received":5000,"currency":"usd","latest_charge":"ch_1","metadata":)" +
           metadata + R"(,"status":"succeeded"})";
}

std::string authorization(int received, int capturable) {
    return R"({"id":"pi_1","object":"payment_intent","amount":5000,"amount_capturable":)" +
           std::to_string(capturable) + R"(,"amount_received":)" + std::to_string(received) +
           R"(,"currency":"usd","latest_charge":"ch_1","metadata":{"account":"user:1",)"
           R"("key":"pay:o1:1"},"status":"requires_capture"})";
}

std::string refund(const std::string& status) {
    return R"({"id":"re_1","object":"refund","amount":700,"charge":"ch_1","created":1767225600,)"
           R"("currency":"usd","metadata":{},"payment_intent":"pi_1","status":")" +
           status + "\"}";
}

std::string transaction(const char* id, int amount, int fee) {
    return R"({"id":")" + std::string(id) + R"(","object":"balance_transaction","amount":)" +
           std::to_string(amount) + R"(,"currency":"usd","fee":)" + std::to_string(fee) +
           R"(,"net":)" + std::to_string(amount - fee) + R"(,"type":"adjustment"})";
}

std::string dispute(const std::string& status, const std::string& transactions) {
    return R"({"id":"du_1","object":"dispute","amount":5000,"balance_transactions":[)" +
           transactions +
           R"(],"charge":"ch_1","currency":"usd","metadata":{},"payment_intent":"pi_1",)"
           R"("reason":"fraudulent","status":")" +
           status + "\"}";
}

const std::string withdrawn = transaction("txn_1", -5000, 1500);
const std::string reinstated = withdrawn + "," + transaction("txn_2", 5000, -1500);

Event read(const std::string& body, const providers::Provider& provider) {
    providers::Delivery delivery;
    delivery.body = body;
    delivery.received_at = SystemClock().now();
    auto received = provider.read_again(delivery);
    return received.events.empty() ? Event() : received.events.front();
}

Event read(const std::string& body) {
    static const providers::Provider stripe = shipped("stripe");
    return read(body, stripe);
}

std::string shown(const Event& event) {
    if (!event.quarantine.empty()) return "quarantined " + event.quarantine;
    std::string text;
    for (const providers::Movement& one : event.movements) {
        text += (text.empty() ? "" : ", ") + std::string(to_text(one.kind)) + " " +
                (one.account.empty() ? "needs" : one.account.str()) + " " +
                std::to_string(one.amount.minor) + " " + one.effect_key.str();
        if (one.is_total) text += "@";
    }
    if (event.dispute != providers::Dispute::none) {
        text += (text.empty() ? "" : " ") + std::string(to_text(event.dispute));
    }
    return text.empty() ? "ignored" : text;
}

struct Fixture {
    const char* type;
    std::string object;
    const char* posts;
};

const Fixture fixtures[] = {
    {"payment_intent.succeeded", intent(R"({"account":"user:1"})"),
     "credit user:1 5000 stripe/capture/pi_1@"},
    {"payment_intent.succeeded", intent("{}"), "quarantined bad_account"},
    {"payment_intent.created", intent("{}"), "ignored"},
    {"payment_intent.amount_capturable_updated", authorization(0, 5000), "ignored"},
    {"payment_intent.amount_capturable_updated", authorization(3000, 2000),
     "credit user:1 3000 stripe/capture/pi_1@"},
    {"payment_intent.canceled", authorization(0, 0), "ignored"},
    {"refund.created", refund("pending"), "ignored"},
    {"refund.created", refund("succeeded"), "debit needs 700 stripe/refund/re_1"},
    {"refund.updated", refund("succeeded"), "debit needs 700 stripe/refund/re_1"},
    {"refund.failed", refund("failed"), "credit needs 700 stripe/refund_failed/re_1"},
    {"refund.updated", refund("failed"), "credit needs 700 stripe/refund_failed/re_1"},
    {"refund.updated", refund("strange"), "quarantined no_rule"},
    {"charge.refunded", R"({"id":"ch_1"})", "ignored"},
    {"charge.dispute.created", dispute("needs_response", withdrawn), "opened"},
    {"charge.dispute.created", dispute("warning_needs_response", ""), "ignored"},
    {"charge.dispute.funds_withdrawn", dispute("needs_response", withdrawn),
     "debit needs 5000 stripe/dispute/du_1:txn_1, debit fees:stripe 1500 stripe/fee/txn_1 opened"},
    {"charge.dispute.funds_reinstated", dispute("won", reinstated),
     "credit needs 5000 stripe/dispute/du_1:txn_2, credit fees:stripe 1500 stripe/fee/txn_2 won"},
    {"charge.dispute.closed", dispute("lost", withdrawn), "lost"},
    {"charge.dispute.closed", dispute("won", reinstated), "won"},
    {"payout.paid", R"({"id":"po_1","amount":9000,"currency":"usd"})",
     "debit bank:stripe 9000 stripe/payout/po_1"},
    {"topup.succeeded", R"({"id":"tu_1"})", "quarantined no_rule"},
};

TEST(StripeRules, post_what_the_shapes_of_stripe_say) {
    for (const Fixture& one : fixtures) {
        EXPECT_EQ(shown(read(event(one.type, one.object))), one.posts) << one.type << one.object;
    }
}

TEST(StripeRules, name_the_time_and_leave_test_events_alone) {
    const Event live = read(event("refund.created", refund("succeeded")));
    ASSERT_TRUE(live.occurred_at);
    EXPECT_EQ(to_rfc3339(*live.occurred_at), "2026-01-01T00:00:00.000000Z");
    std::string body = event("payment_intent.succeeded", intent(R"({"account":"user:1"})"));
    body.replace(body.find("\"livemode\":true"), 15, "\"livemode\":false");
    EXPECT_EQ(read(body).note, providers::test_mode_note);
}

// The text without its nth member or element, counted in document order; or with that one level
// further in.
class Changed {
  public:
    Changed(const std::string& body, int n, bool moved) : left_(n), moved_(moved) {
        const auto document = json::Document::parse(body);
        write(document->root());
    }
    const std::string& text() const { return text_; }
    bool any() const { return left_ < 0; }

  private:
    void write(const json::Value& value) {
        const bool object = value.kind() == json::Kind::object;
        if (!object && value.kind() != json::Kind::array) {
            text_ += value.raw();
            return;
        }
        text_ += object ? '{' : '[';
        bool first = true;
        for (const json::Value& child : value.children()) {
            const bool hit = left_-- == 0;
            if (hit && !moved_) continue;
            if (!first) text_ += ',';
            first = false;
            if (object) text_ += '"' + std::string(child.key()) + "\":";
            if (hit) text_ += "{\"moved\":";
            write(child);
            if (hit) text_ += '}';
        }
        text_ += object ? '}' : ']';
    }
    std::string text_;
    int left_;
    bool moved_;
};

// Counts the changes of a body that posts something or marks a dispute.
int expect_no_change_is_ignored(const std::string& body, const providers::Provider& provider) {
    int changes = 0;
    for (const bool moved : {false, true}) {
        for (int n = 0;; ++n) {
            const Changed changed(body, n, moved);
            if (!changed.any()) break;
            EXPECT_NE(shown(read(changed.text(), provider)), "ignored") << changed.text();
            ++changes;
        }
    }
    return changes;
}

TEST(StripeRules, money_and_disputes_whose_shape_changes_are_never_ignored) {
    for (const char* name : {"stripe", "sandbox"}) {
        const providers::Provider provider = shipped(name);
        int changes = 0;
        for (const Fixture& one : fixtures) {
            const std::string body = event(one.type, one.object);
            const std::string posts = shown(read(body, provider));
            if (posts == "ignored" || posts.starts_with("quarantined")) continue;
            changes += expect_no_change_is_ignored(body, provider);
        }
        EXPECT_GT(changes, 300) << name;
    }
}

TEST(DemoRules, money_whose_shape_changes_is_never_ignored) {
    const std::string body =
        R"({"id":"evt_1","type":"payment.captured","payment_id":"pay_1","account":"user:1",)"
        R"("amount":5000,"currency":"USD","sequence":1})";
    const providers::Provider demo = shipped("demo");
    EXPECT_EQ(shown(read(body, demo)), "credit user:1 5000 demo/capture/pay_1");
    EXPECT_EQ(expect_no_change_is_ignored(body, demo), 14);
}

}  // namespace
}  // namespace pawl::app::test
