#include "tests/fuzz/framing_oracle.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace pawl::fuzz {
namespace {

using http::FramedRequest;
using http::Framing;
using http::FramingLimits;

constexpr auto npos = std::string_view::npos;
const FramingLimits limits;

struct Outcome {
    Framing::Verdict verdict = Framing::Verdict::need_more;
    std::size_t end = 0;
    http::FramingRefusal refusal{0};
    FramedRequest request;
    bool wanted_to_continue = false;  // at some moment; every moment is seen with pieces of 1
    bool waits_to_continue = false;   // at the end of the bytes
};

// Pieces of `piece` bytes; 0: all at once.
Outcome frame(std::string_view bytes, std::size_t piece) {
    Framing framing(limits);
    Outcome outcome;
    while (outcome.verdict == Framing::Verdict::need_more && outcome.end < bytes.size()) {
        const auto rest = bytes.substr(outcome.end);
        const auto fed = framing.feed(piece == 0 ? rest : rest.substr(0, piece));
        outcome.end += fed.used;
        outcome.verdict = fed.verdict;
        outcome.waits_to_continue = framing.wants_continue();
        outcome.wanted_to_continue |= outcome.waits_to_continue;
    }
    if (outcome.verdict == Framing::Verdict::refused) outcome.refusal = framing.refusal();
    if (outcome.verdict == Framing::Verdict::complete) outcome.request = framing.take();
    return outcome;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

// Written out again plainly, a request must read as the same one.
void reads_the_same_again(const FramedRequest& request) {
    std::string plain = request.method + " " + request.target + " HTTP/1.";
    plain += request.minor_version == 0 ? "0\r\n" : "1\r\n";
    for (const auto& [name, value] : request.headers) {
        const std::string key = lower(name);
        if (key == "content-length" || key == "transfer-encoding") continue;
        plain += name + ": " + value + "\r\n";
    }
    const std::string length = "L: x\r\nContent-Length: " + std::to_string(request.body.size());
    if (request.headers.size() > 90 || plain.size() > 32'000) return;  // no room to add a line
    const Outcome again = frame(plain + length + "\r\n\r\n" + request.body, 0);
    must(again.verdict == Framing::Verdict::complete, "a request cannot be read again");
    must(again.request.body == request.body, "a body changes when it is read again");
    must(again.request.target == request.target, "a target changes when it is read again");
}

// strtoull would take a sign, a 0x and any tail: no length that is let through may have one.
std::size_t number(std::string_view text, int base) {
    const std::string digits(text);
    must(!digits.empty() && digits.find_first_not_of("0123456789abcdefABCDEF") == npos,
         "a length is let through that is not a number");
    char* end = nullptr;
    const auto value = std::strtoull(digits.c_str(), &end, base);
    must(*end == '\0', "a length is let through that is not a number");
    return value;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

struct Plain {
    std::size_t end = npos;  // npos: it does not end in these bytes
    std::string body;
};

Plain read_chunks(std::string_view bytes, std::size_t at) {
    Plain plain;
    for (;;) {
        const auto line_end = bytes.find("\r\n", at);
        if (line_end == npos) return {};
        const auto line = bytes.substr(at, line_end - at);
        const std::size_t size = number(line.substr(0, line.find(';')), 16);
        at = line_end + 2;
        if (size == 0) break;
        plain.body += bytes.substr(std::min(at, bytes.size()), size);
        at += size + 2;
    }
    for (;;) {  // trailers
        const auto line_end = bytes.find("\r\n", at);
        if (line_end == npos) return {};
        const bool empty = line_end == at;
        at = line_end + 2;
        if (empty) break;
    }
    plain.end = at;
    return plain;
}

// A second reader, the careless one that might stand behind Pawl: it takes the bytes whole, finds
// the end of the head and believes what it says. For whatever the strict reader lets through, the
// two must agree on where it ends and on its body; otherwise it could smuggle a request past one.
Plain read_carelessly(std::string_view bytes) {
    if (bytes.starts_with("\r\n")) {
        Plain rest = read_carelessly(bytes.substr(2));
        if (rest.end != npos) rest.end += 2;
        return rest;
    }
    const auto head_end = bytes.find("\r\n\r\n");
    if (head_end == npos) return {};
    const std::string head = lower(bytes.substr(0, head_end + 2));
    const std::size_t at = head_end + 4;
    for (auto line = head.find("\r\n") + 2; line < head.size();
         line = head.find("\r\n", line) + 2) {
        if (head.compare(line, 18, "transfer-encoding:") == 0) return read_chunks(bytes, at);
        if (head.compare(line, 15, "content-length:") != 0) continue;
        const auto value =
            std::string_view(head).substr(line + 15, head.find("\r\n", line) - line - 15);
        const std::size_t length = number(trimmed(value), 10);
        return {at + length, std::string(bytes.substr(at, length))};
    }
    return {at, ""};
}

}  // namespace

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

void check_framing(std::string_view bytes) {
    const Outcome whole = frame(bytes, 0);
    for (const std::size_t piece : {std::size_t{1}, 1 + bytes.size() % 7, 1 + bytes.size() / 2}) {
        const Outcome cut = frame(bytes, piece);
        must(cut.verdict == whole.verdict, "the verdict depends on the cut");
        must(cut.end == whole.end, "the end depends on the cut");
        must(std::string_view(cut.refusal.code) == whole.refusal.code,
             "the refusal depends on the cut");
        must(cut.request.body == whole.request.body, "the body depends on the cut");
        must(cut.request.headers == whole.request.headers, "the headers depend on the cut");
        must(cut.waits_to_continue == whole.waits_to_continue, "waiting depends on the cut");
    }
    must(whole.request.headers.size() <= limits.header_lines, "too many headers got through");
    must(whole.request.body.size() <= limits.body_bytes, "too large a body got through");
    if (whole.verdict != Framing::Verdict::complete) return;
    reads_the_same_again(whole.request);
    const Plain plain = read_carelessly(bytes);
    must(plain.end == whole.end, "two readers see a request end in two places");
    must(plain.body == whole.request.body, "two readers see two bodies");
}

Expected expected_answers(std::string_view bytes) {
    Expected expected;
    while (!expected.ends && !bytes.empty()) {
        Outcome outcome = frame(bytes, 1);
        bytes.remove_prefix(outcome.end);
        if (outcome.verdict == Framing::Verdict::need_more) {
            expected.waits_to_continue = outcome.waits_to_continue;
            expected.may_continue = outcome.wanted_to_continue;
            break;
        }
        expected.ends = outcome.verdict == Framing::Verdict::refused || !outcome.request.keep_alive;
        expected.answers.push_back(
            {std::move(outcome.request), outcome.refusal, outcome.wanted_to_continue});
    }
    return expected;
}

std::uint64_t hash_of(std::string_view bytes) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return hash ^ hash >> 29;
}

}  // namespace pawl::fuzz
