#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "db/embedded/programs.hpp"
#include "tests/e2e/embedded_case.hpp"

// Impossible starts end with one sentence, soon, and without damage.
namespace pawl::testing {
namespace {

using db::EmbeddedCluster;
using Kept = std::optional<EmbeddedCluster>;
using std::chrono::milliseconds;

bool is_up(const std::string& told) {
    return told.rfind("up ", 0) == 0;
}

// The error of a start that must fail, within five seconds.
std::string refusal(const db::EmbeddedOptions& options) {
    auto began = std::chrono::steady_clock::now();
    Kept cluster;
    auto told = start_told(options, cluster);
    EXPECT_FALSE(cluster) << "it started";
    EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(5000)) << told;
    return told;
}

#define EXPECT_SAYS(told, part) \
    EXPECT_NE(std::string(told).find(part), std::string::npos) << "it said: " << (told)

TEST(EmbeddedClusterRefuses, ASecondServerOnOneDirectoryAndNamesTheFirst) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    Kept first;
    ASSERT_PRED1(is_up, start_told(options, first));
    auto told = refusal(options);
    EXPECT_SAYS(told, "is in use by pawl serve (pid " + std::to_string(getpid()) + ")");
    EXPECT_EQ(ask(first->url(), "SELECT 'here'"), "here");
}

// A user that may read a file may lock it.
TEST(EmbeddedClusterRefuses, ALockTakenByAnotherUser) {
    if (!am_root()) GTEST_SKIP() << "needs another user";
    Folder folder;
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
    const std::string lock = folder / ".pawl/pawl.lock";
    const auto mode = [&lock] {
        struct stat found {};
        return stat(lock.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
    };
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options_for(folder / ".pawl"), cluster));
    EXPECT_EQ(mode(), 0600U);
    cluster.reset();
    // As an earlier version left it.
    ASSERT_EQ(chmod(lock.c_str(), 0644), 0);
    ASSERT_PRED1(is_up, start_told(options_for(folder / ".pawl"), cluster));
    EXPECT_EQ(mode(), 0600U);
    cluster.reset();

    Forked other(
        [&](const Forked::Report& report) {
            const process::Fd fd(open(lock.c_str(), O_RDONLY | O_CLOEXEC));
            struct flock all {};
            all.l_type = F_RDLCK;
            all.l_whence = SEEK_SET;
            report(fd.open() && fcntl(fd.get(), F_OFD_SETLK, &all) == 0 ? "locked" : "kept out");
            for (;;) pause();
        },
        uid_of("nobody"));
    EXPECT_EQ(other.line(), "kept out");
    EXPECT_PRED1(is_up, start_told(options_for(folder / ".pawl"), cluster));
}

TEST(EmbeddedClusterRefuses, ToBeginAnInstallationForACommandThatOnlyUsesOne) {
    Folder folder;
    auto options = options_for(folder / "none");
    options.create = false;
    const auto none = EmbeddedCluster::use(options);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::invalid);
    EXPECT_SAYS(none.error().message, folder / "none holds no installation of pawl");
    EXPECT_SAYS(none.error().message, "run `pawl serve`");
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));

    // A directory of something else, and one whose server never finished making its cluster.
    for (const char* file : {"a.txt", "pawl.lock"}) {
        std::filesystem::create_directories(folder / "none");
        write_text((folder / "none/") + file, "");
        EXPECT_FALSE(EmbeddedCluster::use(options));
        EXPECT_FALSE(std::filesystem::exists(folder / "none/postgres"));
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "none/embedded.state"));

    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options_for(folder / "none"), cluster));
    cluster.reset();
    const auto used = EmbeddedCluster::use(options);
    ASSERT_TRUE(used) << used.error().message;
    EXPECT_EQ(ask(used->url(), "SELECT 'here'"), "here");
}

TEST(EmbeddedClusterRefuses, WithoutProgramsAndNamesThePackage) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    options.search = {folder / "nothing/*/bin"};
    options.search_path = false;
    EXPECT_SAYS(refusal(options), "install the package postgresql");
    options.pg_bin = folder.path();
    EXPECT_SAYS(refusal(options), "has no programs postgres and initdb");
}

TEST(EmbeddedClusterRefuses, AClusterOfAVersionThatIsNotInstalled) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    cluster.reset();
    write_text(folder / ".pawl/postgres/PG_VERSION", "99\n");
    EXPECT_SAYS(refusal(options), "install the package postgresql-99");
    write_text(folder / ".pawl/postgres/PG_VERSION", "");
    EXPECT_SAYS(refusal(options), "PG_VERSION cannot be read");
}

TEST(EmbeddedClusterRefuses, ABrokenConfigurationWithPostgresqlsOwnWords) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    cluster.reset();
    write_text(folder / ".pawl/postgres/postgresql.conf", "\nshared_bufers = lots\n", true);
    auto told = refusal(options);
    EXPECT_SAYS(told, "PostgreSQL does not start in " + folder.path());
    EXPECT_SAYS(told, "unrecognized configuration parameter \"shared_bufers\"");
}

TEST(EmbeddedClusterRefuses, WrongPermissions) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    cluster.reset();
    chmod((folder / ".pawl/postgres").c_str(), 0777);
    EXPECT_SAYS(refusal(options), "invalid permissions");
}

