// Hostile and unusual clients against the real edge. Each test ends by asking whether the server
// is still there.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "gate_client.hpp"

namespace pawl::gate_test {
namespace {

using namespace std::chrono_literals;

std::string post(const std::string& headers, const std::string& rest = "") {
    return "POST /webhooks/demo HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + rest;
}

std::string chunked(const std::string& rest) {
    return post("Transfer-Encoding: chunked\r\n", rest);
}

struct Refused {
    const char* name;
    std::string bytes;
    int status;
    const char* code;
};

TEST(Gate, RefusesWhatIsNotStrictHttpAndStaysAlive) {
    const Refused cases[] = {
        {"negative chunk size", chunked("5\r\nhello\r\n-2\r\nXXXX"), 400, "bad_chunk"},
        {"malformed chunk size", chunked("zz\r\n"), 400, "bad_chunk"},
        {"17 digits of chunk size", chunked("fffffffffffffffff\r\n"), 400, "bad_chunk"},
        {"huge chunk size", chunked("7fffffffffffffff\r\n"), 413, "body_too_large"},
        {"both lengths", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "hello"), 400,
         "length_and_chunked"},
        {"doubled length", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), 400,
         "two_lengths"},
        {"junk length", post("Content-Length: 2junk\r\n", "ab"), 400, "bad_length"},
        {"1 GB declared", post("Content-Length: 1073741824\r\n"), 413, "body_too_large"},
        {"101 headers", post([] {
             std::string many;
             for (int i = 0; i < 101; ++i) many += "X: y\r\n";
             return many;
         }()),
         431, "too_many_headers"},
        {"40 KiB of header", post("X: " + std::string(40'000, 'x') + "\r\n"), 431,
         "headers_too_large"},
        {"folded header", post("X: y\r\n z\r\n"), 400, "folded_header"},
        {"TLS on the plain port", "\x16\x03\x01\x02", 400, "bad_request_line"},
    };
    const Server server;
    for (const Refused& c : cases) {
        const std::string answer = ask(server.port(), c.bytes);
        EXPECT_EQ(status_of(answer), c.status) << c.name << "\n" << answer;
        EXPECT_EQ(code_of(answer), c.code) << c.name;
        EXPECT_NE(answer.find("\"type\":\"urn:pawl:problem:"), std::string::npos) << c.name;
        EXPECT_NE(answer.find("content-type: application/problem+json"), std::string::npos);
        EXPECT_NE(answer.find("connection: close"), std::string::npos) << c.name;
    }
    EXPECT_TRUE(server.alive());
    EXPECT_NE(server.metrics().find("pawl_http_refusals_total{code=\"bad_chunk\"} 3"),
              std::string::npos);
}

TEST(Gate, TwoMillionHeadersCostNoMemory) {
    const Server server;
    const long before = server.rss_kb();
    const Socket socket(server.port());
    ASSERT_TRUE(socket.send("POST /webhooks/demo HTTP/1.1\r\nHost: a\r\n"));
    std::string lines;
    for (int i = 0; i < 1000; ++i) lines += "X-Header-" + std::to_string(i) + ": value\r\n";
    for (int i = 0; i < 2000 && socket.send(lines); ++i) continue;
    // The answer was sent at the 101st line, long before the client stopped.
    EXPECT_EQ(code_of(socket.read_all(1s)).substr(0, 8), "too_many");
    EXPECT_LT(server.rss_kb() - before, 20'000 * memory_factor);
    EXPECT_TRUE(server.alive());
}

TEST(Gate, ADeclaredGigabyteIsRefusedBeforeItIsSent) {
    const Server server;
    const long before = server.rss_kb();
    const Socket socket(server.port());
    ASSERT_TRUE(socket.send(post("Content-Length: 1073741824\r\nExpect: 100-continue\r\n")));
    const std::string answer = socket.read_all(1s);
    EXPECT_EQ(status_of(answer), 413) << answer;
    EXPECT_LT(server.rss_kb() - before, 5'000 * memory_factor);
}

TEST(Gate, ASlowHeadOrBodyGets408HoweverOftenBytesCome) {
    const Server server{{"GATE_HEAD_MS", "600"}, {"GATE_BODY_MS", "600"}};
    for (const std::string& start :
         {std::string("POST /webhooks/demo HTTP/1.1\r\nHost: "), post("Content-Length: 100\r\n")}) {
        const Socket socket(server.port());
        socket.send(start);
        const auto begun = std::chrono::steady_clock::now();
        while (!socket.closed_by_peer(0ms) && std::chrono::steady_clock::now() - begun < 5s) {
            if (!socket.send("a")) break;
            std::this_thread::sleep_for(50ms);
            if (socket.read_until("}", 20ms).find(" 408 ") != std::string::npos) break;
        }
        const auto took = std::chrono::steady_clock::now() - begun;
        EXPECT_LT(took, 3s);
        EXPECT_GT(took, 500ms);
    }
    EXPECT_NE(server.metrics().find("code=\"head_too_slow\"} 1"), std::string::npos);
    EXPECT_NE(server.metrics().find("code=\"body_too_slow\"} 1"), std::string::npos);
}

TEST(Gate, TwoThousandSlowConnectionsDoNotKeepOthersWaiting) {
    const Server server{{"GATE_HEAD_MS", "4000"}};
    const long before = server.rss_kb();
    std::vector<Socket> slow;
    for (int i = 0; i < 2000; ++i) {
        slow.emplace_back(server.port());
        slow.back().send("POST /webhooks/demo HTTP/1.1\r\nHost: a\r\nX-Slow: ");
    }
    for (int round = 0; round < 20; ++round) {
        for (const Socket& socket : slow) socket.send("x");
        const auto begun = std::chrono::steady_clock::now();
        EXPECT_EQ(
            status_of(ask(server.port(), post("Content-Length: 2\r\nConnection: close\r\n", "ok"))),
            200);
        EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s);
    }
    const long grown = server.rss_kb() - before;
    std::printf("2000 slow connections: %ld KiB each\n", grown / 2000);
    EXPECT_LT(grown, 60'000 * memory_factor);
    std::size_t timed_out = 0;
    for (const Socket& socket : slow) {
        if (status_of(socket.read_all(10s)) == 408) ++timed_out;
    }
    EXPECT_EQ(timed_out, slow.size());
}

bool eventually_says(const Server& server, const std::string& metric) {
    const auto give_up = std::chrono::steady_clock::now() + 10s;
    while (server.metrics().find(metric) == std::string::npos) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        std::this_thread::sleep_for(10ms);
    }
    return true;
}

std::size_t closed_of(const std::vector<Socket>& sockets) {
    std::size_t closed = 0;
    for (const Socket& socket : sockets) closed += socket.closed_by_peer(50ms) ? 1 : 0;
    return closed;
}

TEST(Gate, TooManyConnectionsAreTurnedAwayAndOperatorsStillGetIn) {
    const Server server{{"GATE_CONNECTIONS", "50"}};
    std::vector<Socket> busy;
    for (int i = 0; i < 50; ++i) {
        busy.emplace_back(server.port());
        busy.back().send("POST /slow?ms=5000 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    }
    ASSERT_TRUE(eventually_says(server, "pawl_http_connections 51"));
    std::vector<Socket> more;
    for (int i = 0; i < 10; ++i) more.emplace_back(server.port());
    EXPECT_EQ(closed_of(more), 10U);
    EXPECT_NE(server.metrics().find("turned_away_total 10"), std::string::npos);
}

// Orchestrators end what does not answer their probe, and providers give up on what does not take
// their deliveries.
TEST(Gate, IdleClientsOnEveryConnectionKeepNeitherAProbeNorADeliveryOut) {
    const Server server{{"GATE_CONNECTIONS", "50"}};
    std::vector<Socket> strangers;
    for (int i = 0; i < 60; ++i) {
        strangers.emplace_back(server.port());
        const char* sends[] = {"", "POST /webhooks/demo HTTP/1.1\r\nHost: a\r\nX-",
                               "POST /webhooks/demo HTTP/1.1\r\nContent-Length: 9\r\nHost: "
                               "a\r\n\r\nhalf"};
        strangers.back().send(sends[i % 3]);
    }
    Socket asked(server.port());
    asked.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(status_of(asked.read_until("}", 1s)), 200);
    for (int i = 0; i < 30; ++i) {
        const std::string close = "Connection: close\r\n";
        EXPECT_EQ(
            status_of(ask(server.port(), "GET /healthz HTTP/1.1\r\nHost: a\r\n" + close + "\r\n")),
            200);
        EXPECT_EQ(status_of(ask(server.port(), post("Content-Length: 2\r\n" + close, "ok"))), 200);
    }
    EXPECT_FALSE(asked.closed_by_peer(1ms)) << "it was used more lately than the idle ones";
    EXPECT_GE(closed_of(strangers), 10U);
    EXPECT_NE(server.metrics().find("turned_away_total 0"), std::string::npos);
}

TEST(Gate, BodiesThatNeverEndShareAMemoryBudget) {
    const Server server;
    const long before = server.rss_kb();
    std::vector<Socket> all;
    const std::string part(1'000'000, 'x');
    int refused = 0;
    int overloaded = 0;
    for (int i = 0; i < 200; ++i) {
        all.emplace_back(server.port());
        all.back().send(post("Content-Length: 1048576\r\n", part));
    }
    for (const Socket& socket : all) {
        // The reset of a body that is not read any more may overtake the answer.
        if (socket.closed_by_peer(1ms)) {
            ++refused;
        } else if (code_of(socket.read_all(20ms)) == "overloaded") {
            ++refused;
            ++overloaded;
        }
    }
    std::printf("200 unfinished bodies of 1 MB: %ld MiB, %d refused\n",
                (server.rss_kb() - before) / 1024, refused);
    EXPECT_GT(refused, 100);
    EXPECT_GT(overloaded, 0);
    EXPECT_LT(server.rss_kb() - before, 100'000 * memory_factor);
    EXPECT_TRUE(server.alive());
}

// Unauthenticated clients hold the whole memory budget with bodies that never end. Orchestrators
// restart a process that does not answer their probe.
TEST(Gate, AProbeIsAnsweredOnBothListenersWhileClientsHoldTheWholeMemoryBudget) {
    const Server server;
    std::vector<Socket> all;
    for (const std::size_t bytes : {1'000'000U, 100'000U, 5'000U}) {
        const std::string request = post("Content-Length: 1048576\r\n", std::string(bytes, 'x'));
        for (bool taken = true; taken;) {
            all.emplace_back(server.port());
            all.back().send(request);
            taken = !all.back().closed_by_peer(1ms) && all.back().read_until("}", 50ms).empty();
        }
    }
    for (const std::size_t bytes : {500U, 100U, 1U}) {
        for (int i = 0; i < 20; ++i) {
            all.emplace_back(server.port());
            all.back().send(post("Content-Length: 1048576\r\n", std::string(bytes, 'x')));
        }
    }
    const std::string probe = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    EXPECT_EQ(code_of(ask(server.port(), post("Content-Length: 9000\r\nConnection: close\r\n",
                                              std::string(9000, 'x')))),
              "overloaded");
    EXPECT_EQ(status_of(ask(server.port(), probe)), 200);
    EXPECT_EQ(status_of(ask(server.admin_port(), probe)), 200);
    const std::string large =
        "POST /admin/v1/replay HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n"
        "Authorization: Bearer operate\r\nConnection: close\r\n\r\n" +
        std::string(9000, 'x');
    EXPECT_EQ(status_of(ask(server.admin_port(), large)), 200) << "operators have a budget apart";
}

}  // namespace
}  // namespace pawl::gate_test
