// Requests made from the API's document, and answers held to it. A drawn request fits its
// operation; a broken one does not, for the reason that it names. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "controllers/http/api_document.hpp"
#include "tests/integration/api_case.hpp"

namespace pawl::testing {

struct BrokenRequest {
    std::string reason;
    Asked asked;
};

// A value of the schema, as JSON text.
std::string drawn_value(const http::Schema& schema, Rng& rng);
// A text that a parameter of the schema takes.
std::string drawn_text(const http::Schema& schema, Rng& rng);

// `known`: values for path parameters, by name, that lead to rows which exist. With `whole` every
// optional parameter and member is there.
struct Drawing {
    const std::map<std::string, std::vector<std::string>>& known;
    bool whole = false;
};
Asked drawn_request(const http::Operation& operation, const Drawing& drawing, Rng& rng);

// Every way to break the request: each member removed, doubled, nulled, of another type, too long;
// members and parameters that are unknown; parameters that are empty, too long, twice, not UTF-8.
std::vector<BrokenRequest> broken_requests(const http::Operation& operation, const Asked& whole);

// Returns an empty text if the answer matches the document, without an undescribed member.
std::string complaint(const http::Operation& operation, const http::Reply& reply);

}  // namespace pawl::testing
