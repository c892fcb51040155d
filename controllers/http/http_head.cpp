#include "controllers/http/http_head.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace pawl::http {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The lines that decide about framing, counted; the value is that of the last one.
struct Lines {
    int count = 0;
    std::string_view value;
};

Lines lines_named(const FramedRequest& head, std::string_view name) {
    Lines found;
    for (const auto& [key, value] : head.headers) {
        if (!equal_ignoring_case(key, name)) continue;
        ++found.count;
        found.value = value;
    }
    return found;
}

bool has_connection_option(const FramedRequest& head, std::string_view option) {
    for (const auto& [key, value] : head.headers) {
        if (!equal_ignoring_case(key, "connection")) continue;
        std::string_view rest = value;
        while (!rest.empty()) {
            const auto comma = std::min(rest.find(','), rest.size());
            if (equal_ignoring_case(trimmed(rest.substr(0, comma)), option)) return true;
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return false;
}

bool is_host(std::string_view host) {
    return std::all_of(host.begin(), host.end(), [](char c) {
        return static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x7f &&
               std::string_view("/?#@\\,\"<>^`{|}").find(c) == std::string_view::npos;
    });
}

bool has_one_host(const FramedRequest& head) {
    const Lines host = lines_named(head, "host");
    if (host.count == 0) return head.minor_version == 0;
    return host.count == 1 && is_host(host.value);
}

// Returns false if it is not a number. Numbers too long for 64 bits are over every limit and are
// reported so.
bool parse_length(std::string_view text, std::uint64_t& length) {
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return false;
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    length = UINT64_MAX;
    if (text.size() > 18) return true;
    length = 0;
    for (const char c : text) length = length * 10 + static_cast<std::uint64_t>(c - '0');
    return true;
}

std::optional<BodyPlan> no(FramingRefusal& refusal, int status, const char* code,
                           const char* detail) {
    refusal = {status, code, detail};
    return std::nullopt;
}

}  // namespace

bool is_token_char(char c) {
    if (is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z')) return true;
    return c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool to_origin_form(FramedRequest& head) {
    std::string& target = head.target;
    if (target.find('#') != std::string::npos) return false;
    if (target == "*") return head.method == "OPTIONS";
    if (target.front() == '/') return true;
    std::size_t authority = 0;
    if (equal_ignoring_case(std::string_view(target).substr(0, 7), "http://")) authority = 7;
    if (equal_ignoring_case(std::string_view(target).substr(0, 8), "https://")) authority = 8;
    if (authority == 0) return false;
    const auto path = std::min(target.find_first_of("/?", authority), target.size());
    const auto host = std::string_view(target).substr(authority, path - authority);
    if (host.empty() || !is_host(host)) return false;
    target.erase(0, path);
    if (target.empty() || target.front() != '/') target.insert(target.begin(), '/');
    return true;
}

std::optional<BodyPlan> plan_body(const FramedRequest& head, const FramingLimits& limits,
                                  FramingRefusal& refusal) {
    if (!has_one_host(head)) {
        return no(refusal, 400, "bad_host", "Send exactly one valid Host header.");
    }
    const Lines length = lines_named(head, "content-length");
    const Lines coding = lines_named(head, "transfer-encoding");
    if (length.count > 1) {
        return no(refusal, 400, "two_lengths", "Content-Length may be sent once.");
    }
    if (length.count != 0 && coding.count != 0) {
        return no(refusal, 400, "length_and_chunked",
                  "Content-Length and Transfer-Encoding exclude each other.");
    }
    BodyPlan plan;
    if (coding.count != 0) {
        if (coding.count > 1 || head.minor_version == 0 ||
            !equal_ignoring_case(coding.value, "chunked")) {
            return no(refusal, 400, "bad_transfer_encoding",
                      "The only Transfer-Encoding is a single chunked, with HTTP/1.1.");
        }
        plan.chunked = true;
    }
    if (length.count != 0 && !parse_length(length.value, plan.length)) {
        return no(refusal, 400, "bad_length", "Content-Length must be a decimal number.");
    }
    if (plan.length > limits.body_bytes) {
        return no(refusal, 413, "body_too_large", "The body is over the limit.");
    }
    const Lines expect = lines_named(head, "expect");
    if (expect.count != 0 && head.minor_version == 1) {
        if (expect.count > 1 || !equal_ignoring_case(expect.value, "100-continue")) {
            return no(refusal, 417, "bad_expectation", "The only expectation is 100-continue.");
        }
        plan.expects_continue = plan.chunked || plan.length > 0;
    }
    plan.keep_alive = head.minor_version == 1 ? !has_connection_option(head, "close")
                                              : has_connection_option(head, "keep-alive") &&
                                                    !has_connection_option(head, "close");
    return plan;
}

}  // namespace pawl::http
