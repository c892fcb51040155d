// The client of `pawl send`: URLs taken apart, answers put together from any pieces.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/send/http_reply.hpp"
#include "tools/send/target.hpp"

namespace pawl::app {
namespace {

using State = HttpReplyReader::State;

TEST(Target, IsTakenApart) {
    struct Case {
        const char* url;
        const char* host;
        const char* port;
        const char* path;
    };
    for (const Case& one : {
             Case{"http://127.0.0.1:8080", "127.0.0.1", "8080", "/"},
             Case{"http://pawl.internal/webhooks/demo?x=1", "pawl.internal", "80",
                  "/webhooks/demo?x=1"},
             Case{"http://[::1]:8080/a", "::1", "8080", "/a"},
             Case{"http://[::1]?q", "::1", "80", "/?q"},
         }) {
        const auto target = parse_target(one.url);
        ASSERT_TRUE(target.ok()) << one.url << ": " << target.error().message;
        EXPECT_EQ(target->host, one.host);
        EXPECT_EQ(target->port, one.port);
        EXPECT_EQ(target->path, one.path);
    }
    EXPECT_EQ(parse_target("http://[::1]:8080/a")->url(), "http://[::1]:8080/a");
}

TEST(Target, AnInvalidTargetIsRefusedWithAReason) {
    for (const char* url :
         {"", "127.0.0.1:8080", "https://h/", "http://", "http://:80/", "http://h:0",
          "http://h:65536", "http://h:x", "http://[::1", "http://h/a b", "http://h/\r\nX: y"}) {
        EXPECT_FALSE(parse_target(url).ok()) << url;
    }
    EXPECT_NE(parse_target("https://h").error().message.find("TLS"), std::string::npos);
}

struct Answer {
    const char* what;
    std::string bytes;
    int status;
    std::string body;
    bool keep_alive;
};

const std::vector<Answer> answers = {
    {"a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true},
    {"an empty body", "HTTP/1.1 503 X\r\ncontent-length: 0\r\n\r\n", 503, "", true},
    {"chunks",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
     200, "hello", true},
    {"an interim answer first",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno", 401, "no",
     true},
    {"a close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", 200, "x",
     false},
    {"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
};

TEST(HttpReply, IsPutTogetherFromAnyPieces) {
    for (const Answer& answer : answers) {
        for (std::size_t piece = 1; piece <= answer.bytes.size(); ++piece) {
            HttpReplyReader reader;
            State state = State::more;
            for (std::size_t at = 0; at < answer.bytes.size(); at += piece) {
                EXPECT_EQ(state, State::more) << answer.what;
                state = reader.feed(std::string_view(answer.bytes).substr(at, piece));
            }
            ASSERT_EQ(state, State::complete) << answer.what << " in pieces of " << piece;
            const HttpReply reply = reader.take();
            EXPECT_EQ(reply.status, answer.status);
            EXPECT_EQ(reply.body, answer.body);
            EXPECT_EQ(reply.keep_alive, answer.keep_alive);
        }
    }
}

TEST(HttpReply, AreReadOneAfterTheOtherOnOneConnection) {
    HttpReplyReader reader;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(reader.feed(answers[0].bytes), State::complete);
        EXPECT_EQ(reader.take().body, "hello");
    }
}

TEST(HttpReply, WithoutALengthItEndsWithTheConnection) {
    HttpReplyReader reader;
    EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\n\r\nhel"), State::more);
    EXPECT_EQ(reader.feed("lo"), State::more);
    EXPECT_EQ(reader.at_end(), State::complete);
    EXPECT_EQ(reader.take().body, "hello");
}

TEST(HttpReply, AnEndInTheMiddleIsAnError) {
    HttpReplyReader reader;
    EXPECT_EQ(reader.at_end(), State::malformed);
    EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), State::more);
    EXPECT_EQ(reader.at_end(), State::malformed);
}

TEST(HttpReply, RetryAfterIsReadInSecondsOnly) {
    HttpReplyReader reader;
    reader.feed("HTTP/1.1 503 X\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(reader.take().retry_after_s, 2);
    reader.feed("HTTP/1.1 503 X\r\nRetry-After: Wed, 21 Oct\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(reader.take().retry_after_s, std::nullopt);
}

TEST(HttpReply, GarbageAndGiantsAreRefused) {
    for (const std::string& bytes :
         {std::string("SSH-2.0-OpenSSH\r\n\r\n"), std::string("HTTP/1.1 abc\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
          std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"),
          std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n"),
          std::string(100'000, 'x')}) {
        HttpReplyReader reader;
        EXPECT_EQ(reader.feed(bytes), State::malformed) << bytes.substr(0, 80);
    }
}

}  // namespace
}  // namespace pawl::app
