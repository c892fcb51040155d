// One keep-alive connection to a server on this machine, and answers as values. It sends exact
// bytes, and reconnects when the server has closed. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "providers/event.hpp"

namespace pawl::testing {

struct Response {
    int status = 0;  // 0: none came
    providers::Headers headers;
    std::string body;
    std::chrono::milliseconds took{0};

    std::string header(std::string_view name) const;  // whatever its case; empty: it has none
    std::string code() const;                         // of a problem
};

class HttpClient {
  public:
    explicit HttpClient(std::uint16_t port) : port_(port) {}

    Response get(std::string_view path);
    Response post(std::string_view path, const providers::Headers& headers, std::string_view body);
    Response request(std::string_view method, std::string_view path,
                     const providers::Headers& headers, std::string_view body);
    Response exchange(std::string_view bytes);  // exactly these, and one answer to them
    bool send(std::string_view bytes);          // part of a request
    Response read();                            // the answer to it

    bool open() const { return fd_.open(); }

  private:
    bool connect();
    bool left_by_the_other_side() const;
    bool read_more(std::string& into, std::chrono::steady_clock::time_point give_up);

    std::uint16_t port_;
    process::Fd fd_;
};

}  // namespace pawl::testing
