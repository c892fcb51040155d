// Commands of the program against a database that is not as they need it.
#include <gtest/gtest.h>

#include "tests/e2e/embedded_case.hpp"

namespace pawl::testing {
namespace {

TEST(ServerCommands, SayThatADatabaseHasNotBeenMigrated) {
    const Folder folder;
    auto cluster = db::EmbeddedCluster::start(options_for(folder / "data"));
    ASSERT_TRUE(cluster) << cluster.error().message;
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"verify"}, {"intents", "list"}, {"token", "list"}}) {
        process::Command command;
        command.argv = {PAWL_PROGRAM, "--config", PAWL_SOURCE_DIR "/config"};
        command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
        command.env = {"PAWL_DATABASE_URL=" + cluster->url()};
        const auto ended = process::run(command, patience);
        ASSERT_TRUE(ended) << ended.error().message;
        EXPECT_EQ(ended->output, "pawl: the database has not been migrated; run `pawl migrate`\n");
        EXPECT_EQ(ended->how, "exited with 2");
    }
}

}  // namespace
}  // namespace pawl::testing
