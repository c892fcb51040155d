// Memory while the database hangs and large bodies keep coming, genuine ones and others.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/e2e/database_proxy.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long memory_factor = 20;  // they keep freed memory back on purpose
#else
constexpr long memory_factor = 1;
#endif

std::string large_body(const std::string& id) {
    std::string body = body_of({.id = id});
    body.pop_back();
    return body + R"(,"more":")" + std::string(1'000'000, 'x') + "\"}";
}

TEST(FaultsMemory, AFloodOfLargeBodiesWhileTheDatabaseHangsIsBounded) {
    const Folder folder;
    const TestDatabase database;
    DatabaseProxy proxy(database.url());
    Server server({.data_dir = folder / "data", .database_url = proxy.url()});
    server.start();
    EXPECT_EQ(DemoSender(server.port()).send({.id = "first"}).status, 200);
    proxy.set(DatabaseProxy::Mode::hold);

    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    std::atomic<int> unexpected{0};
    std::vector<std::thread> flood;
    for (int i = 0; i < 120; ++i) {
        flood.emplace_back([&, i] {
            const std::string id = "large" + std::to_string(i);
            const std::string body = large_body(id);
            auto headers = signed_headers(id, body, now());
            if (i % 4 == 0) headers.back().second += "x";  // not genuine
            DemoSender sender(server.port());
            while (std::chrono::steady_clock::now() < until) {
                const int status = sender.post(headers, body).status;
                if (status != 503 && status != (i % 4 == 0 ? 401 : 503)) ++unexpected;
            }
        });
    }
    long most = 0;
    while (std::chrono::steady_clock::now() < until) {
        most = std::max(most, server.rss_kb());
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    for (std::thread& sender : flood) sender.join();
    std::printf("1 MB bodies at a database that hangs: %ld MiB\n", most / 1024);
    EXPECT_LT(most, 150'000 * memory_factor);
    EXPECT_EQ(unexpected, 0);
    proxy.set(DatabaseProxy::Mode::carry);
    EXPECT_TRUE(
        eventually([&] { return DemoSender(server.port()).send({.id = "later"}).status == 200; }));
}

}  // namespace
}  // namespace pawl::testing
