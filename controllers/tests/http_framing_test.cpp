#include "controllers/http/http_framing.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pawl::http {
namespace {

struct Case {
    const char* name;
    std::string bytes;
    int status;        // 0: complete, -1: more is needed
    std::string code;  // of the refusal; of a complete request the body
};

std::string with(const std::string& headers, const std::string& rest = "") {
    return "POST /webhooks/demo HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + rest;
}

std::string chunked(const std::string& chunks) {
    return with("Transfer-Encoding: chunked\r\n", chunks);
}

using namespace std::string_literals;

const std::string hundred_lines = [] {
    std::string many;
    for (int i = 0; i < 100; ++i) many += "X: y\r\n";
    return many;
}();

const Case accepted[] = {
    {"a plain request without a body is complete", with(""), 0, ""},
    {"a body of the announced length is taken", with("Content-Length: 5\r\n", "hello"), 0, "hello"},
    {"a length with leading zeros is a number", with("Content-Length: 005\r\n", "hello"), 0,
     "hello"},
    {"half a body needs more", with("Content-Length: 5\r\n", "hel"), -1, ""},
    {"half a head needs more", "POST /w HTTP/1.1\r\nHos", -1, ""},
    {"chunks are joined", chunked("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"), 0, "hello world"},
    {"chunked is compared without case",
     with("transfer-encoding: Chunked\r\n", "1\r\nx\r\n0\r\n\r\n"), 0, "x"},
    {"a chunk extension is skipped", chunked("5;a=b\r\nhello\r\n0;c\r\n\r\n"), 0, "hello"},
    {"trailers are dropped", chunked("1\r\nx\r\n0\r\nX-Sig: 1\r\n\r\n"), 0, "x"},
    {"upper case chunk sizes are read", chunked("A\r\n0123456789\r\n0\r\n\r\n"), 0, "0123456789"},
    {"one empty line before the request is forgiven", "\r\n" + with(""), 0, ""},
    {"two are not", "\r\n\r\n" + with(""), 400, "bad_request_line"},
    {"HTTP/1.0 needs no Host", "GET /healthz HTTP/1.0\r\n\r\n", 0, ""},
    {"a body holds any byte", with("Content-Length: 4\r\n", "\0\r\n\xff"s), 0, "\0\r\n\xff"s},
    {"an absolute form is accepted", "GET http://a/x?y HTTP/1.1\r\nHost: a\r\n\r\n", 0, ""},
};

const Case refused_chunks[] = {
    {"a negative chunk size is refused", chunked("5\r\nhello\r\n-2\r\nXXXX"), 400, "bad_chunk"},
    {"a chunk size of letters is refused", chunked("zz\r\n"), 400, "bad_chunk"},
    {"an empty chunk size is refused", chunked("\r\n"), 400, "bad_chunk"},
    {"a chunk size with 0x is refused", chunked("0x5\r\nhello\r\n"), 400, "bad_chunk"},
    {"a chunk size with a blank is refused", chunked("5 \r\nhello\r\n"), 400, "bad_chunk"},
    {"a chunk size with a plus is refused", chunked("+5\r\nhello\r\n"), 400, "bad_chunk"},
    {"a chunk size of 17 digits is refused", chunked("00000000000000005\r\n"), 400, "bad_chunk"},
    {"a chunk size of 2^64 - 1 is too large", chunked("ffffffffffffffff\r\n"), 413,
     "body_too_large"},
    {"a chunk longer than its size is refused", chunked("3\r\nhello\r\n"), 400, "bad_chunk"},
    {"chunks may not add up over the limit",
     chunked("80000\r\n" + std::string(0x80000, 'x') + "\r\n80001\r\n"), 413, "body_too_large"},
    {"a chunk size ended by a bare newline is refused", chunked("5\nhello"), 400, "bad_chunk"},
    {"chunk extensions are bounded", chunked("5;" + std::string(2000, 'x')), 400, "bad_chunk"},
    {"trailers are bounded", chunked("0\r\n" + hundred_lines + "X: y\r\n\r\n"), 431,
     "too_many_headers"},
    {"a folded trailer is refused", chunked("0\r\nX: y\r\n z\r\n\r\n"), 400, "folded_header"},
};

const Case refused_lengths[] = {
    {"two lengths are refused", with("Content-Length: 5\r\nContent-Length: 6\r\n"), 400,
     "two_lengths"},
    {"two equal lengths are refused", with("Content-Length: 5\r\ncontent-length: 5\r\n"), 400,
     "two_lengths"},
    {"a list of lengths is refused", with("Content-Length: 5, 5\r\n"), 400, "bad_length"},
    {"length and chunked together are refused",
     with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400, "length_and_chunked"},
    {"a length followed by junk is refused", with("Content-Length: 2junk\r\n"), 400, "bad_length"},
    {"a negative length is refused", with("Content-Length: -1\r\n"), 400, "bad_length"},
    {"a length with a plus is refused", with("Content-Length: +5\r\n"), 400, "bad_length"},
    {"an empty length is refused", with("Content-Length: \r\n"), 400, "bad_length"},
    {"a hexadecimal length is refused", with("Content-Length: 0x5\r\n"), 400, "bad_length"},
    {"one gigabyte is refused at the head", with("Content-Length: 1073741824\r\n"), 413,
     "body_too_large"},
    {"a length of 40 digits is refused at the head",
     with("Content-Length: " + std::string(40, '9') + "\r\n"), 413, "body_too_large"},
    {"gzip as transfer encoding is refused", with("Transfer-Encoding: gzip, chunked\r\n"), 400,
     "bad_transfer_encoding"},
    {"chunked twice is refused",
     with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400,
     "bad_transfer_encoding"},
    {"chunked with a vertical tab is refused",
     with("Transfer-Encoding: \x0b"
          "chunked\r\n"),
     400, "bad_header"},
    {"chunked under HTTP/1.0 is refused", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
     400, "bad_transfer_encoding"},
};

const Case refused_heads[] = {
    {"a missing Host is refused", "GET / HTTP/1.1\r\n\r\n", 400, "bad_host"},
    {"two Hosts are refused", with("Host: b\r\n"), 400, "bad_host"},
    {"a Host with a path is refused", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "bad_host"},
    {"a folded header is refused", with("X: y\r\n z\r\n"), 400, "folded_header"},
    {"a blank before the colon is refused", with("X : y\r\n"), 400, "bad_header"},
    {"a line without a colon is refused", with("junk\r\n"), 400, "bad_header"},
    {"an empty header name is refused", with(": y\r\n"), 400, "bad_header"},
    {"a NUL in a header is refused", with("X: a\0b\r\n"s), 400, "bad_header"},
    {"a bare newline in a header is refused", with("X: a\nContent-Length: 5\r\n"), 400,
     "bad_header"},
    {"a bare carriage return in a header is refused", with("X: a\rb\r\n"), 400, "bare_cr"},
    {"a bare newline after the request line is refused", "GET / HTTP/1.1\nHost: a\n\n", 400,
     "bad_version"},
    {"a second blank in the request line is refused", "GET  / HTTP/1.1\r\n", 400, "bad_target"},
    {"a target without a slash is refused", "GET x HTTP/1.1\r\n", 400, "bad_target"},
    {"a fragment in the target is refused", "GET /x#y HTTP/1.1\r\n", 400, "bad_target"},
    {"an 8-bit target is refused", "GET /\xc3\xa4 HTTP/1.1\r\n", 400, "bad_target"},
    {"CONNECT's target is refused", "CONNECT a:1 HTTP/1.1\r\n", 400, "bad_target"},
    {"HTTP/2.0 is refused", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_target"},
    {"HTTP/1.2 is refused", "GET / HTTP/1.2\r\n", 400, "bad_version"},
    {"HTTP/0.9 is refused", "GET /\r\n", 400, "bad_target"},
    {"a TLS hello is refused at its first byte", "\x16\x03\x01", 400, "bad_request_line"},
    {"another expectation is refused", with("Expect: money\r\n"), 417, "bad_expectation"},
    {"a target of 9000 bytes is refused", "GET /" + std::string(9000, 'x'), 414, "target_too_long"},
    {"100 header lines are accepted", "GET / HTTP/1.0\r\n" + hundred_lines + "\r\n", 0, ""},
    {"101 header lines are refused", with(hundred_lines), 431, "too_many_headers"},
    {"33 KiB of one header are refused", with("X: " + std::string(33 * 1024, 'x')), 431,
     "headers_too_large"},
};

std::vector<Case> cases() {
    std::vector<Case> all;
    const auto add = [&all](const auto& table) {
        all.insert(all.end(), std::begin(table), std::end(table));
    };
    add(accepted);
    add(refused_chunks);
    add(refused_lengths);
    add(refused_heads);
    return all;
}

struct Outcome {
    int status = -1;
    std::string code;
    std::size_t end = 0;
    bool operator==(const Outcome&) const = default;
};

// Feeds the bytes in pieces; `cut` says how long the next piece is.
template <class Cut>
Outcome run(const std::string& bytes, Cut cut) {
    const FramingLimits limits;
    Framing framing(limits);
    std::size_t at = 0;
    while (at < bytes.size()) {
        const std::size_t piece = std::min<std::size_t>(bytes.size() - at, cut());
        const auto fed = framing.feed(std::string_view(bytes).substr(at, piece));
        at += fed.used;
        if (fed.verdict == Framing::Verdict::refused) {
            return {framing.refusal().status, framing.refusal().code, at};
        }
        if (fed.verdict == Framing::Verdict::complete) return {0, framing.take().body, at};
        EXPECT_EQ(fed.used, piece);
    }
    return {-1, "", at};
}

TEST(HttpFraming, DecidesAsTheTable) {
    for (const Case& c : cases()) {
        const Outcome whole = run(c.bytes, [] { return SIZE_MAX; });
        EXPECT_EQ(whole.status, c.status) << c.name << " " << whole.code;
        EXPECT_EQ(whole.code, c.code) << c.name;
    }
}

TEST(HttpFraming, NoWayOfCuttingTheBytesChangesTheVerdict) {
    std::mt19937_64 random(20260131);
    for (const Case& c : cases()) {
        const std::string bytes = c.bytes + "GET /next HTTP/1.1\r\n";
        const Outcome whole = run(bytes, [] { return SIZE_MAX; });
        EXPECT_EQ(run(bytes, [] { return 1U; }), whole) << c.name;
        const std::size_t splits = std::min<std::size_t>(bytes.size(), 600);
        for (std::size_t first = 1; first < splits; ++first) {
            std::size_t next = first;
            const auto once = [&next] { return std::exchange(next, SIZE_MAX); };
            ASSERT_EQ(run(bytes, once), whole) << c.name << " cut at " << first;
        }
        for (int round = 0; round < 20; ++round) {
            const auto any = [&random] { return 1 + random() % 37; };
            ASSERT_EQ(run(bytes, any), whole) << c.name;
        }
    }
}

TEST(HttpFraming, KeepsEveryHeaderLineInOrderAndAsSent) {
    const FramingLimits limits;
    Framing framing(limits);
    framing.feed(with("X-Sig: a\r\nx-sig:\tb c \t\r\nX-Empty:\r\nX-SIG: \xe4\r\n"));
    const HeaderLines lines = framing.take().headers;
    const HeaderLines wanted = {
        {"Host", "a"}, {"X-Sig", "a"}, {"x-sig", "b c"}, {"X-Empty", ""}, {"X-SIG", "\xe4"}};
    EXPECT_EQ(lines, wanted);
}

TEST(HttpFraming, TakesPipelinedRequestsOneAfterTheOther) {
    const std::string one = with("Content-Length: 3\r\n", "abc");
    const std::string two = chunked("1\r\nz\r\n0\r\n\r\n");
    const std::string all =
        one + two + "GET /x?y=1 HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n";
    const FramingLimits limits;
    Framing framing(limits);
    auto fed = framing.feed(all);
    ASSERT_EQ(fed.used, one.size());
    EXPECT_EQ(framing.take().body, "abc");
    fed = framing.feed(std::string_view(all).substr(one.size()));
    ASSERT_EQ(fed.used, two.size());
    EXPECT_EQ(framing.take().body, "z");
    framing.feed(std::string_view(all).substr(one.size() + two.size()));
    const FramedRequest last = framing.take();
    EXPECT_EQ(last.method, "GET");
    EXPECT_EQ(last.target, "/x?y=1");
    EXPECT_FALSE(last.keep_alive);
    EXPECT_TRUE(framing.at_start());
}

TEST(HttpFraming, AsksForAContinueOnlyWhileTheBodyIsMissing) {
    const FramingLimits limits;
    Framing framing(limits);
    framing.feed(with("Content-Length: 2\r\nExpect: 100-Continue\r\n"));
    EXPECT_TRUE(framing.wants_continue());
    framing.feed("a");
    EXPECT_FALSE(framing.wants_continue());
    framing.feed("b");
    EXPECT_EQ(framing.take().body, "ab");
    framing.feed(with("Expect: 100-continue\r\n"));
    EXPECT_FALSE(framing.wants_continue());
}

TEST(HttpFraming, KeepsMemoryCloseToWhatHasArrived) {
    FramingLimits limits;
    limits.body_bytes = 1U << 30;
    Framing framing(limits);
    framing.feed(with("Content-Length: 1073741824\r\n", "x"));
    EXPECT_LT(framing.buffered(), 16U * 1024);
}

TEST(HttpFraming, ReadsKeepAliveFromVersionAndConnection) {
    const auto keeps = [](const std::string& bytes) {
        const FramingLimits limits;
        Framing framing(limits);
        framing.feed(bytes);
        return framing.take().keep_alive;
    };
    EXPECT_TRUE(keeps(with("")));
    EXPECT_FALSE(keeps(with("Connection: Upgrade, Close\r\n")));
    EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
    EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

}  // namespace
}  // namespace pawl::http
