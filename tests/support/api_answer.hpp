// An answer of the API, held to the document. Pure.
#pragma once

#include <fmt/format.h>

#include <string>

#include "controllers/http/api_document.hpp"

namespace pawl::testing {

// Returns an empty text if the response matches the operation, without an undescribed member.
inline std::string complaint_about(const http::Operation& operation, int status,
                                   const std::string& content_type, const std::string& body) {
    const auto described = operation.answers.find(status);
    if (described == operation.answers.end()) {
        return fmt::format("status {} is not described: {}", status, body);
    }
    const std::string type = content_type.substr(0, content_type.find(';'));
    const auto schema = described->second.find(type);
    if (schema == described->second.end()) return "not described: content type " + type;
    if (!type.ends_with("json")) return "";
    const auto document = json::Document::parse(body);
    if (!document) return "not JSON: " + body;
    const auto wrong = schema->second->mismatch(document->root(), http::Members::known_only);
    return wrong ? fmt::format("{} {}: {}", wrong->where, wrong->what, body) : "";
}

}  // namespace pawl::testing
