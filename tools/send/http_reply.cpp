#include "tools/send/http_reply.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.hpp"

namespace pawl::app {
namespace {

// Bounds memory: no webhook receiver answers with more.
constexpr std::size_t head_bytes_max = 64 * 1024;
constexpr std::size_t body_bytes_max = 16 * 1024 * 1024;

template <class Number>
bool read_number(std::string_view text, Number& into, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into, base);
    return error == std::errc{} && end == text.data() + text.size();
}

// Returns the text up to the next line break, and removes both; nullopt if no line break has come.
std::optional<std::string_view> next_line(std::string_view& text) {
    const std::size_t end = text.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    return line;
}

}  // namespace

HttpReplyReader::State HttpReplyReader::feed(std::string_view bytes) {
    pending_.append(bytes);
    while (!head_read_) {
        const State state = read_head();
        if (state != State::complete) return state;
    }
    return read_body();
}

HttpReplyReader::State HttpReplyReader::at_end() const {
    return head_read_ && framing_ == Framing::until_close ? State::complete : State::malformed;
}

HttpReply HttpReplyReader::take() {
    if (framing_ == Framing::until_close) reply_.body = std::exchange(pending_, {});
    HttpReply taken = std::exchange(reply_, {});
    head_read_ = false;
    framing_ = Framing::until_close;
    return taken;
}

HttpReplyReader::State HttpReplyReader::read_head() {
    const std::size_t end = pending_.find("\r\n\r\n");
    if (end == std::string::npos) {
        return pending_.size() > head_bytes_max ? State::malformed : State::more;
    }
    std::string_view head = std::string_view(pending_).substr(0, end + 2);
    framing_ = Framing::until_close;
    reply_ = {};
    bool good = read_status_line(*next_line(head));
    while (good && !head.empty()) good = read_header(*next_line(head));
    if (!good) return State::malformed;
    pending_.erase(0, end + 4);
    head_read_ = reply_.status >= 200;
    return State::complete;
}

bool HttpReplyReader::read_status_line(std::string_view line) {
    if (!line.starts_with("HTTP/1.") || line.size() < 12) return false;
    reply_.keep_alive = line[7] == '1';
    return read_number(line.substr(9, 3), reply_.status) && reply_.status >= 100;
}

bool HttpReplyReader::read_header(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equal_ignoring_case(name, "content-length")) {
        framing_ = Framing::length;
        return read_number(value, length_) && length_ <= body_bytes_max;
    }
    if (equal_ignoring_case(name, "transfer-encoding")) framing_ = Framing::chunked;
    if (equal_ignoring_case(name, "connection") && equal_ignoring_case(value, "close"))
        reply_.keep_alive = false;
    int seconds = 0;
    if (equal_ignoring_case(name, "retry-after") && read_number(value, seconds)) {
        reply_.retry_after_s = seconds;  // its other form, a date, is as good as none
    }
    return true;
}

HttpReplyReader::State HttpReplyReader::read_body() {
    if (framing_ == Framing::chunked) return read_chunks();
    if (framing_ == Framing::until_close) {
        reply_.keep_alive = false;
        return pending_.size() > body_bytes_max ? State::malformed : State::more;
    }
    if (pending_.size() < length_) return State::more;
    reply_.body = pending_.substr(0, length_);
    pending_.erase(0, length_);
    return State::complete;
}

HttpReplyReader::State HttpReplyReader::read_chunks() {
    for (;;) {
        std::string_view rest = pending_;
        const auto line = next_line(rest);
        if (!line) return pending_.size() > head_bytes_max ? State::malformed : State::more;
        std::size_t size = 0;
        if (!read_number(line->substr(0, line->find(';')), size, 16)) return State::malformed;
        if (reply_.body.size() + size > body_bytes_max) return State::malformed;
        if (rest.size() < size + 2) return State::more;
        if (rest.substr(size, 2) != "\r\n")
            return State::malformed;  // trailers are not used by webhook receivers
        reply_.body.append(rest.substr(0, size));
        pending_.erase(0, pending_.size() - rest.size() + size + 2);
        if (size == 0) return State::complete;
    }
}

}  // namespace pawl::app
