#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <thread>

#include "tests/e2e/embedded_case.hpp"

// Several commands and one embedded cluster: the server's, or the first command's.
namespace pawl::testing {
namespace {

using db::EmbeddedCluster;
using Kept = std::optional<EmbeddedCluster>;
using std::chrono::milliseconds;

db::EmbeddedOptions command_options(const std::string& data_dir) {
    auto options = options_for(data_dir);
    options.purpose = "token";
    return options;
}

TEST(EmbeddedClusterShared, ACommandUsesTheServerOfAServingPawlAndLeavesItRunning) {
    Folder folder;
    Forked server([&](const Forked::Report& report) {
        Kept cluster;
        report(start_told(options_for(folder / ".pawl"), cluster));
        for (;;) pause();
    });
    ASSERT_EQ(server.line().substr(0, 3), "up ");
    {
        auto used = EmbeddedCluster::use(command_options(folder / ".pawl"));
        ASSERT_TRUE(used) << used.error().message;
        EXPECT_FALSE(used->ours());
        run_sql(used->url(), "CREATE TABLE public.kept (n int)");
    }
    auto running = EmbeddedCluster::running(options_for(folder / ".pawl"));
    ASSERT_TRUE(running && *running);
    EXPECT_EQ(ask(**running, "SELECT count(*)::text FROM public.kept"), "0");
}

TEST(EmbeddedClusterShared, ACommandRunsTheServerItselfWithoutServe) {
    Folder folder;
    auto none = EmbeddedCluster::running(options_for(folder / ".pawl"));
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
    {
        auto used = EmbeddedCluster::use(command_options(folder / ".pawl"));
        ASSERT_TRUE(used) << used.error().message;
        EXPECT_TRUE(used->ours());
        EXPECT_EQ(ask(used->url(), "SELECT 'here'"), "here");
    }
    none = EmbeddedCluster::running(options_for(folder / ".pawl"));
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
}

TEST(EmbeddedClusterShared, ACommandThatRunsTheServerWaitsForThoseThatUseIt) {
    Folder folder;
    Forked first([&](const Forked::Report& report) {
        auto mine = EmbeddedCluster::use(command_options(folder / ".pawl"));
        report(mine ? "up" : mine.error().message);
        mine->stop();
        report("stopped");
    });
    // It stops at once, perhaps before another command came, which then runs a server itself.
    ASSERT_EQ(first.line(), "up");
    auto user = EmbeddedCluster::use(command_options(folder / ".pawl"));
    ASSERT_TRUE(user) << user.error().message;
    EXPECT_EQ(ask(user->url(), "SELECT 'here'"), "here");
    if (!user->ours()) {
        EXPECT_EQ(first.line(milliseconds(300)), "") << "it stopped under its user";
    }
    EXPECT_EQ(ask(user->url(), "SELECT 'here'"), "here");
    user = EmbeddedCluster::use(command_options(folder / ".other"));
    EXPECT_EQ(first.line(), "stopped");
}

TEST(EmbeddedClusterShared, ManyCommandsAtTheSameInstantAllGetADatabase) {
    Folder folder;
    auto work = [&](const Forked::Report& report) {
        auto used = EmbeddedCluster::use(command_options(folder / ".pawl"));
        report(used ? ask(used->url(), "SELECT 'here'") : used.error().message);
        if (used) used->stop();
    };
    Forked a(work), b(work), c(work), d(work);
    EXPECT_EQ(a.line(), "here");
    EXPECT_EQ(b.line(), "here");
    EXPECT_EQ(c.line(), "here");
    EXPECT_EQ(d.line(), "here");
}

TEST(EmbeddedClusterShared, AServerWaitsForAShortCommandToFinish) {
    Folder folder;
    Kept command;
    auto used = EmbeddedCluster::use(command_options(folder / ".pawl"));
    ASSERT_TRUE(used) << used.error().message;
    std::thread ends([&] {
        EXPECT_EQ(ask(used->url(), "SELECT 'here'"), "here");
        used->stop();
    });
    auto told = start_told(options_for(folder / ".pawl"), command);
    ends.join();
    EXPECT_EQ(told.substr(0, 3), "up ") << told;
}

}  // namespace
}  // namespace pawl::testing
