// One request, made by curl, by Node or as raw bytes, and its answer in one form: the answer to a
// provider must not depend on its HTTP client. One thread.
#pragma once

#include "tests/e2e/foreign_clients.hpp"
#include "tests/e2e/http_client.hpp"

namespace pawl::testing {

struct Ask {
    std::string path;
    providers::Headers headers = {};
    std::string body = {};
    std::string method = "POST";
    bool chunked = false;
};

enum class By { bytes, curl, node };
const char* to_text(By client);
bool is_there(By client);  // PATH has it

Response ask_by(By client, std::uint16_t port, const Ask& ask);

}  // namespace pawl::testing
