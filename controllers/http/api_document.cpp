#include "controllers/http/api_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "controllers/http/problem.hpp"
#include "controllers/v1/openapi.hpp"

namespace pawl::http {
namespace {

// A text that the database can hold.
bool is_text(const std::string& text) {
    return json::is_utf8(text) && text.find('\0') == std::string::npos;
}

// The member with a string, or a key, that no database can hold as a text.
std::optional<std::string> nul_in(const json::Value& value) {
    const auto text = value.kind() == json::Kind::string ? value.text() : std::nullopt;
    const bool found = value.key().find('\0') != std::string_view::npos ||
                       (text && text->find('\0') != std::string::npos);
    if (found) return std::string(value.key());
    for (const json::Value& child : value.children()) {
        if (auto below = nul_in(child)) return below;
    }
    return std::nullopt;
}

std::string named(std::string_view name, const Mismatch& wrong) {
    return fmt::format("{}: {}", name, wrong.what);
}

std::string not_text(std::string_view name) {
    return fmt::format("{}: not UTF-8, or with a NUL; write text, percent-encoded", name);
}

std::string known_parameters(const Operation& operation) {
    std::string names;
    for (const Parameter& one : operation.parameters) {
        if (one.in == Parameter::In::query) names += (names.empty() ? "" : ", ") + one.name;
    }
    return names.empty() ? "this operation takes none" : "known are " + names;
}

class Reader {
  public:
    explicit Reader(const json::Value& root) : root_(root), schemas_(root) {}

    Result<Operation> operation(std::string_view path, const json::Value& value);

  private:
    json::Value resolved(const json::Value& value) const;
    Result<Parameter> parameter(const json::Value& value, const std::string& where);
    Result<void> body(Operation& into, const json::Value& value, const std::string& where);
    Result<void> answer(Operation& into, const json::Value& value, const std::string& where);
    static std::string text_of(const json::Value& value, std::string_view name);
    static bool is_true(const json::Value& value, std::string_view name);

