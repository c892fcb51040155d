// The API's document (OpenAPI 3.1) compiled: each operation's parameters, body and answers. It
// validates each request between the token and the handler, so endpoints get only requests that
// fit. Immutable; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/http/http.hpp"
#include "controllers/http/schema.hpp"

namespace pawl::http {

struct Parameter {
    enum class In : std::uint8_t { path, query, header };
    std::string name;
    In in = In::query;
    bool required = false;
    SchemaPtr schema;
    std::string code;  // code of the problem if it does not fit
    std::string description;
};

struct Operation {
    std::string method;  // GET
    std::string path;    // /v1/orders/{order}
    std::string id;      // getOrder
    std::string summary;
    std::vector<Parameter> parameters;
    SchemaPtr body;  // null: it takes none
    bool body_required = false;
    bool any_body = false;  // not JSON: the endpoint validates it
    std::string body_code = "invalid_body";
    // By status, then by media type.
    std::map<int, std::map<std::string, SchemaPtr>> answers;

    // Returns the request's 400; nullopt if it fits. Header fields have grammars of their own,
    // lists over several lines among them, and are left to the endpoints.
    std::optional<Reply> refusal(const Request& request) const;

  private:
    std::optional<Reply> path_refusal(const Request& request) const;
    std::optional<Reply> query_refusal(const Request& request) const;
    std::optional<Reply> body_refusal(const Request& request) const;
};

class ApiDocument {
  public:
    // An error names the place in the document that cannot be checked.
    static Result<ApiDocument> compile(std::string_view text);

    const std::vector<Operation>& operations() const { return operations_; }
    // The pattern is a route's. nullptr: the document does not have it.
    const Operation* find(std::string_view method, std::string_view pattern) const;

  private:
    std::vector<Operation> operations_;
};

// The document that this program serves at /openapi.json, compiled once.
const Result<ApiDocument>& shipped_document();
// Throws std::logic_error where the document does not describe the route: the start ends.
const Operation& shipped_operation(std::string_view method, std::string_view pattern);

}  // namespace pawl::http
