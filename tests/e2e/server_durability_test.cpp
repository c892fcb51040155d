// A delivery answered 200 is in the ledger after a crash, whatever the database's own defaults are;
// and a server that could not keep that promise is refused.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "db/embedded/programs.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"

namespace pawl::testing {
namespace {

constexpr int deliveries = 30;

void stop(Server& server) {
    server.signal(SIGTERM);
    ASSERT_TRUE(server.ended_within(patience));
}

// Commits need not wait, and nothing else writes their WAL: it stays in memory.
void make_commits_lazy(Server& server) {
    run_sql(server.embedded_url(), "ALTER DATABASE pawl SET synchronous_commit = off");
    stop(server);
    server.start();
    int stopped = 0;
    for (const pid_t pid : server.postgres_processes()) {
        const std::string title = read_text("/proc/" + std::to_string(pid) + "/cmdline");
        if (title.find("walwriter") == title.npos) continue;
        kill(pid, SIGSTOP);
        ++stopped;
    }
    ASSERT_EQ(stopped, 1);
}

TEST(ServerDurability, AnAnsweredDeliveryIsInTheBooksAfterPostgresWasKilled) {
    const Folder folder;
    Server server({.data_dir = folder / "data"});
    server.start();
    make_commits_lazy(server);
    DemoSender sender(server.port());
    int answered = 0;
    for (int i = 0; i < deliveries; ++i) {
        answered += sender.send({.id = "d" + std::to_string(i)}).status == 200 ? 1 : 0;
    }
    EXPECT_EQ(answered, deliveries);
    // With all of its processes goes its memory, and in it the WAL that was not written.
    for (const pid_t pid : server.postgres_processes()) kill(pid, SIGKILL);
    server.kill_now();
    server.start();
    const std::string url = server.embedded_url();
    EXPECT_EQ(ask(url, "SELECT count(*) FROM transfers"), std::to_string(answered));
    EXPECT_EQ(ask(url, "SELECT count(*) FROM webhook_intents"), std::to_string(answered));
    EXPECT_EQ(setting(url, "synchronous_commit"), "on") << "one of Pawl's sessions, too";
}

// PostgreSQL's programs, of which `postgres` is started with one more setting.
std::string programs_with(const Folder& folder, const std::string& setting) {
    const auto real = db::cluster::newest_programs(options_for(folder.path()));
    EXPECT_TRUE(real.ok());
    const std::string bin = folder / "bin";
    std::filesystem::create_directory(bin);
    for (const auto& program : std::filesystem::directory_iterator(real->bin)) {
        const std::string name = program.path().filename().string();
        if (name != "postgres") std::filesystem::create_symlink(program, bin + "/" + name);
    }
    // Only of the server: initdb starts another, which is asked for its version first of all.
    write_text(bin + "/postgres", "#!/bin/sh\ncase $1 in -D) set -- \"$@\" -c " + setting +
                                      " ;; esac\nexec " + real->bin + "/postgres \"$@\"\n");
    for (const std::string& all : {bin, bin + "/postgres"}) chmod(all.c_str(), 0755);
    return bin;
}

class ServerDurabilityRefuses : public ::testing::TestWithParam<const char*> {};

TEST_P(ServerDurabilityRefuses, AServerWithASettingOff) {
    const Folder folder;
    const std::string setting = GetParam();
    const std::string bin = programs_with(folder, setting + "=off");
    Server server({.data_dir = folder / "data", .variables = {"PAWL_PG_BIN=" + bin}});
    server.spawn();
    ASSERT_TRUE(server.ended_within(patience)) << "it serves";
    EXPECT_EQ(server.how_it_ended(), "exited with 2");
    EXPECT_NE(server.said().find(setting + " is off"), std::string::npos) << server.said();
    EXPECT_NE(server.said().find("set " + setting + " = on"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(With, ServerDurabilityRefuses,
                         ::testing::Values("fsync", "full_page_writes"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace pawl::testing
