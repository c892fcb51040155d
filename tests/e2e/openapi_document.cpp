#include "tests/e2e/openapi_document.hpp"

#include "tests/support/api_answer.hpp"

namespace pawl::testing {

OpenApiDocument::OpenApiDocument(const std::string& text)
    : document_(http::ApiDocument::compile(text).value()) {}

std::string OpenApiDocument::complaint(const std::string& method, const std::string& path,
                                       const Response& answer) {
    const http::Operation* const operation = document_.find(method, path);
    if (operation == nullptr) return "the operation is not described";
    asked_.insert(method + " " + path);
    return complaint_about(*operation, answer.status, answer.header("Content-Type"), answer.body);
}

std::vector<std::string> OpenApiDocument::never_asked() const {
    std::vector<std::string> all;
    for (const http::Operation& operation : document_.operations()) {
        const std::string name = operation.method + " " + operation.path;
        if (!asked_.contains(name)) all.push_back(name);
    }
    return all;
}

}  // namespace pawl::testing
