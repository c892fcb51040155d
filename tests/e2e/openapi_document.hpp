// /openapi.json as a server serves it: whether an answer is as it says, and which operations no
// test has asked. One thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "controllers/http/api_document.hpp"
#include "tests/e2e/http_client.hpp"

namespace pawl::testing {

class OpenApiDocument {
  public:
    explicit OpenApiDocument(const std::string& text);

    // Returns an empty string if the answer matches the document. Records the operation as tested.
    std::string complaint(const std::string& method, const std::string& path,
                          const Response& answer);
    std::vector<std::string> never_asked() const;  // "GET /v1/..."

  private:
    http::ApiDocument document_;
    std::set<std::string> asked_;
};

}  // namespace pawl::testing
