// A cpr session with its options set once: one connection pool, one request at a time. Owned by one
// thread, which keeps it to reuse its connections.
#pragma once

#include <cpr/cpr.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "outbound/http_client.hpp"

namespace pawl::outbound {

class HttpSession {
  public:
    // Separate by `allow_private`: a connection to a private address must not be reused by a
    // request without that permission.
    explicit HttpSession(bool allow_private);
    HttpSession(const HttpSession&) = delete;
    HttpSession& operator=(const HttpSession&) = delete;

    HttpResult send(const HttpRequest& request);

  private:
    // State of one request in progress.
    struct Flight {
        bool may_repeat = false;
        std::size_t reply_bytes_max = 0;
        int sends = 0;
        bool repeat_refused = false;
        bool too_large = false;
        bool head_is_whole = false;
        const std::atomic<bool>* unwanted = nullptr;
        std::string refused_address;
        std::size_t head_bytes = 0;
        HttpReply reply;
    };

    static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
    static int about_to_send(void* self, char* to, char* from, int to_port, int from_port);
    void set_up();
    void prepare(const HttpRequest& request);
    void set_body(const HttpRequest& request);
    cpr::Response perform(const std::string& method);
    bool take_head_line(std::string_view line);
    bool take_body(std::string_view bytes);
    bool still_wanted() const;
    HttpFailure failure(const cpr::Response& response, const HttpRequest& request) const;

    const bool allow_private_;
    cpr::Session session_;
    Flight flight_;
};

}  // namespace pawl::outbound
