#include "tests/integration/api_document_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/api_answer.hpp"

namespace pawl::testing {
namespace {

using http::Operation;
using http::Parameter;
using http::Schema;
using json::Kind;

// Texts of which one fits nearly every pattern of the document.
const std::vector<std::string> usual_texts = {"USD",
                                              "EUR",
                                              "usd",
                                              "JPY",
                                              "sandbox",
                                              "demo",
                                              "user:42",
                                              "o1",
                                              "o2",
                                              "pm_decline",
                                              "pm_card",
                                              "1",
                                              "2",
                                              "7.shop",
                                              "evt_1",
                                              "notify",
                                              "charge_order",
                                              "a b",
                                              "\xc3\xa4\xe2\x82\xac",
                                              "succeeded",
                                              "x:clearing",
                                              "because",
                                              "\xf0\x9f\x98\x80",
                                              "dXNlcjo0Mh9VU0Qf",
                                              "NOK",
                                              "42",
                                              "900000000"};

template <class Values>
const auto& one_of(const Values& values, Rng& rng) {
    return values[rng.below(values.size())];
}

bool heads(Rng& rng) {
    return rng.below(2) == 0;
}

std::string random_characters(Rng& rng, std::size_t count) {
    static const std::vector<std::string> characters = {"a",
                                                        "Z",
                                                        "0",
                                                        "9",
                                                        ".",
                                                        "-",
                                                        "_",
                                                        ":",
                                                        "~",
                                                        "@",
                                                        "+",
                                                        "=",
                                                        " ",
                                                        "/",
                                                        "%",
                                                        "\"",
                                                        "\\",
                                                        "'",
                                                        "<",
                                                        "&",
                                                        "?",
                                                        "#",
                                                        "\t",
                                                        "\n",
                                                        "\x1b",
                                                        "\x7f",
                                                        "\xc3\xa9",
                                                        "\xe2\x80\xae",
                                                        "\xf0\x9f\x92\xb8"};
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += one_of(characters, rng);
    return text;
}

std::string date_time(Rng& rng) {
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}", 1 + rng.below(9999),
                       1 + rng.below(12), 1 + rng.below(28), rng.below(24), rng.below(60),
                       rng.below(60), heads(rng) ? "" : ".123456789",
                       heads(rng)   ? "Z"
                       : heads(rng) ? "-23:59"
                                    : "+01:00");
}

std::int64_t number_in(const Schema& schema, Rng& rng) {
    const auto within = [&](std::int64_t number) {
        return std::clamp(number, schema.minimum, schema.maximum);
    };
    switch (rng.below(4)) {
        case 0:
            return schema.minimum;
        case 1:
            return schema.maximum;
        case 2:
            return within(static_cast<std::int64_t>(rng.below(10)));
        default:
            return within(static_cast<std::int64_t>(rng.next() >> rng.below(64)));
    }
}

