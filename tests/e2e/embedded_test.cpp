#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>

#include "tests/e2e/embedded_case.hpp"

// The life of an embedded cluster where nothing goes wrong, in all the places it may lie.
namespace pawl::testing {
namespace {

using db::EmbeddedCluster;
using Kept = std::optional<EmbeddedCluster>;

long ms_of(const std::string& told) {
    EXPECT_EQ(told.substr(0, 3), "up ") << told;
    return told.substr(0, 3) == "up " ? std::stol(told.substr(3)) : -1;
}

// The limits are for a machine that has nothing else to do; this one may be compiling.
int busy_factor() {
    double load = 0;
    auto cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
    if (getloadavg(&load, 1) != 1 || load < cores) return 1;
    std::cerr << "NOTE: the load is " << load << ": the time limits are loosened\n";
    return static_cast<int>(load / cores) + 1;
}

TEST(EmbeddedCluster, StartsFreshInFiveSecondsAndAgainInTwoAndKeepsWhatWasCommitted) {
    Folder folder("/tmp");  // on a real disk
    {
        Kept cluster;
        auto ms = ms_of(start_told(options_for(folder / ".pawl"), cluster));
        RecordProperty("first_start_ms", static_cast<int>(ms));
        EXPECT_LT(ms, 5000 * busy_factor());
        ASSERT_TRUE(cluster);
        run_sql(cluster->url(),
                "CREATE TABLE public.kept (n int); INSERT INTO public.kept VALUES (7)");
        cluster->stop();
        EXPECT_EQ(cluster->server_pid(), 0);
    }
    Kept cluster;
    auto ms = ms_of(start_told(options_for(folder / ".pawl"), cluster));
    RecordProperty("later_start_ms", static_cast<int>(ms));
    EXPECT_LT(ms, 2000 * busy_factor());
    ASSERT_TRUE(cluster);
    EXPECT_EQ(ask(cluster->url(), "SELECT n::text FROM public.kept"), "7");
}

const std::pair<const char*, const char*> settings_expected[] = {
    {"fsync", "on"},
    {"full_page_writes", "on"},
    {"data_checksums", "on"},
    {"synchronous_commit", "on"},
    {"listen_addresses", ""},
    {"unix_socket_permissions", "0700"},
    {"server_encoding", "UTF8"},
    {"deadlock_timeout", "200ms"},
    {"max_locks_per_transaction", "256"},
};

TEST(EmbeddedCluster, IsDurableAndPrivateAndNoEditedFileCanWeakenIt) {
    Folder folder;
    Kept cluster;
    ms_of(start_told(options_for(folder / ".pawl"), cluster));
    ASSERT_TRUE(cluster);
    cluster.reset();
    for (const char* file : {"postgresql.conf", "postgresql.auto.conf"}) {
        write_text(folder / (std::string(".pawl/postgres/") + file),
                   "\nfsync = off\nfull_page_writes = off\nsynchronous_commit = off\n"
                   "listen_addresses = '*'\nunix_socket_permissions = 0777\n",
                   true);
    }
    ms_of(start_told(options_for(folder / ".pawl"), cluster));
    ASSERT_TRUE(cluster);
    for (const auto& [name, value] : settings_expected) {
        EXPECT_EQ(setting(cluster->url(), name), value) << name;
    }
    EXPECT_EQ(ask(cluster->url(), "SELECT datcollate FROM pg_database WHERE datname = 'pawl'"),
              "C");
    struct stat found {};
    auto socket_dir = setting(cluster->url(), "unix_socket_directories");
    ASSERT_EQ(stat(socket_dir.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0700u);
    cluster->stop();
    EXPECT_NE(stat(socket_dir.c_str(), &found), 0) << "the socket's directory goes with the server";
}

TEST(EmbeddedCluster, GivesUrlsForRolesThatMigrationsMake) {
    Folder folder;
    Kept cluster;
    ms_of(start_told(options_for(folder / ".pawl"), cluster));
    ASSERT_TRUE(cluster);
    run_sql(cluster->url(), "CREATE ROLE pawl_runtime LOGIN");
    EXPECT_EQ(ask(cluster->url_as("pawl_runtime"), "SELECT current_user::text"), "pawl_runtime");
    EXPECT_EQ(ask(cluster->url(), "SELECT current_user::text"), "pawl_admin");
}

TEST(EmbeddedCluster, LiesInADirectoryWhoseNameIsLongerThanASocketsNameMayBe) {
    Folder folder;
    auto deep = folder / std::string(100, 'a') + "/" + std::string(100, 'b') + "/.pawl";
    Kept cluster;
    ms_of(start_told(options_for(deep), cluster));
    ASSERT_TRUE(cluster);
    EXPECT_EQ(ask(cluster->url(), "SELECT 'here'"), "here");
}

TEST(EmbeddedCluster, RunsForRootBelowADirectoryThatOnlyRootCanEnter) {
    if (!am_root()) GTEST_SKIP() << "SKIPPED: only root can test what root meets";
    Folder folder("/root");
    chmod(folder.path().c_str(), 0700);
    for (int time = 0; time < 2; ++time) {
        Kept cluster;
        ms_of(start_told(options_for(folder / "x/.pawl"), cluster));
        ASSERT_TRUE(cluster);
        EXPECT_EQ(ask(cluster->url(), "SELECT 'here'"), "here");
        struct stat files {};
        ASSERT_EQ(stat((folder / "x/.pawl/postgres").c_str(), &files), 0);
        EXPECT_EQ(files.st_uid, 0u);
    }
}

TEST(EmbeddedCluster, FallsBackToAnotherDirectoryWhereNamespacesAreForbidden) {
    if (!am_root()) GTEST_SKIP() << "SKIPPED: only root can test what root meets";
    Folder closed("/root");
    Folder fallback;
    auto options = options_for(closed / ".pawl");
    options.allow_namespace = false;
    options.fallback_dir = fallback / "lib";
    for (int time = 0; time < 2; ++time) {
        Kept cluster;
        ms_of(start_told(options, cluster));
        ASSERT_TRUE(cluster);
        if (time == 0) run_sql(cluster->url(), "CREATE TABLE public.kept (n int)");
        EXPECT_EQ(ask(cluster->url(), "SELECT count(*)::text FROM public.kept"), "0");
        EXPECT_FALSE(std::filesystem::exists(closed / ".pawl/postgres"));
    }
    // Gone with the disk it was on: an empty database in its place would look like lost money.
    std::filesystem::remove_all(fallback / "lib");
    Kept cluster;
    EXPECT_NE(start_told(options, cluster).find("does not exist: restore it"), std::string::npos);
}

TEST(EmbeddedCluster, RunsForANormalUserAsThatUser) {
    if (!am_root()) GTEST_SKIP() << "SKIPPED: the other tests run as a normal user already";
    Folder folder;
    uid_t nobody = uid_of("nobody");
    ASSERT_EQ(chown(folder.path().c_str(), nobody, nobody), 0);
    Forked user(
        [&](const Forked::Report& report) {
            Kept cluster;
            report(start_told(options_for(folder / "a/.pawl"), cluster));
            report(ask(cluster->url(), "SELECT 'here'"));
            cluster->stop();
            report("stopped");
        },
        nobody);
    ms_of(user.line());
    EXPECT_EQ(user.line(), "here");
    EXPECT_EQ(user.line(), "stopped");
    user.kill_now();
    // And then once with sudo: the files stay that user's.
    Kept cluster;
    ms_of(start_told(options_for(folder / "a/.pawl"), cluster));
    struct stat lock {};
    ASSERT_EQ(stat((folder / "a/.pawl/pawl.lock").c_str(), &lock), 0);
    EXPECT_EQ(lock.st_uid, nobody);
    EXPECT_EQ(ask(cluster->url(), "SELECT 'here'"), "here");
}

TEST(EmbeddedCluster, MovesWithItsDirectory) {
    Folder folder;
    Kept cluster;
    ms_of(start_told(options_for(folder / "before"), cluster));
    ASSERT_TRUE(cluster);
    run_sql(cluster->url(), "CREATE TABLE public.kept (n int)");
    cluster.reset();
    std::filesystem::rename(folder / "before", folder / "after");
    ms_of(start_told(options_for(folder / "after"), cluster));
    ASSERT_TRUE(cluster);
    EXPECT_EQ(ask(cluster->url(), "SELECT count(*)::text FROM public.kept"), "0");
}

}  // namespace
}  // namespace pawl::testing
