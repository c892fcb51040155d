// Strict framing of HTTP/1.1, the only reader of bytes from outside. Bytes go in in any pieces; one
// checked request comes out, or the reason for refusing it. It works byte by byte, so that cutting
// the bytes cannot change the verdict. One object for each connection, owned by it and used by its
// IO thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::http {

// Every line in order, as it was sent: a signature header that comes twice is two lines here.
using HeaderLines = std::vector<std::pair<std::string, std::string>>;

struct FramingLimits {
    std::size_t target_bytes = 8 * 1024;
    std::size_t header_lines = 100;
    std::size_t header_bytes = 32 * 1024;  // trailers count towards both header limits
    std::size_t body_bytes = 1024 * 1024;
    std::size_t extension_bytes = 1024;  // limit of all chunk extensions of one request
};

struct FramedRequest {
    std::string method;
    std::string target;  // origin form; the authority of an absolute form has been taken off
    int minor_version = 1;
    HeaderLines headers;
    std::string body;  // without its chunking, otherwise the bytes as sent
    bool keep_alive = true;
};

struct FramingRefusal {
    int status = 400;
    const char* code = "";    // stable: part of urn:pawl:problem:<code>
    const char* detail = "";  // one sentence for the author of the client
};

class Framing {
  public:
    enum class Verdict { need_more, complete, refused };
    struct Fed {
        Verdict verdict;
        std::size_t used;  // bytes taken; when complete, the next request starts after them
    };

    explicit Framing(const FramingLimits& limits) : limits_(&limits) {}

    // After `complete` call take(), after `refused` nothing more.
    Fed feed(std::string_view bytes);
    FramedRequest take();
    const FramingRefusal& refusal() const { return refusal_; }

    bool at_start() const { return state_ == State::start; }  // no byte of a request so far
    bool in_body() const { return state_ >= State::body && state_ < State::complete; }
    // The client waits for `100 Continue`: the head is complete, no byte of the body has come.
    bool wants_continue() const { return wants_continue_; }
    std::size_t buffered() const;  // bytes this object keeps in memory, roughly

  private:
    // clang-format off
    enum class State : std::uint8_t {
        start, start_lf, method, target, version, request_line_lf,
        line_start, name, value_start, value, line_lf, head_end_lf,
        body, chunk_size, chunk_extension, chunk_size_lf, chunk_data, chunk_data_cr, chunk_data_lf,
        trailer_start, trailer_name, trailer_value, trailer_lf, trailer_end_lf,
        complete, refused
    };
    // clang-format on

    void step(char c);
    void step_request_line(char c);
    void step_header(char c);
    void step_chunk(char c);
    void step_trailer(char c);
    std::size_t copy_body(std::string_view bytes);
    std::size_t copy_plain(std::string_view bytes);

    void on_method(char c);
    void on_target(char c);
    void on_version(char c);
    void on_line_start(char c, State name, State end_lf);
    void on_name(char c, State value);
    void on_value(char c);
    void on_chunk_size(char c);
    void finish_chunk_size();
    bool count_header_byte();
    void finish_header_line();
    void finish_head();
    void after_head();
    void expect_lf(char c, State next);
    void refuse(int status, const char* code, const char* detail);

    const FramingLimits* limits_;
    FramedRequest request_;
    FramingRefusal refusal_;
    State state_ = State::start;
    bool blank_line_seen_ = false;
    bool wants_continue_ = false;
    std::size_t header_bytes_ = 0;
    std::size_t header_lines_ = 0;
    std::uint64_t left_ = 0;  // rest of the body, or of the current chunk
    std::uint8_t chunk_digits_ = 0;
    std::size_t extension_bytes_ = 0;
    std::string word_;  // the version, while it arrives
};

}  // namespace pawl::http
