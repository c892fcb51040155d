#include "controllers/v1/orders.hpp"

#include <fmt/core.h>

#include "controllers/v1/body.hpp"
#include "controllers/v1/preconditions.hpp"
#include "payments/orders.hpp"
#include "payments/view.hpp"

namespace pawl::http {
namespace {

Result<payments::Order> read_order(const Request& request, const PaymentDeps& deps) {
    const Body body(request.body);
    const auto currency = Currency::parse(body.text("currency").value());
    if (!currency) return currency.error();
    payments::Order order;
    order.id = request.param("order");
    order.amount = {body.number("amount").value(), *currency};
    order.account = AccountId(body.text("account").value());
    order.gateway = body.text("gateway").value_or("");
    if (!order.gateway.empty() && !deps.gateways.contains(order.gateway)) {
        return invalid(fmt::format(
            "gateway {}: unknown; name a file of config/gateways whose key is set", order.gateway));
    }
    if (auto good = payments::check_order(order); !good) return good.error();
    return order;
}

// The version that the caller may change, or one that no order has.
std::optional<std::int64_t> version_seen(db::Transaction& transaction, const IfMatch& match,
                                         const std::string& id) {
    if (!match.there) return std::nullopt;
    const auto order = payments::find_order(transaction, id, payments::Lock::row);
    return order && match.holds_for(order->version) ? order->version : 0;
}

Reply view_of(db::Transaction& transaction, const payments::Order& order, int status) {
    const auto payments = payments::payments_of(transaction, order.id);
    Reply reply = json_reply(payments::order_json(order, payments), status);
    reply.headers.emplace_back("ETag", etag_of(order.version));
    return reply;
}

Reply with_etag(Reply reply, const payments::Order& order) {
    reply.headers.emplace_back("ETag", etag_of(order.version));
    return reply;
}

Reply to_reply(db::Transaction& transaction, const payments::PutResult& result) {
    using payments::Put;
    const payments::Order& order = result.order;
    switch (result.put) {
        case Put::created: {
            Reply reply = view_of(transaction, order, 201);
            reply.headers.emplace_back("Location", "/v1/orders/" + order.id);
            return reply;
        }
        case Put::same:
        case Put::changed:
            return view_of(transaction, order, 200);
        case Put::differs:
            return with_etag(problem(409, "order_differs",
                                     "order: exists with other content; to change it, repeat this "
                                     "with the ETag of GET as If-Match"),
                             order);
        case Put::payment_live:
            return with_etag(problem(409, "payment_live",
                                     "order: has a payment that is not final; wait for its end, or "
                                     "cancel it"),
                             order);
        case Put::below_captured:
            return with_etag(
                problem(409, "order_below_captured",
                        "amount: below what was captured already; write at least that"),
                order);
        case Put::version_differs:
            break;
    }
    return problem(412, "version_differs",
                   "If-Match: not the order's current ETag; GET the order and try again");
}

}  // namespace

Reply unknown_order(const std::string& order_id) {
    return problem(
        404, "unknown_order",
        fmt::format("order {}: not found; create it by PUT /v1/orders/{}", order_id, order_id));
}

ApiHandler put_order(const PaymentDeps& deps, const Clock& clock) {
    return [&deps, &clock](const Request& request, db::Session& session) -> HandlerResult {
        const auto wanted = read_order(request, deps);
        if (!wanted) return problem(400, "invalid_order", wanted.error().message);
        const IfMatch match = if_match_of(request);
        Reply reply;
        db::in_transaction(session, [&](db::Transaction& transaction) {
            const auto seen = version_seen(transaction, match, wanted->id);
            reply =
                to_reply(transaction, payments::put_order(transaction, *wanted, seen, clock.now()));
        });
        return reply;
    };
}

HandlerResult get_order(const Request& request, db::Session& session) {
    Reply reply = unknown_order(request.param("order"));
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const auto order = payments::find_order(transaction, request.param("order"));
        if (order) reply = view_of(transaction, *order, 200);
    });
    return reply;
}

}  // namespace pawl::http
