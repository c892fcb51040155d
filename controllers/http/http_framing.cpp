#include "controllers/http/http_framing.hpp"

#include <algorithm>
#include <array>

#include "controllers/http/http_head.hpp"

namespace pawl::http {
namespace {

constexpr std::size_t method_bytes_max = 32;  // no registered method is longer than 17
constexpr std::size_t name_bytes_max = 256;
constexpr std::size_t usual_header_lines = 12;
constexpr char cr = '\r';
constexpr char lf = '\n';

const std::array<bool, 256> token_chars = [] {
    std::array<bool, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = is_token_char(static_cast<char>(i));
    return table;
}();

bool is_token(char c) {
    return token_chars[static_cast<unsigned char>(c)];
}
bool is_visible(char c) {
    return c > ' ' && c < 0x7f;
}
bool is_blank(char c) {
    return c == ' ' || c == '\t';
}
// Characters that RFC 9110 allows in a field value: no control character but the tab; bytes from
// 0x80 on are passed as they are.
bool is_value_char(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= ' ' && byte != 0x7f);
}

// Appends the leading plain bytes, at most `room`, to the text, and returns their number.
template <bool (*is_plain)(char)>
std::size_t append_plain(std::string& text, std::string_view bytes, std::size_t room) {
    bytes = bytes.substr(0, room);
    // No algorithm of the library: it would call `is_plain` for each byte by its address.
    std::size_t plain = 0;
    while (plain < bytes.size() && is_plain(bytes[plain])) ++plain;
    text.append(bytes.data(), plain);
    return plain;
}

}  // namespace

Framing::Fed Framing::feed(std::string_view bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && state_ != State::complete && state_ != State::refused) {
        if (state_ == State::body || state_ == State::chunk_data) {
            used += copy_body(bytes.substr(used));
            continue;
        }
        used += copy_plain(bytes.substr(used));
        if (used < bytes.size()) step(bytes[used++]);
    }
    if (state_ == State::refused) return {Verdict::refused, used};
    return {state_ == State::complete ? Verdict::complete : Verdict::need_more, used};
}

// Takes the plain bytes of a target, a name or a value in one go: they are most of a head. `step`
// decides where it ends, and refuses text over a limit.
std::size_t Framing::copy_plain(std::string_view bytes) {
    if (state_ == State::target) {
        std::string& target = request_.target;
        return append_plain<is_visible>(target, bytes, limits_->target_bytes - target.size());
    }
    std::size_t copied = 0;
    const std::size_t left = limits_->header_bytes - header_bytes_;
    if (state_ == State::name) {
        const std::size_t room = std::min(left, name_bytes_max - word_.size());
        copied = append_plain<is_token>(word_, bytes, room);
    } else if (state_ == State::value) {
        copied = append_plain<is_value_char>(request_.headers.back().second, bytes, left);
    }
    header_bytes_ += copied;
    return copied;
}

FramedRequest Framing::take() {
    FramedRequest taken = std::move(request_);
    *this = Framing(*limits_);
    return taken;
}

std::size_t Framing::buffered() const {
    constexpr std::size_t line_overhead = sizeof(HeaderLines::value_type);
    return request_.target.size() + header_bytes_ + header_lines_ * line_overhead +
           request_.body.capacity();
}

void Framing::step(char c) {
    if (state_ < State::line_start) return step_request_line(c);
    if (state_ < State::body) return step_header(c);
    if (state_ < State::trailer_start) return step_chunk(c);
    step_trailer(c);
}

void Framing::step_request_line(char c) {
    switch (state_) {
        case State::start:
            // One empty line before a request is forgiven: old clients end a body with it.
            if (c == cr && !blank_line_seen_) {
                state_ = State::start_lf;
                break;
            }
            state_ = State::method;
            [[fallthrough]];
        case State::method:
            return on_method(c);
        case State::start_lf:
            blank_line_seen_ = true;
            return expect_lf(c, State::start);
        case State::target:
            return on_target(c);
        case State::version:
            return on_version(c);
        default:
            return expect_lf(c, State::line_start);
    }
}

