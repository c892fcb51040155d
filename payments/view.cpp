#include "payments/view.hpp"

#include "base/json.hpp"
#include "payments/sums.hpp"

namespace pawl::payments {
namespace {

void member_or_null(json::Writer& out, std::string_view name, const std::string& text) {
    out.member(name, text.empty() ? std::nullopt : std::optional(text));
}

void member_or_null(json::Writer& out, std::string_view name, const std::optional<Time>& time) {
    out.member(name, time ? std::optional(to_rfc3339(*time)) : std::nullopt);
}

void write_members(json::Writer& out, const Payment& payment) {
    out.member("payment_id", payment.id).member("order_id", payment.order_id);
    out.member("attempt", payment.attempt).member("state", to_text(payment.state));
    member_or_null(out, "note", payment.note);
    out.member("amount", payment.amount.minor);
    out.member("currency", payment.amount.currency.code());
    out.member("capture", payment.manual_capture ? "manual" : "auto");
    out.member("captured", payment.captured).member("capturable", payment.capturable);
    member_or_null(out, "capture_before", payment.capture_before);
    out.member("returned", payment.returned).member("account", payment.account.str());
    out.member("gateway", payment.gateway).member("key", payment.key);
    member_or_null(out, "reference", payment.reference);
    out.key("next_action").raw(payment.next_action.empty() ? "null" : payment.next_action);
    member_or_null(out, "action_deadline", payment.action_deadline);
    out.member("overpaid", payment.overpaid);
    out.member("cancel_requested", payment.cancel_requested);
    out.member("correlation_id", payment.correlation_id.str());
    out.member("created_at", to_rfc3339(payment.created_at));
    out.member("updated_at", to_rfc3339(payment.updated_at));
}

void write(json::Writer& out, const Payment& payment) {
    out.begin_object();
    write_members(out, payment);
    out.end_object();
}

void write(json::Writer& out, const Capture& capture, const Payment& payment) {
    out.begin_object().member("capture_id", capture.id).member("payment_id", capture.payment_id);
    out.member("order_id", payment.order_id).member("n", capture.n);
    out.member("state", to_text(capture.state));
    member_or_null(out, "note", capture.note);
    out.member("amount", capture.amount);
    out.member("currency", payment.amount.currency.code());
    out.member("final", capture.final).member("key", capture.key);
    member_or_null(out, "reference", capture.reference);
    out.member("correlation_id", capture.correlation_id.str());
    out.member("created_at", to_rfc3339(capture.created_at));
    out.member("updated_at", to_rfc3339(capture.updated_at)).end_object();
}

}  // namespace

std::string order_json(const Order& order, const std::vector<Payment>& payments) {
    json::Writer out;
    const OrderSums sums = sum_up(order, payments);
    out.begin_object().member("order_id", order.id).member("amount", order.amount.minor);
    out.member("currency", order.amount.currency.code()).member("account", order.account.str());
    member_or_null(out, "gateway", order.gateway);
    out.member("state", sums.state).member("captured", sums.captured);
    out.member("returned", sums.returned).member("due", sums.due);
    out.member("version", order.version).member("created_at", to_rfc3339(order.created_at));
    out.member("updated_at", to_rfc3339(order.updated_at)).key("payments").begin_array();
    for (const Payment& payment : payments) write(out, payment);
    out.end_array().end_object();
    return out.take();
}

std::string payment_json(const Payment& payment) {
    json::Writer out;
    write(out, payment);
    return out.take();
}

std::string payment_json(const Payment& payment, const std::vector<Capture>& captures) {
    json::Writer out;
    out.begin_object();
    write_members(out, payment);
    out.key("captures").begin_array();
    for (const Capture& capture : captures) write(out, capture, payment);
    out.end_array().end_object();
    return out.take();
}

std::string capture_json(const Capture& capture, const Payment& payment) {
    json::Writer out;
    write(out, capture, payment);
    return out.take();
}

std::string refund_json(const Refund& refund) {
    json::Writer out;
    out.begin_object().member("refund_id", refund.id).member("payment_id", refund.payment_id);
    out.member("order_id", refund.order_id).member("n", refund.n);
    out.member("state", to_text(refund.state));
    member_or_null(out, "note", refund.note);
    out.member("amount", refund.amount.minor);
    out.member("currency", refund.amount.currency.code()).member("key", refund.key);
    member_or_null(out, "reference", refund.reference);
    out.member("correlation_id", refund.correlation_id.str());
    out.member("created_at", to_rfc3339(refund.created_at));
    out.member("updated_at", to_rfc3339(refund.updated_at)).end_object();
    return out.take();
}

}  // namespace pawl::payments
