#include "tests/e2e/openapi_document.hpp"

#include <gtest/gtest.h>

#include <map>

namespace pawl::testing {
namespace {

using json::Value;

std::optional<Value> in(const Value& value, const std::string& pointer) {
    return value.at(json::Pointer::parse(pointer).value());
}

// As one token of a JSON pointer.
std::string escaped(const std::string& token) {
    std::string out;
    for (const char c : token) {
        if (c == '/') {
            out += "~1";
        } else if (c == '~') {
            out += "~0";
        } else {
            out += c;
        }
    }
    return out;
}

bool is_of(const Value& type, const Value& got) {
    static const std::map<json::Kind, std::set<std::string>> words = {
        {json::Kind::null, {"null"}},     {json::Kind::boolean, {"boolean"}},
        {json::Kind::string, {"string"}}, {json::Kind::number, {"integer", "number"}},
        {json::Kind::array, {"array"}},   {json::Kind::object, {"object"}}};
    const auto& mine = words.at(got.kind());
    if (const auto one = type.text()) return mine.contains(*one);
    for (const Value& one : type.children()) {
        if (mine.contains(*one.text())) return true;
    }
    return false;
}

bool is_one_of(const Value& words, const Value& got) {
    for (const Value& one : words.children()) {
        if (one.raw() == got.raw()) return true;
    }
    return false;
}

}  // namespace

OpenApiDocument::OpenApiDocument(std::string text) : text_(std::move(text)) {
    auto parsed = json::Document::parse(text_);
    if (parsed) {
        document_.emplace(std::move(*parsed));
    } else {
        ADD_FAILURE() << parsed.error().message << ": " << text_.substr(0, 200);
    }
}

std::optional<Value> OpenApiDocument::at(const std::string& pointer) const {
    return document_ ? in(document_->root(), pointer) : std::nullopt;
}

Value OpenApiDocument::resolved(const Value& schema) const {
    const auto ref = in(schema, "/$ref");
    return ref ? *at(ref->text()->substr(1)) : schema;
}

std::string OpenApiDocument::complaint(const std::string& method, const std::string& path,
                                       const Response& answer) {
    asked_.insert(method + " " + path);
    const auto described = at("/paths/" + escaped(path) + "/" + method + "/responses/" +
                              std::to_string(answer.status));
    if (!described) return "the status is not described";
    const std::string type = answer.header("Content-Type");
    const std::string bare = type.substr(0, type.find(';'));
    const auto schema = in(*described, "/content/" + escaped(bare) + "/schema");
    if (!schema) return "the content type \"" + type + "\" is not described";
    if (!bare.ends_with("json")) return "";
    const auto body = json::Document::parse(answer.body);
    return body ? mismatch(*schema, body->root(), "") : "the body is no JSON";
}

std::string OpenApiDocument::mismatch(const Value& wanted, const Value& got,
                                      const std::string& where) const {
    const Value schema = resolved(wanted);
    if (const auto choices = in(schema, "/oneOf")) {
        for (const Value& one : choices->children()) {
            if (mismatch(one, got, where).empty()) return "";
        }
        return where + " is none of oneOf";
    }
    if (const auto type = in(schema, "/type"); type && !is_of(*type, got)) {
        return where + " is not of the type " + std::string(type->raw());
    }
    if (const auto words = in(schema, "/enum"); words && !is_one_of(*words, got)) {
        return where + " is none of " + std::string(words->raw());
    }
    if (const auto required = in(schema, "/required")) {
        for (const Value& name : required->children()) {
            if (!in(got, "/" + *name.text())) return where + " misses " + *name.text();
        }
    }
    return mismatch_below(schema, got, where);
}

std::string OpenApiDocument::mismatch_below(const Value& schema, const Value& got,
                                            const std::string& where) const {
    const auto items = in(schema, "/items");
    for (const Value& child : got.children()) {
        const std::string name(child.key());
        const bool element = got.kind() == json::Kind::array;
        const auto of = element ? items : in(schema, "/properties/" + escaped(name));
        if (!of) continue;
        auto below = mismatch(*of, child, where + "/" + name);
        if (!below.empty()) return below;
    }
    return "";
}

std::vector<std::string> OpenApiDocument::never_asked() const {
    std::vector<std::string> all;
    for (const Value& path : at("/paths")->children()) {
        for (const Value& operation : path.children()) {
            std::string name(operation.key());
            if (name == "servers") continue;
            name += " " + std::string(path.key());
            if (!asked_.contains(name)) all.push_back(name);
        }
    }
    return all;
}

}  // namespace pawl::testing
