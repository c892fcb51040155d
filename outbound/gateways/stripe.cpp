#include "outbound/gateways/stripe.hpp"

#include "base/minor_units.hpp"
#include "outbound/form.hpp"
#include "outbound/gateways/stripe_answers.hpp"

namespace pawl::outbound {
namespace {

// Answers are shaped by the version that is asked for; without a word they would follow whatever
// the account was last set to.
constexpr const char* api_version = "2024-10-28.acacia";
constexpr std::size_t idempotency_key_bytes_max = 255;
constexpr std::string_view form_type = "application/x-www-form-urlencoded";

std::string lower(std::string_view code) {
    std::string text(code);
    for (char& c : text) c = static_cast<char>(c - 'A' + 'a');  // ISO 4217 codes are A to Z
    return text;
}

// An amount that Stripe cannot express keeps its decimal point, and Stripe refuses it. Rounding
// would move an amount that differs from the requested one.
std::string amount_text(const Money& money) {
    const auto text = to_minor_text(money, exponent_at("stripe", money.currency));
    return text ? *text : to_decimal_text(money);
}

// In Stripe's query language a quote or a backslash inside quotes is escaped.
std::string in_quotes(std::string_view text) {
    std::string escaped = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') escaped += '\\';
        escaped += c;
    }
    return escaped + "'";
}

class Stripe final : public Gateway {
  public:
    explicit Stripe(GatewayConfig config) : config_(std::move(config)) {}

    const GatewayConfig& config() const override { return config_; }
    std::size_t key_bytes_max() const override { return idempotency_key_bytes_max; }

    Call charge(const Charge& charge) const override {
        Form form;
        form.field("amount", amount_text(charge.amount))
            .field("currency", lower(charge.amount.currency.code()))
            .field("confirm", "true");
        if (!charge.payment_method.empty()) form.field("payment_method", charge.payment_method);
        if (!charge.customer.empty()) form.field("customer", charge.customer);
        if (charge.off_session) form.field("off_session", "true");
        // Without a place to return to, a payer cannot be redirected.
        const bool redirects = !charge.return_url.empty();
        if (redirects) form.field("return_url", charge.return_url);
        if (charge.manual_capture) {
            form.field("capture_method", "manual")
                .field("payment_method_options[card][request_multicapture]", "if_available")
                .field("expand[]", "latest_charge");  // it has the time of expiry
        }
        form.field("automatic_payment_methods[enabled]", "true")
            .field("automatic_payment_methods[allow_redirects]", redirects ? "always" : "never")
            .field("metadata[order]", charge.order)
            .field("metadata[attempt]", std::to_string(charge.attempt))
            .field("metadata[key]", charge.key)
            .field("metadata[account]", charge.account);
        return post("/v1/payment_intents", form);
    }

    Call refund(const Refund& refund) const override {
        Form form;
        form.field("payment_intent", refund.reference)
            .field("amount", amount_text(refund.amount))
            .field("metadata[order]", refund.order)
            .field("metadata[key]", refund.key);
        // The webhook of a refund carries the refund's own metadata and not the payment's.
        if (!refund.account.empty()) form.field("metadata[account]", refund.account);
        return post("/v1/refunds", form);
    }

    Call cancel(const std::string& reference) const override {
        return post(path_of(reference) + "/cancel", Form());
    }

    Call capture(const Capture& capture) const override {
        Form form;
        form.field("amount_to_capture", amount_text(capture.amount));
        // Refused where the payment cannot be captured more than once.
        if (!capture.final) form.field("final_capture", "false");
        form.field("metadata[capture]", capture.keys.capture);
        return post(path_of(capture.reference) + "/capture", form);
    }

    Call find_charge(const std::string& key, const std::string& reference) const override {
        Form query;
        if (!reference.empty()) {
            query.field("expand[]", "latest_charge");
            return get(path_of(reference) + "?" + query.str());
        }
        query.field("query", "metadata['key']:" + in_quotes(key));
        return get("/v1/payment_intents/search?" + query.str());
    }

    Call find_charges_of(const std::string& order) const override {
        Form query;
        query.field("query", "metadata['order']:" + in_quotes(order)).field("limit", "100");
        return get("/v1/payment_intents/search?" + query.str());
    }

    // Refunds cannot be searched, but listed by their payment; 100 is the most a page holds.
    Call find_refund(const std::string&, const std::string& payment_reference) const override {
        Form query;
        query.field("payment_intent", payment_reference).field("limit", "100");
        return get("/v1/refunds?" + query.str());
    }

    GatewayResult read_charge(const HttpResult& outcome, const std::string& key,
                              bool in_doubt) const override {
        return stripe::read_charge(outcome, key, in_doubt);
    }
    GatewayResult read_refund(const HttpResult& outcome, const std::string& key,
                              bool in_doubt) const override {
        return stripe::read_refund(outcome, key, in_doubt);
    }
    GatewayResult read_cancel(const HttpResult& outcome, const std::string& key) const override {
        return stripe::read_cancel(outcome, key);
    }
    GatewayResult read_capture(const HttpResult& outcome, const CaptureKeys& keys,
                               bool in_doubt) const override {
        return stripe::read_capture(outcome, keys, in_doubt);
    }
    GatewayResult read_found_charge(const HttpResult& outcome,
                                    const std::string& key) const override {
        return stripe::read_found_charge(outcome, key);
    }
    GatewayResult read_found_refund(const HttpResult& outcome,
                                    const std::string& key) const override {
        return stripe::read_found_refund(outcome, key);
    }
    GatewayResult read_found_capture(const HttpResult& outcome,
                                     const CaptureKeys& keys) const override {
        return stripe::read_found_capture(outcome, keys);
    }

    HttpResult send(const Call& call, const std::string& key_sent,
                    const CorrelationId& correlation_id,
                    const std::atomic<bool>* unwanted) const override {
        HttpRequest request;
        request.method = call.method;
        request.url = config_.base_url + call.path;
        request.headers = {{"Authorization", "Bearer " + config_.api_key},
                           {"Stripe-Version", api_version}};
        if (!call.content_type.empty()) {
            request.headers.emplace_back("Content-Type", call.content_type);
        }
        if (!key_sent.empty()) request.headers.emplace_back("Idempotency-Key", key_sent);
        if (!correlation_id.str().empty()) {
            request.headers.emplace_back("Pawl-Correlation-Id", correlation_id.str());
        }
        request.body = call.body;
        request.within = config_.timeout;
        request.unwanted = unwanted;
        request.allow_private = config_.allow_private;
        return outbound::send(request);
    }

  private:
    static std::string path_of(const std::string& reference) {
        return "/v1/payment_intents/" + percent_encoded(reference);
    }
    static Call post(std::string path, const Form& form) {
        return {"POST", std::move(path), std::string(form_type), form.str()};
    }
    static Call get(std::string path) { return {"GET", std::move(path), "", ""}; }

    GatewayConfig config_;
};

}  // namespace

std::unique_ptr<Gateway> make_stripe(GatewayConfig config) {
    return std::make_unique<Stripe>(std::move(config));
}

}  // namespace pawl::outbound
