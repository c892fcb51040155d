#include "sandbox/control.hpp"

#include "base/json.hpp"

namespace pawl::sandbox {
namespace {

Reply refused(const std::string& why) {
    json::Writer out;
    out.begin_object().member("error", why).end_object();
    return {400, out.take(), {}};
}

void write_counts(json::Writer& out, std::string_view name,
                  const std::map<std::string, std::int64_t>& counts) {
    out.key(name).begin_object();
    for (const auto& [key, count] : counts) out.member(key, count);
    out.end_object();
}

Reply counts(World& world) {
    const Book::Counts book = world.book.counts();
    const Webhooks::Counts webhooks = world.webhooks.counts();
    json::Writer out;
    out.begin_object().member("charges", book.charges).member("refunds", book.refunds);
    out.member("authorizations", book.authorizations).member("voids", book.voids);
    write_counts(out, "captures_by_key", book.captures_by_key);
    write_counts(out, "by_order", book.by_order);
    write_counts(out, "by_key", book.by_key);
    write_counts(out, "refunds_by_key", book.refunds_by_key);
    write_counts(out, "keys_seen", world.keys.sends());
    out.key("amounts").begin_object();
    for (const auto& [currency, moved] : book.amounts) {
        out.key(currency)
            .begin_object()
            .member("charged", moved.charged)
            .member("refunded", moved.refunded)
            .end_object();
    }
    out.end_object();
    out.key("webhooks")
        .begin_object()
        .member("events", webhooks.events)
        .member("attempts", webhooks.attempts)
        .member("acknowledged", webhooks.acknowledged)
        .end_object();
    write_counts(out, "faults", world.faults.counts());
    out.end_object();
    return {200, out.take(), {}};
}

Reply faults(const World& world) {
    json::Writer out;
    out.begin_object().key("faults").begin_array();
    for (const FaultRate& rate : world.faults.rates()) out.string(to_text(rate));
    out.end_array().member("down", world.faults.down()).end_object();
    return {200, out.take(), {}};
}

// {"faults":["timeout_after=10:2000"],"down":false}; an absent member is left unchanged.
Reply set_faults(World& world, const json::Value& wanted) {
    const auto list = wanted.at(*json::Pointer::parse("/faults"));
    const auto down = wanted.at(*json::Pointer::parse("/down"));
    std::vector<FaultRate> rates;
    if (list) {
        for (const json::Value& one : list->children()) {
            auto rate = parse_fault_rate(one.text().value_or(""));
            if (!rate) return refused(rate.error().message);
            rates.push_back(*rate);
        }
        if (auto set = world.faults.set(std::move(rates)); !set) {
            return refused(set.error().message);
        }
    }
    if (down) world.faults.set_down(down->text() == "true");
    return faults(world);
}

Reply advance_clock(World& world, const json::Value& wanted) {
    const auto by = wanted.at(*json::Pointer::parse("/advance"));
    const auto duration = parse_duration(by ? by->text().value_or("") : "");
    if (!duration) return refused("write {\"advance\":\"25h\"}");
    world.clock.advance(*duration);
    for (const Event& event : world.book.expire(world.clock.now())) {
        world.webhooks.send(event, {});
    }
    json::Writer out;
    out.begin_object().member("now", to_rfc3339(world.clock.now())).end_object();
    return {200, out.take(), {}};
}

}  // namespace

Reply handle_control(World& world, const Request& request) {
    if (request.method == "GET") {
        if (request.path == "/sandbox/counts") return counts(world);
        if (request.path == "/sandbox/faults") return faults(world);
        if (request.path == "/sandbox/healthz") return {200, "{}", {}};
    }
    const auto document = json::Document::parse(request.body);
    if (!document) return refused("the body is not JSON");
    if (request.method == "POST" && request.path == "/sandbox/faults") {
        return set_faults(world, document->root());
    }
    if (request.method == "POST" && request.path == "/sandbox/clock") {
        return advance_clock(world, document->root());
    }
    return {404, R"({"error":"there is nothing here"})", {}};
}

}  // namespace pawl::sandbox