    json::Value root_;
    SchemaCompiler schemas_;
};

std::string Reader::text_of(const json::Value& value, std::string_view name) {
    const auto found = member_of(value, name);
    return found ? found->text().value_or("") : "";
}

bool Reader::is_true(const json::Value& value, std::string_view name) {
    return text_of(value, name) == "true";
}

// One level: components of this document do not refer to one another.
json::Value Reader::resolved(const json::Value& value) const {
    const std::string reference = text_of(value, "$ref");
    if (reference.empty()) return value;
    const auto pointer = json::Pointer::parse(reference.substr(1));
    const auto target = pointer ? root_.at(*pointer) : std::nullopt;
    return target.value_or(value);
}

Result<Parameter> Reader::parameter(const json::Value& reference, const std::string& where) {
    using In = Parameter::In;
    const json::Value value = resolved(reference);
    Parameter made;
    made.name = text_of(value, "name");
    const std::string in = text_of(value, "in");
    if (made.name.empty() || (in != "path" && in != "query" && in != "header")) {
        return invalid(fmt::format("openapi.json: {}: a parameter without name or place", where));
    }
    made.in = in == "path" ? In::path : in == "query" ? In::query : In::header;
    made.required = is_true(value, "required");
    made.code = text_of(value, "x-code");
    if (made.code.empty()) made.code = "invalid_parameter";
    const auto schema = member_of(value, "schema");
    if (!schema) return invalid(fmt::format("openapi.json: {}: no schema", where));
    auto compiled = schemas_.compile(*schema, where + "/schema");
    if (!compiled) return compiled.error();
    made.schema = *compiled;
    made.description = text_of(value, "description");
    if (made.description.empty()) made.description = made.schema->description;
    return made;
}

Result<void> Reader::body(Operation& into, const json::Value& reference, const std::string& where) {
    const json::Value value = resolved(reference);
    into.body_required = is_true(value, "required");
    if (const std::string code = text_of(value, "x-code"); !code.empty()) into.body_code = code;
    const auto content = member_of(value, "content");
    const auto json = content ? member_of(*content, "application/json") : std::nullopt;
    const auto schema = json ? member_of(*json, "schema") : std::nullopt;
    into.any_body = !schema;
    if (!schema) return {};
    auto compiled = schemas_.compile(*schema, where + "/schema");
    if (!compiled) return compiled.error();
    into.body = *compiled;
    return {};
}

Result<void> Reader::answer(Operation& into, const json::Value& reference,
                            const std::string& where) {
    const auto status = whole_number(reference.key());
    if (!status) return invalid(fmt::format("openapi.json: {}: not a status", where));
    auto& types = into.answers[static_cast<int>(*status)];
    const auto content = member_of(resolved(reference), "content");
    if (!content) return {};
    for (const json::Value& type : content->children()) {
        const auto schema = member_of(type, "schema");
        if (!schema) return invalid(fmt::format("openapi.json: {}: no schema", where));
        auto compiled = schemas_.compile(*schema, where + "/schema");
        if (!compiled) return compiled.error();
        types.emplace(type.key(), *compiled);
    }
    return {};
}

Result<Operation> Reader::operation(std::string_view path, const json::Value& value) {
    Operation made;
    made.method = value.key();
    for (char& c : made.method) c = static_cast<char>(c - 'a' + 'A');
    made.path = path;
    made.id = text_of(value, "operationId");
    made.summary = text_of(value, "summary");
    const std::string where = made.method + " " + made.path;
    if (const auto parameters = member_of(value, "parameters")) {
        for (const json::Value& one : parameters->children()) {
            auto read = parameter(one, where + " parameters");
            if (!read) return read.error();
            made.parameters.push_back(std::move(*read));
        }
    }
    if (const auto taken = member_of(value, "requestBody")) {
        if (auto read = body(made, *taken, where + " requestBody"); !read) return read.error();
    }
    const auto answers = member_of(value, "responses");
    if (!answers) return invalid(fmt::format("openapi.json: {}: no responses", where));
    for (const json::Value& one : answers->children()) {
        auto read = answer(made, one, fmt::format("{} {}", where, one.key()));
        if (!read) return read.error();
    }
    return made;
}

constexpr std::array<std::string_view, 4> methods = {"get", "put", "post", "delete"};

}  // namespace

Result<ApiDocument> ApiDocument::compile(std::string_view text) {
    const auto document = json::Document::parse(text);
    if (!document) return invalid("openapi.json: " + document.error().message);
    Reader reader(document->root());
    const auto paths = member_of(document->root(), "paths");
    if (!paths) return invalid("openapi.json: no paths");
    ApiDocument made;
    for (const json::Value& path : paths->children()) {
        for (const json::Value& value : path.children()) {
            if (std::find(methods.begin(), methods.end(), value.key()) == methods.end()) continue;
            auto operation = reader.operation(path.key(), value);
            if (!operation) return operation.error();
            made.operations_.push_back(std::move(*operation));
        }
    }
    return made;
}

const Operation* ApiDocument::find(std::string_view method, std::string_view pattern) const {
    std::string path(pattern);
    if (const std::size_t star = path.find("*}"); star != std::string::npos) path.erase(star, 1);
    for (const Operation& one : operations_) {
        if (one.method == method && one.path == path) return &one;
    }
    return nullptr;
}

const Result<ApiDocument>& shipped_document() {
    static const Result<ApiDocument> document = ApiDocument::compile(openapi_text());
    return document;
}

const Operation& shipped_operation(std::string_view method, std::string_view pattern) {
    const auto& document = shipped_document();
    if (!document) throw std::logic_error(document.error().message);
    const Operation* const found = document->find(method, pattern);
    if (found == nullptr) {
        throw std::logic_error(
            fmt::format("openapi.json: {} {} missing; every route of the API is described there",
                        method, pattern));
    }
    return *found;
}

std::optional<Reply> Operation::refusal(const Request& request) const {
    if (auto wrong = path_refusal(request)) return wrong;
    if (auto wrong = query_refusal(request)) return wrong;
    return body_refusal(request);
}

std::optional<Reply> Operation::path_refusal(const Request& request) const {
    for (const Parameter& one : parameters) {
        if (one.in != Parameter::In::path) continue;
        const std::string& text = request.param(one.name);
        if (!is_text(text)) {
            return problem(400, one.code, not_text(one.name));
        }
        if (const auto wrong = one.schema->mismatch_of_text(text)) {
            return problem(400, one.code, named(one.name, *wrong));
        }
    }
    return std::nullopt;
}

std::optional<Reply> Operation::query_refusal(const Request& request) const {
    std::set<std::string> seen;
    for (const auto& [name, value] : request.query_pairs()) {
        const auto known = std::find_if(
            parameters.begin(), parameters.end(), [&name = name](const Parameter& one) {
                return one.in == Parameter::In::query && name == one.name;
            });
        if (known == parameters.end()) {
            return problem(400, "unknown_parameter",
                           fmt::format("parameter {}: unknown; {}", name.value_or(""),
                                       known_parameters(*this)));
        }
        if (!seen.insert(*name).second) {
            return problem(400, known->code, fmt::format("{}: given twice; send it once", *name));
        }
        if (!value || !is_text(*value)) {
            return problem(400, known->code, not_text(*name));
        }
        if (const auto wrong = known->schema->mismatch_of_text(*value)) {
            return problem(400, known->code, named(*name, *wrong));
        }
    }
    for (const Parameter& one : parameters) {
        if (one.in != Parameter::In::query || !one.required || seen.contains(one.name)) continue;
        return problem(400, one.code, fmt::format("{}: missing; add this parameter", one.name));
    }
    return std::nullopt;
}

std::optional<Reply> Operation::body_refusal(const Request& request) const {
    if (any_body) return std::nullopt;
    if (request.body.empty()) {
        if (!body_required) return std::nullopt;
        return problem(400, body_code, "body: missing; send a JSON object");
    }
    if (!body) return problem(400, body_code, "body: unexpected; send none");
    const auto document = json::Document::parse(request.body);
    if (!document) {
        return problem(
            400, body_code,
            fmt::format("body: invalid JSON ({}); send one JSON object", document.error().message));
    }
    if (const auto member = nul_in(document->root())) {
        return problem(400, body_code, fmt::format("{}: has a NUL character; remove it", *member));
    }
    const auto wrong = body->mismatch(document->root());
    if (!wrong) return std::nullopt;
    const std::string place = wrong->where.empty() ? "body" : wrong->where.substr(1);
    return problem(400, wrong->unknown_member ? "unknown_member" : body_code, named(place, *wrong));
}

}  // namespace pawl::http