TEST(EmbeddedClusterRefuses, ADirectoryItMayNotWriteIn) {
    Folder folder;
    chmod(folder.path().c_str(), 0555);
    auto options = options_for(folder / ".pawl");
    if (am_root()) {  // for which file modes have no effect
        Forked user([&](const Forked::Report& report) { report(refusal(options)); },
                    uid_of("nobody"));
        EXPECT_SAYS(user.line(), "Permission denied: run it as the user of the server");
    } else {
        EXPECT_SAYS(refusal(options), "Permission denied: let user");
    }
    write_text(folder / "file", "");
    options.data_dir = folder / "file";
    EXPECT_SAYS(refusal(options), "cannot make the data directory");
}

// The owner of the directory could otherwise have root write, and give away, any file.
TEST(EmbeddedClusterRefuses, ALinkInPlaceOfAFileOfTheDataDirectory) {
    Folder folder;
    write_text(folder / "target", "untouched");
    for (const char* name : {"pawl.lock", "postgres.log"}) {
        const std::string directory = folder / (std::string("data-") + name);
        std::filesystem::create_directory(directory);
        std::filesystem::create_symlink(folder / "target", directory + "/" + name);
        EXPECT_SAYS(refusal(options_for(directory)), "is a link or not a regular file; remove it");
        EXPECT_EQ(read_text(folder / "target"), "untouched");
    }
}

TEST(EmbeddedClusterRefuses, AReadOnlyDisk) {
    Folder folder;
    SmallDisk disk(folder / "disk", 10);
    if (!disk.mounted() || !disk.make_read_only()) GTEST_SKIP() << "SKIPPED: may not mount a tmpfs";
    EXPECT_SAYS(refusal(options_for(folder / "disk/.pawl")), "Read-only file system");
}

TEST(EmbeddedClusterRefuses, AFullDiskAndStartsOnceItWasFreed) {
    Folder folder;
    SmallDisk small(folder / "small", 30);
    SmallDisk disk(folder / "disk", 120);
    if (!disk.mounted()) GTEST_SKIP() << "SKIPPED: may not mount a tmpfs";
    EXPECT_SAYS(refusal(options_for(folder / "small/.pawl")), "too full for a new database");
    auto options = options_for(folder / "disk/.pawl");
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    run_sql(cluster->url(), "CREATE TABLE public.kept (n int); INSERT INTO public.kept VALUES (1)");
    cluster.reset();
    write_text(folder / "disk/filler", std::string(120 << 20, 'x'));
    EXPECT_SAYS(refusal(options), "No space left on device");
    std::filesystem::remove(folder / "disk/filler");
    ASSERT_PRED1(is_up, start_told(options, cluster));
    EXPECT_EQ(ask(cluster->url(), "SELECT count(*)::text FROM public.kept"), "1");
}

// PostgreSQL can hang there: it is then not waited for until the limit of a long recovery.
TEST(EmbeddedClusterRefuses, AServerThatNeitherStartsNorEndsOnAFullDisk) {
    Folder folder;
    SmallDisk disk(folder / "disk", 120);
    if (!disk.mounted()) GTEST_SKIP() << "SKIPPED: may not mount a tmpfs";
    auto options = options_for(folder / "disk/.pawl");
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    cluster.reset();
    const std::string filler = folder / "disk/filler";
    write_text(filler, std::string(120 << 20, 'x'));
    std::filesystem::resize_file(filler, std::filesystem::file_size(filler) - (256 << 10));
    const auto programs = db::cluster::newest_programs(options);
    ASSERT_TRUE(programs) << programs.error().message;
    std::filesystem::create_directory(folder / "bin");
    for (const char* name : {"initdb", "createdb"}) {
        std::filesystem::create_symlink(programs->program(name),
                                        folder / ("bin/" + std::string(name)));
    }
    write_text(folder / "bin/postgres", "#!/bin/sh\n[ \"$1\" = --version ] && exec " +
                                            programs->program("postgres") +
                                            " --version\nexec sleep 60\n");
    std::filesystem::permissions(folder / "bin/postgres", std::filesystem::perms(0755));
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    options.pg_bin = folder / "bin";
    EXPECT_SAYS(refusal(options), "did not get ready within 3 s): its disk is full");
}

TEST(EmbeddedClusterRefuses, ToTouchAServerStartedByHand) {
    Folder folder;
    auto options = options_for(folder / ".pawl");
    Kept cluster;
    ASSERT_PRED1(is_up, start_told(options, cluster));
    auto data = ask(cluster->url(), "SELECT current_setting('data_directory')");
    auto bin =
        std::filesystem::read_symlink("/proc/" + std::to_string(cluster->server_pid()) + "/exe");
    cluster.reset();
    std::filesystem::create_directory(folder / "sockets");
    chmod((folder / "sockets").c_str(), 0777);
    process::Command command;
    command.argv = {bin.string(),
                    "-D",
                    data,
                    "-c",
                    "listen_addresses=",
                    "-c",
                    "unix_socket_directories=" + (folder / "sockets")};
    if (am_root()) {
        command.identity = {process::Identity::How::drop, uid_of("postgres"), uid_of("postgres")};
    }
    auto by_hand = process::spawn(command);
    ASSERT_TRUE(by_hand) << by_hand.error().message;
    auto file = data + "/postmaster.pid";
    ASSERT_TRUE(eventually(
        [&] { return read_text(file).find("ready") != std::string::npos || !by_hand->running(); }));
    EXPECT_SAYS(refusal(options), "a PostgreSQL server that pawl did not start (pid " +
                                      std::to_string(by_hand->pid()) + ")");
    EXPECT_TRUE(by_hand->running());
    by_hand->signal(SIGINT);
    EXPECT_TRUE(by_hand->wait(patience));
}

}  // namespace
}  // namespace pawl::testing
