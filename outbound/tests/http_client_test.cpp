// Against a real server on loopback, which misbehaves on demand.
#include "outbound/http_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "outbound/tests/loopback_server.hpp"

namespace pawl::outbound {
namespace {

using namespace std::chrono_literals;
using test::http_answer;
using test::LoopbackServer;
using test::Reaction;
using test::Then;
using ::testing::HasSubstr;
using ::testing::Not;

HttpRequest request_to(const std::string& url, const std::string& method = "GET") {
    HttpRequest request;
    request.method = method;
    request.url = url;
    request.within = 2000ms;
    request.allow_private = true;
    return request;
}

HttpReply reply_to(const HttpRequest& request) {
    const HttpResult outcome = send(request);
    const auto* reply = std::get_if<HttpReply>(&outcome);
    if (reply == nullptr) ADD_FAILURE() << std::get<HttpFailure>(outcome).what;
    return reply == nullptr ? HttpReply{} : *reply;
}

HttpFailure failure_of(const HttpRequest& request) {
    const HttpResult outcome = send(request);
    const auto* failure = std::get_if<HttpFailure>(&outcome);
    if (failure == nullptr) {
        ADD_FAILURE() << "answered " << std::get<HttpReply>(outcome).status;
        return {};
    }
    return *failure;
}

LoopbackServer::Script always(Reaction reaction) {
    return [reaction](const std::string&) { return reaction; };
}

TEST(HttpClient, ReturnsStatusHeadersInOrderAndBody) {
    LoopbackServer server(always({http_answer(201, "body", "B: 1\r\na: 2\r\nB: 3\r\n")}));
    const HttpReply reply = reply_to(request_to(server.url("/x?y=%27")));
    EXPECT_EQ(reply.status, 201);
    EXPECT_EQ(reply.body, "body");
    ASSERT_GE(reply.headers.size(), 3U);
    EXPECT_EQ(reply.headers[0], (std::pair<std::string, std::string>("B", "1")));
    EXPECT_EQ(reply.headers[2], (std::pair<std::string, std::string>("B", "3")));
    EXPECT_EQ(reply.header("A"), "2");
    EXPECT_FALSE(reply.header("missing"));
    EXPECT_THAT(server.requests().at(0), HasSubstr("GET /x?y=%27 HTTP/1.1\r\n"));
}

TEST(HttpClient, SendsBodyAndHeadersAsTheyAreWhateverWasSentBefore) {
    LoopbackServer server(always({http_answer(200, "")}));
    HttpRequest post = request_to(server.url(), "POST");
    post.headers = {{"Content-Type", "text/plain"}, {"X-Key", "pay:o1:1"}};
    post.body = std::string("a\0b", 3);
    reply_to(post);
    reply_to(request_to(server.url(), "GET"));
    reply_to(request_to(server.url(), "DELETE"));
    reply_to(request_to(server.url(), "POST"));
    reply_to(post);
    reply_to(request_to(server.url(), "DELETE"));
    reply_to(request_to(server.url(), "PUT"));
    reply_to(request_to(server.url(), "GET"));
    const auto requests = server.requests();
    ASSERT_EQ(requests.size(), 8U);
    EXPECT_THAT(requests[0], HasSubstr("X-Key: pay:o1:1\r\n"));
    EXPECT_TRUE(requests[0].ends_with(std::string("\r\n\r\na\0b", 7)));
    EXPECT_TRUE(requests[1].starts_with("GET / ")) << requests[1];
    EXPECT_THAT(requests[1], Not(HasSubstr("X-Key")));
    EXPECT_THAT(requests[1], Not(HasSubstr("Content-")));
    EXPECT_TRUE(requests[2].starts_with("DELETE / ")) << requests[2];
    EXPECT_THAT(requests[3], HasSubstr("Content-Length: 0\r\n"));
    EXPECT_EQ(requests[4], requests[0]);
    EXPECT_EQ(requests[5], requests[2]);
    EXPECT_THAT(requests[6], HasSubstr("Content-Length: 0\r\n"));
    EXPECT_EQ(requests[7], requests[1]);
    EXPECT_EQ(server.connections(), 1) << "the connection is used again";
}

TEST(HttpClient, KeepsNoCookiesAndAsksForNoCompression) {
    LoopbackServer server(always({http_answer(200, "", "Set-Cookie: a=b\r\n")}));
    reply_to(request_to(server.url()));
    reply_to(request_to(server.url()));
    EXPECT_THAT(server.requests().at(1), Not(HasSubstr("Cookie")));
    EXPECT_THAT(server.requests().at(1), Not(HasSubstr("Encoding")));
}

TEST(HttpClient, FollowsNoRedirect) {
    LoopbackServer server(always({http_answer(307, "", "Location: /elsewhere\r\n")}));
    EXPECT_EQ(reply_to(request_to(server.url(), "POST")).status, 307);
    EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpClient, ReadsTheAnswerAfterAnInterimOne) {
    LoopbackServer server(
        always({"HTTP/1.1 103 Early\r\nX: early\r\n\r\n" + http_answer(200, "late")}));
    const HttpReply reply = reply_to(request_to(server.url()));
    EXPECT_EQ(reply.body, "late");
    EXPECT_FALSE(reply.header("X"));
}

TEST(HttpClient, EndsInTimeWhenNoAnswerComes) {
    LoopbackServer server(always({"", Then::keep, true}));
    HttpRequest request = request_to(server.url(), "POST");
    request.within = 150ms;
    const HttpFailure failure = failure_of(request);
    EXPECT_FALSE(failure.sent_nothing);
    EXPECT_THAT(failure.what, HasSubstr("timed out"));
}

TEST(HttpClient, EndsInTimeWhenAnAnswerDoesNotEnd) {
    LoopbackServer server(
        always({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", Then::keep, true}));
    HttpRequest request = request_to(server.url());
    request.within = 150ms;
    EXPECT_FALSE(failure_of(request).sent_nothing);
}

TEST(HttpClient, AnAnswerThatWasCutIsAnError) {
    const std::string cut = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    for (const Then then : {Then::close, Then::reset}) {
        LoopbackServer server(always({cut, then}));
        EXPECT_FALSE(failure_of(request_to(server.url(), "POST")).sent_nothing);
    }
}

TEST(HttpClient, AResetAfterTheRequestIsAFailureThatSentSomething) {
    LoopbackServer server(always({"", Then::reset}));
    const HttpFailure failure = failure_of(request_to(server.url(), "POST"));
    EXPECT_FALSE(failure.sent_nothing);
    EXPECT_FALSE(failure.refused_address);
    EXPECT_EQ(server.requests().size(), 1U);
}

// curl by itself sends a request again on a new connection. The answer to the second one (a 409, a
// replayed 402) would be read as the answer to the only one.
TEST(HttpClient, NeverSendsAPostTwiceByItself) {
    int seen = 0;
    LoopbackServer server([&](const std::string&) {
        ++seen;
        return seen == 2 ? Reaction{"", Then::close} : Reaction{http_answer(200, "")};
    });
    reply_to(request_to(server.url(), "POST"));
    const HttpFailure failure = failure_of(request_to(server.url(), "POST"));
    EXPECT_FALSE(failure.sent_nothing);
    EXPECT_EQ(server.requests().size(), 2U);
    reply_to(request_to(server.url(), "POST"));
    EXPECT_EQ(server.requests().size(), 3U);
}

TEST(HttpClient, ARefusedConnectionSentNothing) {
    std::string url;
    { url = LoopbackServer(always({""})).url(); }
    const HttpFailure failure = failure_of(request_to(url, "POST"));
    EXPECT_TRUE(failure.sent_nothing);
    EXPECT_FALSE(failure.refused_address);
}

TEST(HttpClient, AnAnswerLargerThanAllowedIsAFailure) {
    LoopbackServer server(always({http_answer(200, std::string(5000, 'x'))}));
    HttpRequest request = request_to(server.url());
    request.reply_bytes_max = 5000;
    EXPECT_EQ(reply_to(request).body.size(), 5000U);
    request.reply_bytes_max = 4999;
    EXPECT_THAT(failure_of(request).what, HasSubstr("4999"));
}

TEST(HttpClient, WhereTheStatusIsEnoughNoBodyMakesAFailureOfIt) {
    const std::string endless = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    const Reaction bodies[] = {{http_answer(200, std::string(100000, 'x'))},
                               {endless, Then::close},
                               {endless, Then::keep, true}};
    for (const Reaction& one : bodies) {
        LoopbackServer server(always(one));
        HttpRequest request = request_to(server.url(), "POST");
        request.within = 300ms;
        request.reply_bytes_max = 64 * 1024;
        request.status_is_enough = true;
        EXPECT_EQ(reply_to(request).status, 200);
        EXPECT_EQ(server.requests().size(), 1U);
    }
}

TEST(HttpClient, AHeadThatDidNotEndHasNoStatus) {
    const Reaction heads[] = {{"HTTP/1.1 200 OK\r\nX: y\r\n", Then::close},
                              {"HTTP/1.1 103 Early\r\nX: y\r\n\r\n", Then::close}};
    for (const Reaction& one : heads) {
        LoopbackServer server(always(one));
        HttpRequest request = request_to(server.url(), "POST");
        request.status_is_enough = true;
        failure_of(request);
    }
}

TEST(HttpClient, AnUnwantedRequestIsAbandoned) {
    LoopbackServer server(always({"", Then::keep, true}));
    std::atomic<bool> unwanted{false};
    HttpRequest request = request_to(server.url(), "POST");
    request.within = 30000ms;
    request.unwanted = &unwanted;
    std::thread elsewhere([&] {
        while (server.requests().empty()) std::this_thread::yield();
        unwanted = true;
    });
    const auto began = std::chrono::steady_clock::now();
    const HttpFailure failure = failure_of(request);
    elsewhere.join();
    EXPECT_FALSE(failure.sent_nothing);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
}

TEST(HttpClient, AHeadWithoutEndIsAFailure) {
    std::string head = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 1000; ++i) head += "X-Fill: " + std::string(100, 'x') + "\r\n";
    LoopbackServer server(always({head + "Content-Length: 0\r\n\r\n"}));
    failure_of(request_to(server.url()));
}

TEST(HttpClient, PrivateAddressesAreRefusedByEveryName) {
    LoopbackServer server(always({http_answer(200, "secret")}));
    const std::string port = server.url().substr(server.url().rfind(':'));
    for (const char* host : {"127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]",
                             "127.1", "2130706433", "0x7f000001", "10.0.0.1", "169.254.169.254"}) {
        HttpRequest request = request_to("http://" + std::string(host) + port);
        request.allow_private = false;
        const HttpFailure failure = failure_of(request);
        EXPECT_TRUE(failure.refused_address) << host << ": " << failure.what;
        EXPECT_TRUE(failure.sent_nothing) << host;
    }
    EXPECT_EQ(server.connections(), 0);
}

TEST(HttpClient, AConnectionOpenedWithPermissionIsNotUsedWithoutIt) {
    LoopbackServer server(always({http_answer(200, "secret")}));
    HttpRequest request = request_to(server.url());
    reply_to(request);
    request.allow_private = false;
    EXPECT_TRUE(failure_of(request).refused_address);
    EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpClient, TheEnvironmentNamesNoProxy) {
    LoopbackServer server(always({http_answer(200, "")}));
    LoopbackServer proxy(always({http_answer(502, "")}));
    ::setenv("http_proxy", proxy.url().c_str(), 1);
    ::setenv("ALL_PROXY", proxy.url().c_str(), 1);
    const HttpReply reply = reply_to(request_to(server.url()));
    ::unsetenv("http_proxy");
    ::unsetenv("ALL_PROXY");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(proxy.connections(), 0);
}

TEST(HttpClient, AnInvalidRequestIsNotSent) {
    LoopbackServer server(always({http_answer(200, "")}));
    HttpRequest split = request_to(server.url());
    split.headers = {{"Idempotency-Key", "a\r\nX-Injected: 1"}};
    HttpRequest name = request_to(server.url());
    name.headers = {{"X: y", "z"}};
    const HttpRequest cases[] = {split,
                                 name,
                                 request_to(server.url("/a b")),
                                 request_to(server.url("/a\r\nX: y")),
                                 request_to("file:///etc"),
                                 request_to("ftp://127.0.0.1/"),
                                 request_to(server.url(), "PUNCH")};
    for (const HttpRequest& one : cases) EXPECT_TRUE(failure_of(one).sent_nothing) << one.url;
    EXPECT_EQ(server.connections(), 0);
}

}  // namespace
}  // namespace pawl::outbound
