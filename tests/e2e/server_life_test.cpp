// `pawl serve` as a process: start time, memory, user, and a second start. Times are printed; the
// assertions hold on a busy machine too.
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The goals are 5 s for the first start, which makes the cluster, and 2 s for the others.
constexpr milliseconds slow_machine(30000);
constexpr long rss_kb_max = 40 * 1024;

struct Who {
    const char* name;
    const char* user;  // null: as the test runs
};
class ServerLife : public ::testing::TestWithParam<Who> {};

process::Identity identity_of(const char* user) {
    if (user == nullptr) return {};
    const passwd* entry = getpwnam(user);
    return {process::Identity::How::drop, entry->pw_uid, entry->pw_gid};
}

TEST_P(ServerLife, StartsWithoutAnyPostgresRunningAndStaysSmall) {
    const Who& who = GetParam();
    if (who.user != nullptr && !am_root()) GTEST_SKIP() << "only root may become another user";
    const Folder folder;
    const auto identity = identity_of(who.user);
    // Another user cannot read a checkout in root's directory.
    std::filesystem::copy_file(PAWL_PROGRAM, folder / "pawl");
    std::filesystem::copy(PAWL_SOURCE_DIR "/config", folder / "config",
                          std::filesystem::copy_options::recursive);
    if (who.user != nullptr) {
        ASSERT_EQ(chown(folder.path().c_str(), identity.uid, identity.gid), 0);
    }
    Server server({.data_dir = folder / "data",
                   .program = folder / "pawl",
                   .config = folder / "config",
                   .identity = identity});
    const auto first = server.start();
    DemoSender sender(server.port());
    EXPECT_EQ(sender.send({.id = "e1"}).status, 200);
    const long rss = server.rss_kb();
    server.signal(SIGTERM);
    EXPECT_TRUE(server.ended_within(patience));
    EXPECT_EQ(server.how_it_ended(), "exited with 0");
    const auto second = server.start();
    EXPECT_NE(DemoSender(server.port()).send({.id = "e1"}).body.find("\"duplicate\":true"),
              std::string::npos);
    std::printf("  as %s: up in %ld ms the first time, %ld ms after that; %ld KB\n", who.name,
                static_cast<long>(first.count()), static_cast<long>(second.count()), rss);
    EXPECT_LT(first, slow_machine);
    EXPECT_LT(second, slow_machine / 2);
    EXPECT_GT(rss, 0);
    EXPECT_LT(rss, rss_kb_max);
}

INSTANTIATE_TEST_SUITE_P(As, ServerLife,
                         ::testing::Values(Who{"whoever_runs_the_test", nullptr},
                                           Who{"nobody", "nobody"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// A directory that only its owner can enter: PostgreSQL's user cannot either.
TEST(ServerPlace, RootsClosedDirectoryCanBeUsed) {
    if (!am_root()) GTEST_SKIP() << "only root has this difficulty";
    const Folder folder;
    ASSERT_EQ(chmod(folder.path().c_str(), 0700), 0);
    Server server({.data_dir = folder / "data"});
    server.start();
    EXPECT_EQ(DemoSender(server.port()).send({.id = "e1"}).status, 200);
}

TEST(ServerPlace, ASecondServerOnTheSameDirectoryNamesTheFirst) {
    const Folder folder;
    Server first({.data_dir = folder / "data"});
    first.start();
    Server second({.data_dir = folder / "data"});
    second.spawn();
    ASSERT_TRUE(second.ended_within(patience));
    EXPECT_EQ(second.how_it_ended(), "exited with 2");
    EXPECT_NE(second.said().find("is in use by pawl serve (pid " + std::to_string(first.pid())),
              std::string::npos)
        << second.said();
    EXPECT_EQ(DemoSender(first.port()).send({.id = "e1"}).status, 200);
}

// Its postgres goes with it, however it goes.
TEST(ServerPlace, NoPostgresIsLeftBehind) {
    const Folder folder;
    Server server({.data_dir = folder / "data"});
    server.start();
    pid_t postmaster = server.postmaster();
    ASSERT_TRUE(alive(postmaster));
    server.signal(SIGTERM);
    ASSERT_TRUE(server.ended_within(patience));
    EXPECT_FALSE(alive(postmaster));
    server.start();
    postmaster = server.postmaster();
    server.kill_now();
    EXPECT_TRUE(eventually([&] { return !alive(postmaster); }));
}

TEST(ServerPlace, APortThatIsTakenIsSaidInASentence) {
    const Folder folder;
    Server first({.data_dir = folder / "first"});
    first.start();
    Server second({.data_dir = folder / "second", .port = first.port()});
    second.spawn();
    ASSERT_TRUE(second.ended_within(patience));
    EXPECT_NE(second.said().find(std::to_string(first.port())), std::string::npos);
    EXPECT_TRUE(second.how_it_ended() == "exited with 2" ||
                second.how_it_ended() == "exited with 3")
        << second.how_it_ended();
}

}  // namespace
}  // namespace pawl::testing
