#include <gtest/gtest.h>
#include <signal.h>
#include <sys/shm.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include "tests/e2e/embedded_case.hpp"

// kill -9 on each process of an embedded cluster, at any time.
namespace pawl::testing {
namespace {

using db::EmbeddedCluster;
using Kept = std::optional<EmbeddedCluster>;
using std::chrono::milliseconds;

// Holds a seed, so that a failure can be had again: PAWL_TEST_SEED=...
unsigned seed() {
    const char* given = std::getenv("PAWL_TEST_SEED");
    return given ? static_cast<unsigned>(std::stoul(given)) : 20260131u;
}

// A child that serves a cluster and reports its URL and its server's pid.
auto serving(const db::EmbeddedOptions& options) {
    return [options](const Forked::Report& report) {
        Kept cluster;
        auto told = start_told(options, cluster);
        report(told);
        if (!cluster) return;
        report(cluster->url());
        report(std::to_string(cluster->server_pid()));
        for (;;) pause();
    };
}

bool is_up(const std::string& told) {
    return told.rfind("up ", 0) == 0;
}

TEST(EmbeddedClusterKilled, StartsTheServerAgainEachTimeItIsKilledAndLosesNothing) {
    Folder folder;
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options_for(folder / ".pawl"), cluster));
    run_sql(cluster->url(), "CREATE TABLE public.kept (n int)");
    for (int round = 1; round <= 3; ++round) {
        run_sql(cluster->url(), "INSERT INTO public.kept VALUES (1)");
        ASSERT_EQ(kill(cluster->server_pid(), SIGKILL), 0);
        ASSERT_TRUE(eventually([&] { return cluster->restarts() == round; }));
        EXPECT_EQ(ask(cluster->url(), "SELECT count(*)::text FROM public.kept"),
                  std::to_string(round));
    }
}

TEST(EmbeddedClusterKilled, StopsWhileItsServerIsDown) {
    Folder folder;
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options_for(folder / ".pawl"), cluster));
    std::filesystem::rename(folder / ".pawl/postgres", folder / ".pawl/away");
    kill(cluster->server_pid(), SIGKILL);
    ASSERT_TRUE(eventually([&] { return cluster->server_pid() == 0; }));
    cluster->stop();
    std::filesystem::rename(folder / ".pawl/away", folder / ".pawl/postgres");
    EXPECT_PRED1(is_up, start_told(options_for(folder / ".pawl"), cluster));
}

TEST(EmbeddedClusterKilled, LeavesNoServerBehindAndLosesNothingWhenItsOwnerIsKilled) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    for (int round = 0; round < 3; ++round) {
        Forked owner(serving(options));
        ASSERT_PRED1(is_up, owner.line());
        auto url = owner.line();
        pid_t server = std::stoi(owner.line());
        if (round == 0) run_sql(url, "CREATE TABLE public.kept (n int)");
        run_sql(url, "INSERT INTO public.kept VALUES (1)");
        owner.kill_now();
        // The other rounds start at once, while it is still shutting down.
        bool waits = round == 1;
        EXPECT_TRUE(!waits || eventually([&] { return !alive(server); }, milliseconds(20000)));
    }
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    EXPECT_EQ(ask(cluster->url(), "SELECT count(*)::text FROM public.kept"), "3");
}

// The last child of a killed server holds the memory that its pid file names for a moment more.
TEST(EmbeddedClusterKilled, StartsOnceTheMemoryOfTheKilledServerIsReleased) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    Forked owner(serving(options));
    ASSERT_PRED1(is_up, owner.line());
    owner.line();
    pid_t server = std::stoi(owner.line());
    std::istringstream pid_file(read_text(folder / ".pawl/postgres/postmaster.pid"));
    std::string line;
    for (int n = 1; n <= 7; ++n) std::getline(pid_file, line);
    const int memory = std::stoi(line.substr(line.find_last_of(' ')));
    void* held = shmat(memory, nullptr, SHM_RDONLY);
    ASSERT_NE(held, reinterpret_cast<void*>(-1)) << line;
    kill(server, SIGKILL);
    owner.kill_now();
    std::thread gives_back([held] {
        std::this_thread::sleep_for(milliseconds(700));
        shmdt(held);
    });
    Kept cluster;
    EXPECT_PRED1(is_up, start_told(options, cluster));
    gives_back.join();
}

