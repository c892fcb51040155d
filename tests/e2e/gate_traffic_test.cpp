// Well-behaved clients of every kind against the real edge.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "gate_client.hpp"

namespace pawl::gate_test {
namespace {

using namespace std::chrono_literals;

std::string post(const std::string& headers, const std::string& rest = "") {
    return "POST /webhooks/demo HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + rest;
}

std::string slow(int ms, const std::string& name) {
    return "POST /slow?ms=" + std::to_string(ms) + "&" + name + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

TEST(GateTraffic, EveryHeaderLineAndBodyByteReachesTheHandler) {
    const Server server;
    std::string body;
    for (int i = 0; i < 256; ++i) body += static_cast<char>(i);
    const std::string answer =
        ask(server.port(), post("X-Sig: a\r\nx-sig: b\r\nX-SIG:\tc \r\nConnection: close\r\n"
                                "Content-Length: 256\r\n",
                                body));
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_NE(answer.find("\nX-Sig=a\nx-sig=b\nX-SIG=c\n"), std::string::npos) << answer;
    EXPECT_TRUE(answer.ends_with("\n\n" + body));
}

TEST(GateTraffic, ByteByByteArrivalWorks) {
    const Server server;
    const Socket socket(server.port());
    for (const char c : post("Connection: close\r\nTransfer-Encoding: chunked\r\n",
                             "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nT: u\r\n\r\n")) {
        ASSERT_TRUE(socket.send({&c, 1}));
    }
    EXPECT_TRUE(socket.read_all().ends_with("\n\nhello world"));
}

TEST(GateTraffic, PipelinedRequestsAreAnsweredInOrderWhateverTakesLonger) {
    const Server server;
    const Socket socket(server.port());
    socket.send(slow(300, "first") + slow(10, "second") + post("Content-Length: 5\r\n", "third") +
                slow(1, "fourth") +
                "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const std::string all = socket.read_all();
    EXPECT_EQ(count(all, "HTTP/1.1 200 OK"), 5U);
    const auto first = all.find("first");
    const auto second = all.find("second");
    const auto third = all.find("third");
    const auto fourth = all.find("fourth");
    EXPECT_TRUE(first < second && second < third && third < fourth) << all;
}

TEST(GateTraffic, ARefusalComesAfterTheAnswersThatAreStillBeingWorkedOn) {
    const Server server;
    const std::string all = ask(server.port(), slow(200, "first") + "rubbish\r\n\r\n");
    EXPECT_LT(all.find("slow ms=200"), all.find("bad_request_line")) << all;
    EXPECT_EQ(count(all, "HTTP/1.1 "), 2U);
}

TEST(GateTraffic, ThreeHundredPipelinedRequestsAreAllAnswered) {
    const Server server;
    const Socket socket(server.port());
    std::string all;
    for (int i = 0; i < 150; ++i) all += slow(1, "n=" + std::to_string(i)) + post("");
    socket.send(all + "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(count(socket.read_all(), "HTTP/1.1 200 OK"), 301U);
}

TEST(GateTraffic, Expect100ContinueIsAnsweredAndThenTheBodyIsTaken) {
    const Server server;
    const Socket socket(server.port());
    socket.send(
        post("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n"
             "Connection: close\r\n"));
    EXPECT_EQ(socket.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    socket.send("3\r\nabc\r\n0\r\n\r\n");
    const std::string answer = socket.read_all();
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_TRUE(answer.ends_with("abc"));
}

TEST(GateTraffic, CurlUploadsAChunkedFileWithExpect) {
    const Server server;
    const auto folder =
        std::filesystem::temp_directory_path() / ("gate-" + std::to_string(server.port()));
    std::filesystem::create_directory(folder);
    std::string body;
    for (int i = 0; body.size() < 900'000; ++i) body += "line " + std::to_string(i) + "\n";
    std::ofstream(folder / "in") << body;
    const std::string command =
        "curl -sS -m 20 -X POST -H 'Transfer-Encoding: chunked' -H 'Expect: 100-continue' -T " +
        (folder / "in").string() + " -o " + (folder / "out").string() +
        " http://127.0.0.1:" + std::to_string(server.port()) + "/webhooks/demo";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
    std::ifstream file(folder / "out");
    const std::string out{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(out.ends_with("\n\n" + body));
    std::filesystem::remove_all(folder);
}

TEST(GateTraffic, Http10IsAnsweredAndClosedOrKeptAsAsked) {
    const Server server;
    EXPECT_EQ(status_of(ask(server.port(), "GET /healthz HTTP/1.0\r\n\r\n")), 200);
    const Socket socket(server.port());
    for (int i = 0; i < 3; ++i) {
        socket.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        EXPECT_EQ(status_of(socket.read_until("ok\"}")), 200);
    }
    EXPECT_FALSE(socket.closed_by_peer(50ms));
}

TEST(GateTraffic, IdleConnectionsAreKeptForAWhileAndThenClosed) {
    const Server server{{"GATE_IDLE_MS", "500"}};
    const Socket socket(server.port());
    for (int i = 0; i < 3; ++i) {
        socket.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(status_of(socket.read_until("ok\"}")), 200);
        EXPECT_FALSE(socket.closed_by_peer(200ms));
    }
    EXPECT_TRUE(socket.closed_by_peer(2s));
}

TEST(GateTraffic, WorkThatTakesLongerThanTheIdleTimeIsStillAnswered) {
    const Server server{{"GATE_IDLE_MS", "300"}, {"GATE_HEAD_MS", "300"}};
    const Socket socket(server.port());
    socket.send(slow(1500, "long"));
    EXPECT_EQ(status_of(socket.read_until("long", 5s)), 200);
}

TEST(GateTraffic, PathsMethodsAndTokensGetTheRightRefusals) {
    const Server server;
    const auto at = [&](std::uint16_t port, const std::string& line, const std::string& headers) {
        return ask(port, line + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + headers + "\r\n");
    };
    EXPECT_EQ(status_of(at(server.port(), "GET /nothing", "")), 404);
    EXPECT_EQ(status_of(at(server.port(), "GET /metrics", "")), 404);  // admin's
    EXPECT_EQ(status_of(at(server.port(), "POST /webhooks/a%zz", "")), 400);
    const std::string wrong_method = at(server.port(), "PATCH /webhooks/a", "");
    EXPECT_EQ(status_of(wrong_method), 405);
    EXPECT_NE(wrong_method.find("allow: POST\r\n"), std::string::npos);
    const std::string head = at(server.port(), "HEAD /healthz", "");
    EXPECT_EQ(status_of(head), 200);
    EXPECT_TRUE(head.ends_with("\r\n\r\n"));
    EXPECT_EQ(status_of(at(server.port(), "POST /throw", "")), 500);
    EXPECT_EQ(status_of(at(server.port(), "POST /forget", "")), 500);

    const std::uint16_t admin = server.admin_port();
    const std::string no_token = at(admin, "GET /admin/v1/stats", "");
    EXPECT_EQ(status_of(no_token), 401);
    EXPECT_NE(no_token.find("www-authenticate: Bearer"), std::string::npos);
    const auto with = [](const char* token) {
        return std::string("Authorization: Bearer ") + token + "\r\n";
    };
    EXPECT_EQ(status_of(at(admin, "GET /admin/v1/stats", with("wrong"))), 401);
    EXPECT_EQ(status_of(at(admin, "GET /admin/v1/stats", with("down"))), 503);
    EXPECT_EQ(status_of(at(admin, "GET /admin/v1/stats", with("view"))), 200);
    EXPECT_EQ(status_of(at(admin, "GET /admin/v1/stats", with("view") + with("view"))), 401);
    EXPECT_EQ(status_of(at(admin, "POST /admin/v1/replay", with("view"))), 403);
    EXPECT_EQ(status_of(at(admin, "POST /admin/v1/replay", with("operate"))), 200);
    EXPECT_EQ(status_of(at(admin, "GET /readyz", "")), 503);
}

TEST(GateTraffic, DrainingAnswersWhatHasBegunAndAcceptsNothingNew) {
    Server server;
    const Socket idle(server.port());
    const Socket busy(server.port());
    const Socket half(server.port());
    busy.send(slow(600, "busy"));
    half.send(post("Content-Length: 4\r\n", "ha"));
    std::this_thread::sleep_for(100ms);
    server.terminate();
    EXPECT_TRUE(idle.closed_by_peer(3s));
    EXPECT_THROW(Socket{server.port()}, std::runtime_error);
    half.send("lf");
    EXPECT_EQ(status_of(half.read_all()), 200);
    EXPECT_EQ(status_of(busy.read_all()), 200);
    EXPECT_EQ(server.wait(), 0);
}

}  // namespace
}  // namespace pawl::gate_test
