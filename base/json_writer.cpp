#include "base/json.hpp"

#include <algorithm>

namespace pawl::json {
namespace {

// Longest first: the length of the valid UTF-8 sequence at the front, or 0.
std::size_t sequence_at(std::string_view text) {
    for (std::size_t size = 1; size <= 4 && size <= text.size(); ++size) {
        if (is_utf8(text.substr(0, size))) return size;
    }
    return 0;
}

void append_escaped(std::string& out, char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
        out += c;
        return;
    }
    out += "\\u00";
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
}

// Printable ASCII that JSON takes as it is: nearly every text that is written here.
bool is_plain(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    if (is_plain(text)) {
        out += text;
        out += '"';
        return;
    }
    const bool clean = is_utf8(text);
    while (!text.empty()) {
        const std::size_t size = clean ? 1 : sequence_at(text);
        if (size == 0) {
            out += "\xef\xbf\xbd";
        } else if (size == 1) {
            append_escaped(out, text[0]);
        } else {
            out += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    out += '"';
}

}  // namespace

std::string quote(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
    append_quoted(out, text);
    return out;
}

void Writer::separate() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
}

Writer& Writer::begin_object() {
    separate();
    out_ += '{';
    fresh_ = true;
    return *this;
}

Writer& Writer::end_object() {
    out_ += '}';
    fresh_ = false;
    return *this;
}

Writer& Writer::begin_array() {
    separate();
    out_ += '[';
    fresh_ = true;
    return *this;
}

Writer& Writer::end_array() {
    out_ += ']';
    fresh_ = false;
    return *this;
}

Writer& Writer::key(std::string_view name) {
    separate();
    append_quoted(out_, name);
    out_ += ':';
    fresh_ = true;  // the value follows without a comma
    return *this;
}

Writer& Writer::string(std::string_view value) {
    separate();
    append_quoted(out_, value);
    return *this;
}

Writer& Writer::number(std::int64_t value) {
    return raw(std::to_string(value));
}

Writer& Writer::boolean(bool value) {
    return raw(value ? "true" : "false");
}

Writer& Writer::null() {
    return raw("null");
}

Writer& Writer::raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
}

}  // namespace pawl::json
