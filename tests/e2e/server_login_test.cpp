// The server's database login: its rights after RESET ROLE are an attacker's.
#include <gtest/gtest.h>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

constexpr const char* reported = "login has more rights than the server needs";

TEST(ServerLogin, ToTheEmbeddedDatabaseHasTheServersRoleAndNoMore) {
    const Folder folder;
    Server server({.data_dir = folder / "data"});
    server.start();
    EXPECT_EQ(DemoSender(server.port()).send({.id = "e1"}).status, 200);
    EXPECT_EQ(ask(server.embedded_url(),
                  "SELECT string_agg(DISTINCT usename::text, ', ') FROM pg_stat_activity WHERE "
                  "application_name LIKE 'pawl/%' AND application_name <> 'pawl/test'"),
              "pawl_server");
    EXPECT_EQ(server.said().find(reported), std::string::npos);
}

TEST(ServerLogin, ThatIsASuperuserIsReported) {
    const Folder folder;
    const TestDatabase database;
    Server server({.data_dir = folder / "data", .database_url = database.url()});
    server.start();
    EXPECT_NE(server.said().find(reported), std::string::npos);
    EXPECT_NE(server.said().find("is a superuser"), std::string::npos);
}

TEST(ServerLogin, WithTheServersRoleAloneIsEnough) {
    const Folder folder;
    const TestDatabase database;
    database.run("CREATE ROLE e2e_narrow LOGIN IN ROLE pawl_runtime");
    std::string url = database.url();
    const std::string admin = "pawl_admin";
    url.replace(url.find(admin), admin.size(), "e2e_narrow");
    {
        Server server({.data_dir = folder / "data", .database_url = url});
        server.start();
        EXPECT_EQ(DemoSender(server.port()).send({.id = "e1"}).status, 200);
        EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
        EXPECT_EQ(server.said().find(reported), std::string::npos);
    }
    process::Command tokens;
    tokens.argv = {PAWL_PROGRAM, "--config", PAWL_SOURCE_DIR "/config", "token", "list"};
    tokens.env = {"PAWL_DATABASE_URL=" + url, "PATH=/usr/bin:/bin"};
    const auto refused = process::run(tokens, patience);
    ASSERT_TRUE(refused.ok());
    EXPECT_EQ(refused->how, "exited with 2");
    EXPECT_NE(refused->output.find("name the login that runs the migrations"), std::string::npos)
        << refused->output;
    database.run("DROP ROLE e2e_narrow");
}

}  // namespace
}  // namespace pawl::testing
