// HTTP requests that leave the house. Every one has time-outs, verifies TLS, follows no redirect
// and refuses private addresses at connect time, unless it was told that they are fine. Sessions
// are kept by thread; safe from every thread.
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
    // The answer is its status: its body is kept as far as it came, too long, cut or late.
    bool status_is_enough = false;
    std::size_t reply_bytes_max = 1024 * 1024;
    // Set, from any thread: nobody wants the answer any more. Noticed within a second or so.
    const std::atomic<bool>* unwanted = nullptr;
};

struct HttpReply {
    int status = 0;
    Headers headers;  // in order, as they came
    std::string body;

    std::optional<std::string_view> header(std::string_view name) const;  // compared without case
};

// There is no answer. Whether the other side has acted on the request cannot be told from here,
// except where `sent_nothing` says that not one byte of it left.
struct HttpFailure {
    std::string what;
    bool sent_nothing = false;
    bool refused_address = false;  // it was we who refused to connect
};

using HttpResult = std::variant<HttpReply, HttpFailure>;

HttpResult send(const HttpRequest& request);

// Once, from main, before any thread is started.
void start_http();

}  // namespace pawl::outbound