TEST(EmbeddedClusterKilled, ComesUpAfterBothWereKilledAtAnyMoment) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    std::mt19937 chance(seed());
    for (int round = 0; round < 12; ++round) {
        Forked owner(serving(options));
        // From before the server's start to some time after it.
        auto moment = milliseconds(chance() % 400);
        auto told = owner.line(round == 0 ? patience : moment);
        if (chance() % 2 == 0) owner.kill_now();
        auto file = read_text(folder / ".pawl/postgres/postmaster.pid");
        pid_t server = file.empty() ? 0 : std::atoi(file.c_str());
        auto arguments = read_text("/proc/" + std::to_string(server) + "/cmdline");
        if (arguments.find(folder.path()) != std::string::npos) kill(server, SIGKILL);
        owner.kill_now();
        EXPECT_TRUE(told.empty() || is_up(told))
            << told << " seed " << seed() << " round " << round;
    }
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    EXPECT_EQ(ask(cluster->url(), "SELECT 'here'"), "here");
}

TEST(EmbeddedClusterKilled, HealsAnInitdbThatWasKilledAtAnyMoment) {
    std::mt19937 chance(seed());
    Folder folder;
    int unfinished = 0;
    for (int round = 0; round < 12; ++round) {
        auto data_dir = folder / ("d" + std::to_string(round % 3));
        Forked owner(serving(options_for(data_dir)));
        auto told = owner.line(milliseconds(chance() % 1200));
        owner.kill_now();
        EXPECT_TRUE(told.empty() || is_up(told))
            << told << " seed " << seed() << " round " << round;
        if (!std::filesystem::exists(data_dir + "/postgres")) ++unfinished;
    }
    EXPECT_GT(unfinished, 0) << "no round hit an initdb: give other moments";
    for (int which = 0; which < 3; ++which) {
        auto data_dir = folder / ("d" + std::to_string(which));
        Kept cluster;
        ASSERT_PRED1(is_up, start_told(options_for(data_dir), cluster));
        EXPECT_EQ(ask(cluster->url(), "SELECT 'here'"), "here");
    }
}

TEST(EmbeddedClusterKilled, EndsAnOrphanThatDoesNotListen) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    Forked owner(serving(options));
    ASSERT_PRED1(is_up, owner.line());
    auto url = owner.line();
    pid_t server = std::stoi(owner.line());
    run_sql(url, "CREATE TABLE public.kept (n int); INSERT INTO public.kept VALUES (1)");
    kill(server, SIGSTOP);  // receives neither its parent's death signal nor requests
    owner.kill_now();
    options.orphan_limit = milliseconds(300);
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    EXPECT_FALSE(alive(server)) << read_text("/proc/" + std::to_string(server) + "/status");
    EXPECT_EQ(ask(cluster->url(), "SELECT count(*)::text FROM public.kept"), "1");
}

TEST(EmbeddedClusterKilled, StartsWithTheStalePidFileOfADeadProcess) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    auto file = folder / ".pawl/postgres/postmaster.pid";
    auto text = read_text(file);
    cluster.reset();
    write_text(file, text);
    ASSERT_PRED1(is_up, start_told(options, cluster));
    EXPECT_EQ(ask(cluster->url(), "SELECT 'here'"), "here");
}

TEST(EmbeddedClusterKilled, StartsWithAPidFileThatNamesAForeignLiveProcess) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    auto file = folder / ".pawl/postgres/postmaster.pid";
    auto text = read_text(file);
    auto socket_dir = setting(cluster->url(), "unix_socket_directories");
    cluster.reset();
    // Sent as the server's own user: a signal of another user has no effect on PostgreSQL.
    Forked foreigner([](const Forked::Report& report) { report("lives"); },
                     am_root() ? uid_of("postgres") : 0);
    ASSERT_EQ(foreigner.line(), "lives");
    write_text(file, std::to_string(foreigner.pid()) + text.substr(text.find('\n')));
    std::filesystem::create_directory(socket_dir);
    ASSERT_EQ(chown(socket_dir.c_str(), foreigner.uid(), foreigner.uid()), 0);
    write_text(socket_dir + "/.s.PGSQL.5432.lock", std::to_string(foreigner.pid()) + "\n");
    ASSERT_PRED1(is_up, start_told(options, cluster));
    EXPECT_EQ(ask(cluster->url(), "SELECT 'here'"), "here");
    EXPECT_TRUE(alive(foreigner.pid()));
}

}  // namespace
}  // namespace pawl::testing
