// One keep-alive HTTP/1.1 connection that never blocks: the owner watches its descriptor (edge
// triggered, both directions) and calls `advance` when something happens. One request at a time,
// no TLS. For test deliveries and for the benchmark. Owned by one thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/send/http_reply.hpp"
#include "tools/send/target.hpp"

namespace pawl::app {

class HttpConnection {
  public:
    enum class State { closed, opening, idle, busy };
    enum class Happened { nothing, opened, answered, broken };

    explicit HttpConnection(const std::vector<Address>& addresses) : addresses_(&addresses) {}
    ~HttpConnection() { close(); }
    HttpConnection(HttpConnection&& other) noexcept;
    HttpConnection& operator=(HttpConnection&&) = delete;

    bool open();  // begins to connect; where that fails the next call tries the next address
    Happened send(std::string request);  // when idle
    Happened advance();
    void close();

    State state() const { return state_; }
    int descriptor() const { return descriptor_; }
    HttpReply take_reply() { return std::move(reply_); }  // after `answered`

  private:
    Happened finish_opening();
    Happened write();
    Happened read();
    Happened answered();
    Happened broken();

    const std::vector<Address>* addresses_;
    std::size_t next_address_ = 0;
    int descriptor_ = -1;
    State state_ = State::closed;
    std::string request_;
    std::size_t written_ = 0;
    HttpReplyReader reader_;
    HttpReply reply_;
};

}  // namespace pawl::app
