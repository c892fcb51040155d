// Clients that read their answers slowly, late or never.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "gate_client.hpp"

namespace pawl::gate_test {
namespace {

using namespace std::chrono_literals;

constexpr int small_buffer = 4096;

std::string get(const std::string& path, const std::string& headers = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

// Only the asking one is left, sooner than the gate's own limit for idle connections would do it.
bool all_gone(const Server& server) {
    const auto give_up = std::chrono::steady_clock::now() + 30s;
    while (server.metrics().find("pawl_http_connections 1\n") == std::string::npos) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        std::this_thread::sleep_for(50ms);
    }
    return true;
}

// A megabyte a second.
std::size_t read_slowly(const Socket& socket) {
    std::vector<char> some(100'000);
    std::size_t all = 0;
    for (;;) {
        const auto got = recv(socket.fd(), some.data(), some.size(), MSG_WAITALL);
        if (got <= 0) return all;
        all += static_cast<std::size_t>(got);
        std::this_thread::sleep_for(100ms);
    }
}

TEST(GateReaders, UnreadAnswersStayWithinABudget) {
    const Server server;
    const long before = server.rss_kb();
    const std::string requests = repeated(get("/x"), 2000);
    std::vector<Socket> all;
    for (int i = 0; i < 100; ++i) all.emplace_back(server.port(), small_buffer);
    for (int round = 0; round < 20; ++round) {
        for (const Socket& socket : all) socket.send(requests);
        const auto begun = server.cpu_time();
        EXPECT_TRUE(server.alive());
        EXPECT_LT(server.cpu_time() - begun, 2s) << "it works off the requests of others first";
    }
    const long grown = server.rss_kb() - before;
    std::printf("40,000 requests on each of 100 connections, no answer read: %ld MiB\n",
                grown / 1024);
    EXPECT_LT(grown, 100'000 * memory_factor);
}

TEST(GateReaders, LargeUnreadAnswersStayWithinABudget) {
    const Server server;
    const long before = server.rss_kb();
    const std::string requests = repeated(get("/large?bytes=1000000"), 60);
    std::vector<Socket> all;
    for (int i = 0; i < 200; ++i) {
        all.emplace_back(server.port(), small_buffer);
        all.back().send(requests);
    }
    EXPECT_TRUE(server.alive());
    const long grown = server.rss_kb() - before;
    std::printf("60 large answers on each of 200 connections, none read: %ld MiB\n", grown / 1024);
    EXPECT_LT(grown, 100'000 * memory_factor);
}

TEST(GateReaders, ALateReaderGetsEveryAnswer) {
    const Server server;
    const Socket socket(server.port(), small_buffer);
    socket.send(repeated(get("/large?bytes=50000"), 100) +
                get("/healthz", "Connection: close\r\n"));
    std::this_thread::sleep_for(500ms);
    EXPECT_EQ(count(socket.read_all(60s), "HTTP/1.1 200 OK"), 101U);
}

TEST(GateReaders, AClientThatReadsNothingIsCut) {
    const Server server{{"GATE_UNREAD_MS", "600"}};
    const Socket open(server.port(), small_buffer);
    const Socket closing(server.port(), small_buffer);
    open.send(get("/large?bytes=8000000"));
    closing.send(get("/large?bytes=8000000", "Connection: close\r\n"));
    EXPECT_TRUE(all_gone(server));
}

TEST(GateReaders, AnAnswerThatClosesIsReadToItsEndHoweverSlowly) {
    const Server server;
    const Socket socket(server.port(), small_buffer);
    socket.send(get("/large?bytes=8000000", "Connection: close\r\n"));
    EXPECT_GT(read_slowly(socket), 8'000'000U);
}

TEST(GateReaders, AClientThatKeepsItsSideOpenAfterTheLastAnswerIsClosed) {
    const Server server;
    std::vector<Socket> all;
    for (const char* path : {"/echo", "/slow?ms=50", "/elsewhere"}) {
        all.emplace_back(server.port());
        const std::string method = path[1] == 's' ? "POST " : "GET ";
        all.back().send(method + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        EXPECT_EQ(status_of(all.back().read_all()), 200) << path;
    }
    EXPECT_TRUE(all_gone(server));
}

}  // namespace
}  // namespace pawl::gate_test
