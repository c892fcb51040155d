// `pawl serve` where newcomers start it: below a path with a space, and as the first process of a
// container, with no init to reap orphans.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"

namespace pawl::testing {
namespace {

bool duplicate(const Response& response) {
    return response.body.find("\"duplicate\":true") != std::string::npos;
}

TEST(ServerPlaces, APathWithASpace) {
    const Folder folder;
    Server server({.data_dir = folder / "my data/pawl"});
    server.start();
    EXPECT_EQ(DemoSender(server.port()).send({.id = "e1"}).status, 200);
}

TEST(ServerPlaces, LogsItsAddressesAndOneLineForANewSchema) {
    const Folder folder;
    Server server({.data_dir = folder / "data"});
    server.start();
    const auto logs = [&](const std::string& part) {
        return server.said().find(part) != std::string::npos;
    };
    ASSERT_TRUE(eventually([&] { return logs(" server started "); }));
    EXPECT_TRUE(logs("public=127.0.0.1:" + std::to_string(server.port())));
    EXPECT_TRUE(logs("admin=127.0.0.1:" + std::to_string(server.admin_port())));
    EXPECT_TRUE(logs("the schema was created"));
    EXPECT_FALSE(logs("applying a migration"));
}

TEST(ServerPlaces, AContainerWithoutInit) {
    if (!am_root()) GTEST_SKIP() << "only root may make a PID namespace";
    const Folder folder;
    Server server(
        {.data_dir = folder / "data",
         .within = {"/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child=KILL"}});
    server.start();
    EXPECT_EQ(DemoSender(server.port()).send({.id = "e1"}).status, 200);
    server.kill_now();  // and with it the namespace, its database included
    server.start();
    // A busy machine may answer 503 at first: a sender delivers again.
    EXPECT_TRUE(
        eventually([&] { return duplicate(DemoSender(server.port()).send({.id = "e1"})); }));
}

}  // namespace
}  // namespace pawl::testing
