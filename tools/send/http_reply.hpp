// One HTTP/1.1 answer, assembled from pieces as they arrive. Lengths, chunks, and bodies that end
// with the connection; interim answers (1xx) are passed over. Owned by its connection.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::app {

struct HttpReply {
    int status = 0;
    std::string body;
    bool keep_alive = true;
    std::optional<int> retry_after_s;
};

class HttpReplyReader {
  public:
    enum class State { more, complete, malformed };

    State feed(std::string_view bytes);
    State at_end() const;  // at a close by the peer: whether the answer is complete
    HttpReply take();      // when complete; ready for the next
    bool untouched() const { return pending_.empty() && !head_read_; }

  private:
    enum class Framing { length, chunked, until_close };

    State read_head();
    bool read_status_line(std::string_view line);
    bool read_header(std::string_view line);
    State read_body();
    State read_chunks();

    std::string pending_;
    HttpReply reply_;
    bool head_read_ = false;
    Framing framing_ = Framing::until_close;
    std::size_t length_ = 0;
};

}  // namespace pawl::app