// Every character but the unreserved ones.
std::string percent_encoded(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

// The target of an operation, from raw texts of its parameters.
struct Target {
    std::map<std::string, std::string> path;
    std::vector<std::pair<std::string, std::string>> query;

    std::string text(const Operation& operation) const {
        std::string target = operation.path;
        for (const auto& [name, value] : path) {
            const std::string place = "{" + name + "}";
            target.replace(target.find(place), place.size(), value);
        }
        char mark = '?';
        for (const auto& [name, value] : query) {
            target += mark + name + "=" + value;
            mark = '&';
        }
        return target;
    }
};

// The parameters as they stand in a target of the operation.
Target read_target(const Operation& operation, const std::string& text) {
    Target read;
    const std::size_t question = std::min(text.find('?'), text.size());
    std::string_view pattern = operation.path, path = std::string_view(text).substr(0, question);
    while (!pattern.empty()) {
        const std::string part(pattern.substr(1, pattern.find('/', 1) - 1));
        const std::string got(path.substr(1, path.find('/', 1) - 1));
        if (part.starts_with('{')) read.path[part.substr(1, part.size() - 2)] = got;
        pattern.remove_prefix(part.size() + 1);
        path.remove_prefix(got.size() + 1);
    }
    std::string_view query = std::string_view(text).substr(std::min(question + 1, text.size()));
    while (!query.empty()) {
        const std::string one(query.substr(0, query.find('&')));
        query.remove_prefix(std::min(one.size() + 1, query.size()));
        read.query.emplace_back(one.substr(0, one.find('=')), one.substr(one.find('=') + 1));
    }
    return read;
}

// The members of a JSON object as texts, so that they can be left out, doubled and replaced.
using Members = std::vector<std::pair<std::string, std::string>>;

Members members_of(const std::string& body) {
    Members members;
    const auto document = json::Document::parse(body);
    for (const json::Value& child : document->root().children()) {
        members.emplace_back(child.key(), child.raw());
    }
    return members;
}

std::string object_of(const Members& members) {
    std::string text = "{";
    for (const auto& [name, value] : members) {
        if (text.size() > 1) text += ",";
        text += json::quote(name) + ":" + value;
    }
    return text + "}";
}

class Breaker {
  public:
    Breaker(const Operation& operation, Asked whole)
        : operation_(operation), whole_(std::move(whole)) {}

    std::vector<BrokenRequest> all() {
        if (!operation_.any_body) break_body();
        break_query();
        for (const Parameter& one : operation_.parameters) {
            if (one.in == Parameter::In::path) break_path(one);
        }
        return std::move(broken_);
    }

  private:
    void with_body(const std::string& reason, const std::string& body) {
        broken_.push_back({reason, whole_});
        broken_.back().asked.body = body;
    }
    void with_member(const std::string& reason, std::size_t at, const std::string& value) {
        Members members = members_of(whole_.body);
        members[at].second = value;
        with_body(members[at].first + " " + reason, object_of(members));
    }
    void with_query(const std::string& reason, const std::string& name, const std::string& value) {
        Target target = read_target(operation_, whole_.target);
        std::erase_if(target.query, [&](const auto& one) { return one.first == name; });
        target.query.emplace_back(name, value);
        with_target(name + " " + reason, target);
    }
    void with_target(const std::string& reason, const Target& target) {
        broken_.push_back({reason, whole_});
        broken_.back().asked.target = target.text(operation_);
    }

    void break_body();
    void break_member(std::size_t at, const Schema& schema);
    void break_query();
    void break_path(const Parameter& parameter);

    const Operation& operation_;
    const Asked whole_;
    std::vector<BrokenRequest> broken_;
};

constexpr std::size_t too_long = 5000;

void Breaker::break_body() {
    if (!operation_.body) {
        with_body("a body where none is taken", "{}");
        return;
    }
    if (operation_.body_required) with_body("no body", "");
    for (const char* body : {"null", "5", "[]", "\"x\"", "{", "{} {}", "{\"\xff\":1}"}) {
        with_body(fmt::format("body {}", body), body);
    }
    const Members members = members_of(whole_.body);
    for (std::size_t i = 0; i < members.size(); ++i) {
        Members doubled = members;
        doubled.push_back(members[i]);
        with_body(members[i].first + " doubled", object_of(doubled));
        if (operation_.body->required.contains(members[i].first)) {
            Members without = members;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
            with_body(members[i].first + " removed", object_of(without));
        }
        break_member(i, *operation_.body->properties.at(members[i].first));
    }
    for (const char* name : {"ammount", "Amount", "", "reason\\u0000"}) {
        Members more = members;
        more.emplace_back("unknown", "1");
        std::string body = object_of(more);
        body.replace(body.find("unknown"), 7, name);
        with_body(fmt::format("unknown member \"{}\"", name), body);
    }
}

void Breaker::break_member(std::size_t at, const Schema& schema) {
    const std::pair<Kind, const char*> others[] = {{Kind::null, "null"}, {Kind::boolean, "false"},
                                                   {Kind::number, "5"},  {Kind::string, "\"5\""},
                                                   {Kind::array, "[]"},  {Kind::object, "{}"}};
    for (const auto& [kind, value] : others) {
        if (!schema.kinds.contains(kind)) with_member(fmt::format("is {}", value), at, value);
    }
    if (schema.kinds.contains(Kind::string)) {
        for (const char* value : {"\"\"", "\"\\u0000\"", "\"ab\\u0000cd\"", "\"\\u0000ab\""}) {
            with_member(fmt::format("is {}", value), at, value);
        }
        with_member("is too long", at, json::quote(std::string(too_long, 'a')));
    }
    if (schema.whole) {
        for (const char* value : {"1.5", "9223372036854775808", "1e300", "0.1e0"}) {
            with_member(fmt::format("is {}", value), at, value);
        }
    }
}

void Breaker::break_query() {
    for (const char* name : {"stauts", "Limit", "%00", "%ff", "%zz", ""}) {
        with_query("is unknown", name, "1");
    }
    for (const Parameter& one : operation_.parameters) {
        if (one.in != Parameter::In::query) continue;
        for (const char* value : {"", "%00", "a%00b", "%ff", "%zz", "%", "%C2%B5%0C%00"}) {
            with_query(fmt::format("is {}", value), one.name, value);
        }
        with_query("is too long", one.name, std::string(too_long, 'a'));
        Target twice = read_target(operation_, whole_.target);
        for (const auto& [name, value] : Target(twice).query) {
            if (name == one.name) twice.query.emplace_back(name, value);
        }
        with_target(one.name + " is there twice", twice);
    }
}

void Breaker::break_path(const Parameter& parameter) {
    for (const char* value : {"%00", "a%00b", "%ff", "%c3", "%zz", "%"}) {
        Target target = read_target(operation_, whole_.target);
        target.path[parameter.name] = value;
        with_target(fmt::format("{} is {}", parameter.name, value), target);
    }
    Target target = read_target(operation_, whole_.target);
    target.path[parameter.name] = std::string(too_long, 'a');
    with_target(parameter.name + " is too long", target);
}

}  // namespace

