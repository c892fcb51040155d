// HTTP client for outgoing requests. Each request has timeouts, verifies TLS, follows no redirect
// and refuses private addresses at connect time, unless they are allowed. Sessions are kept by
// thread; safe from every thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pawl::outbound {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
    std::string method = "GET";
    std::string url;
    Headers headers;
    std::string body;
    std::chrono::milliseconds connect_within{3000};
    std::chrono::milliseconds within{10000};  // all of it, connecting included
    bool allow_private = false;               // loopback and private addresses, for development
    // A too large, truncated or late body is not a failure: the reply has the part that came.
    bool status_is_enough = false;
    std::size_t reply_bytes_max = 1024 * 1024;
    // Set from any thread to abandon the request; noticed within about a second.
    const std::atomic<bool>* unwanted = nullptr;
};

struct HttpReply {
    int status = 0;
    Headers headers;  // in order, as they came
    std::string body;

    std::optional<std::string_view> header(std::string_view name) const;  // ignores case
};

// No answer was received. Whether the server acted on the request is unknown, unless `sent_nothing`
// shows that not one byte left.
struct HttpFailure {
    std::string what;
    bool sent_nothing = false;
    bool refused_address = false;  // the address guard refused to connect
};

using HttpResult = std::variant<HttpReply, HttpFailure>;

HttpResult send(const HttpRequest& request);

// Once, from main, before any thread is started.
void start_http();

}  // namespace pawl::outbound