void Framing::on_method(char c) {
    if (c == ' ' && !request_.method.empty()) {
        state_ = State::target;
    } else if (!is_token(c) || request_.method.size() == method_bytes_max) {
        refuse(400, "bad_request_line", "The request must begin with METHOD TARGET HTTP/1.1.");
    } else {
        request_.method += c;
    }
}

void Framing::on_target(char c) {
    if (c == ' ' && !request_.target.empty()) {
        if (!to_origin_form(request_)) {
            return refuse(400, "bad_target", "The target must be a path that begins with /.");
        }
        state_ = State::version;
    } else if (!is_visible(c)) {
        refuse(400, "bad_target", "The target may hold visible ASCII characters only.");
    } else if (request_.target.size() == limits_->target_bytes) {
        refuse(414, "target_too_long", "The target is over the limit.");
    } else {
        request_.target += c;
    }
}

void Framing::on_version(char c) {
    constexpr std::string_view name = "HTTP/1.";
    const bool fits = word_.size() < name.size()    ? c == name[word_.size()]
                      : word_.size() == name.size() ? c == '0' || c == '1'
                                                    : c == cr;
    if (!fits) return refuse(400, "bad_version", "Only HTTP/1.1 and HTTP/1.0 are spoken here.");
    if (c == cr) {
        request_.minor_version = word_.back() - '0';
        state_ = State::request_line_lf;
        return;
    }
    word_ += c;
}

void Framing::step_header(char c) {
    if (!count_header_byte()) return;
    switch (state_) {
        case State::line_start:
            return on_line_start(c, State::name, State::head_end_lf);
        case State::name:
            return on_name(c, State::value_start);
        case State::value_start:
            if (is_blank(c)) return;
            state_ = State::value;
            [[fallthrough]];
        case State::value:
            return on_value(c);
        case State::line_lf:
            if (c == lf) finish_header_line();
            return expect_lf(c, State::line_start);
        default:
            if (c == lf) return finish_head();
            return expect_lf(c, State::refused);
    }
}

bool Framing::count_header_byte() {
    if (++header_bytes_ <= limits_->header_bytes) return true;
    refuse(431, "headers_too_large", "The header lines are over the limit.");
    return false;
}

void Framing::on_line_start(char c, State name, State end_lf) {
    if (c == cr) {
        state_ = end_lf;
    } else if (is_blank(c)) {
        refuse(400, "folded_header", "A header line may not begin with a blank.");
    } else if (++header_lines_ > limits_->header_lines) {
        refuse(431, "too_many_headers", "There are more header lines than the limit allows.");
    } else {
        if (request_.headers.empty()) request_.headers.reserve(usual_header_lines);
        if (name == State::name) request_.headers.emplace_back();
        word_.clear();
        state_ = name;
        on_name(c, name == State::name ? State::value_start : State::trailer_value);
    }
}

void Framing::on_name(char c, State value) {
    if (c == ':' && !word_.empty()) {
        if (value == State::value_start) request_.headers.back().first = word_;
        state_ = value;
    } else if (!is_token(c) || word_.size() == name_bytes_max) {
        refuse(400, "bad_header", "A header line must be a name, a colon and a value.");
    } else {
        word_ += c;
    }
}

void Framing::on_value(char c) {
    if (c == cr) {
        state_ = State::line_lf;
    } else if (!is_value_char(c)) {
        refuse(400, "bad_header", "A header value may not hold control characters.");
    } else {
        request_.headers.back().second += c;
    }
}

void Framing::finish_header_line() {
    std::string& value = request_.headers.back().second;
    while (!value.empty() && is_blank(value.back())) value.pop_back();
}

void Framing::finish_head() {
    const auto plan = plan_body(request_, *limits_, refusal_);
    if (!plan) {
        state_ = State::refused;
        return;
    }
    request_.keep_alive = plan->keep_alive;
    wants_continue_ = plan->expects_continue;
    left_ = plan->length;
    if (plan->chunked) {
        state_ = State::chunk_size;
    } else {
        state_ = left_ == 0 ? State::complete : State::body;
    }
}

