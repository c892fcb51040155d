// The second half of Framing: bodies, chunks and trailers.
#include <algorithm>

#include "controllers/http_framing.hpp"

namespace pawl::http {
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
            if (c == '\n') return chunk_size_ends();
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

void Framing::chunk_size_ends() {
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
