// /openapi.json as a test reads it: what of an answer the document does not allow. One thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "tests/e2e/http_client.hpp"

namespace pawl::testing {

class OpenApiDocument {
  public:
    explicit OpenApiDocument(std::string text);

    // Empty: the answer is as described. Remembers that the operation was asked.
    std::string complaint(const std::string& method, const std::string& path,
                          const Response& answer);
    std::vector<std::string> never_asked() const;  // "get /v1/..."

  private:
    std::optional<json::Value> at(const std::string& pointer) const;
    json::Value resolved(const json::Value& schema) const;
    std::string mismatch(const json::Value& wanted, const json::Value& got,
                         const std::string& where) const;
    std::string mismatch_below(const json::Value& schema, const json::Value& got,
                               const std::string& where) const;

    const std::string text_;  // which the document refers to
    std::optional<json::Document> document_;
    std::set<std::string> asked_;
};

}  // namespace pawl::testing