void Framing::expect_lf(char c, State next) {
    if (c != lf) return refuse(400, "bare_cr", "A carriage return must be followed by a newline.");
    state_ = next;
}

void Framing::refuse(int status, const char* code, const char* detail) {
    refusal_ = {status, code, detail};
    state_ = State::refused;
}

// Bodies, chunks and trailers.

namespace {

constexpr std::uint8_t chunk_digits_max = 16;   // 64 bits
constexpr std::size_t first_body_bytes = 2048;  // most events fit; grows by doubling

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

// Memory follows the bytes that have arrived, never the length that was announced.
std::size_t Framing::copy_body(std::string_view bytes) {
    wants_continue_ = false;
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
    std::string& body = request_.body;
    if (body.size() + some > body.capacity()) {
        const std::size_t announced = body.size() + static_cast<std::size_t>(left_);
        const std::size_t doubled = std::max(first_body_bytes, body.capacity() * 2);
        body.reserve(std::max(body.size() + some,
                              state_ == State::body ? std::min(announced, doubled) : doubled));
    }
    body.append(bytes.substr(0, some));
    left_ -= some;
    if (left_ == 0) state_ = state_ == State::body ? State::complete : State::chunk_data_cr;
    return some;
}

void Framing::step_chunk(char c) {
    wants_continue_ = false;
    switch (state_) {
        case State::chunk_size:
            return on_chunk_size(c);
        case State::chunk_extension:
            if (c == '\r') {
                state_ = State::chunk_size_lf;
            } else if (static_cast<unsigned char>(c) < ' ' && c != '\t') {
                refuse(400, "bad_chunk", "A chunk extension may not hold control characters.");
            } else if (++extension_bytes_ > limits_->extension_bytes) {
                refuse(400, "bad_chunk", "The chunk extensions are over the limit.");
            }
            return;
        case State::chunk_size_lf:
            if (c == '\n') return finish_chunk_size();
            return expect_lf(c, State::refused);
        case State::chunk_data_cr:
            if (c != '\r') return refuse(400, "bad_chunk", "A chunk is longer than its size.");
            state_ = State::chunk_data_lf;
            return;
        default:
            chunk_digits_ = 0;
            return expect_lf(c, State::chunk_size);
    }
}

void Framing::on_chunk_size(char c) {
    const int digit = hex_digit(c);
    if (digit >= 0) {
        if (++chunk_digits_ > chunk_digits_max) {
            return refuse(400, "bad_chunk", "A chunk size has more than 16 digits.");
        }
        left_ = (chunk_digits_ == 1 ? 0 : left_) * 16 + static_cast<std::uint64_t>(digit);
    } else if (chunk_digits_ == 0 || (c != '\r' && c != ';')) {
        refuse(400, "bad_chunk", "A chunk must begin with its size in hexadecimal digits.");
    } else if (left_ > limits_->body_bytes - request_.body.size()) {
        refuse(413, "body_too_large", "The body is over the limit.");
    } else {
        state_ = c == ';' ? State::chunk_extension : State::chunk_size_lf;
    }
}

void Framing::finish_chunk_size() {
    chunk_digits_ = 0;
    state_ = left_ == 0 ? State::trailer_start : State::chunk_data;
}

// Trailers are checked and counted like headers, and dropped: nothing may hide a signature there.
void Framing::step_trailer(char c) {
    if (!count_header_byte()) return;
    switch (state_) {
        case State::trailer_start:
            return on_line_start(c, State::trailer_name, State::trailer_end_lf);
        case State::trailer_name:
            return on_name(c, State::trailer_value);
        case State::trailer_value:
            if (c == '\r') {
                state_ = State::trailer_lf;
            } else if (c != '\t' && (static_cast<unsigned char>(c) < ' ' || c == 0x7f)) {
                refuse(400, "bad_header", "A trailer may not hold control characters.");
            }
            return;
        case State::trailer_lf:
            return expect_lf(c, State::trailer_start);
        default:
            return expect_lf(c, State::complete);
    }
}

}  // namespace pawl::http
