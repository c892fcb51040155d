// One request, made by curl, by Node or as bytes of our own, and its answer in one form: what a
// sender is told must not depend on what it is written in. One thread.
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