std::string drawn_text(const Schema& schema, Rng& rng) {
    if (schema.kinds.contains(Kind::number)) return std::to_string(number_in(schema, rng));
    if (schema.kinds.contains(Kind::boolean)) return heads(rng) ? "true" : "false";
    if (schema.date_time) return date_time(rng);
    if (!schema.words.empty()) return one_of(schema.words, rng);
    for (int tries = 0; tries < 1000; ++tries) {
        const std::size_t length = rng.below(16) == 0 ? rng.below(schema.length_max) % 600 : 8;
        std::string text = heads(rng) ? one_of(usual_texts, rng)
                                      : random_characters(rng, 1 + rng.below(length + 1));
        if (!schema.mismatch_of_text(text)) return text;
    }
    throw std::logic_error("no text for the pattern " + schema.pattern);
}

std::string drawn_value(const Schema& schema, Rng& rng) {
    if (schema.kinds.contains(Kind::object)) {
        Members members;
        for (const auto& [name, member] : schema.properties) {
            const bool wanted = schema.required.contains(name) || heads(rng);
            if (wanted) members.emplace_back(name, drawn_value(*member, rng));
        }
        return object_of(members);
    }
    const std::string text = drawn_text(schema, rng);
    return schema.kinds.contains(Kind::string) ? json::quote(text) : text;
}

Asked drawn_request(const Operation& operation, const Drawing& drawing, Rng& rng) {
    Target target;
    Asked asked;
    asked.method = operation.method;
    for (const Parameter& one : operation.parameters) {
        const auto known = drawing.known.find(one.name);
        const bool wanted = one.required || drawing.whole || heads(rng);
        const std::string text = known != drawing.known.end() && rng.below(8) != 0
                                     ? one_of(known->second, rng)
                                     : drawn_text(*one.schema, rng);
        if (one.in == Parameter::In::path) {
            target.path[one.name] = percent_encoded(text);
        } else if (one.in == Parameter::In::query) {
            if (wanted) target.query.emplace_back(one.name, percent_encoded(text));
        } else if (one.name == "Idempotency-Key") {
            asked.headers.emplace_back(one.name, text);
        }
    }
    asked.headers.emplace_back("Prefer", "wait=0");
    asked.target = target.text(operation);
    if (!operation.body) return asked;
    do {
        asked.body = drawn_value(*operation.body, rng);
    } while (drawing.whole && members_of(asked.body).size() < operation.body->properties.size());
    return asked;
}

std::vector<BrokenRequest> broken_requests(const Operation& operation, const Asked& whole) {
    return Breaker(operation, whole).all();
}

std::string complaint(const Operation& operation, const http::Reply& reply) {
    return complaint_about(operation, reply.status, reply.content_type, reply.body);
}

}  // namespace pawl::testing
