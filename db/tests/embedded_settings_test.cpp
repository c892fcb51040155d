// The embedded cluster's settings, sized by its machine.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "db/embedded/memory.hpp"
#include "db/embedded/settings.hpp"

namespace pawl::db::cluster {
namespace {

struct Sized {
    const char* machine;
    Machine of;
    const char* shared_buffers;
    const char* max_wal_size;
    const char* min_wal_size;
    const char* wal_compression;
};

const Sized sizes[] = {
    {"a small container", {512, 5'000, true}, "64MB", "500MB", "62MB", "lz4"},
    {"a laptop", {16'384, 200'000, true}, "2048MB", "4096MB", "512MB", "lz4"},
    {"a large server", {262'144, 2'000'000, true}, "4096MB", "4096MB", "512MB", "lz4"},
    {"a nearly full disk", {8'192, 300, false}, "1024MB", "64MB", "32MB", "on"},
    {"one of which nothing is known", {0, 0, false}, "32MB", "64MB", "32MB", "on"},
};

// The value of the last line that sets it, as PostgreSQL reads the file.
std::string value_of(const std::string& settings, const std::string& name) {
    const std::string begin = "\n" + name + " = ";
    const std::size_t at = settings.rfind(begin);
    if (at == std::string::npos) return "(not set)";
    const std::size_t from = at + begin.size();
    return settings.substr(from, settings.find_first_of(" \n", from) - from);
}

TEST(EmbeddedSettings, AreSizedByTheMachine) {
    for (const Sized& sized : sizes) {
        const std::string settings = first_settings(sized.of);
        EXPECT_EQ(value_of(settings, "shared_buffers"), sized.shared_buffers) << sized.machine;
        EXPECT_EQ(value_of(settings, "max_wal_size"), sized.max_wal_size) << sized.machine;
        EXPECT_EQ(value_of(settings, "min_wal_size"), sized.min_wal_size) << sized.machine;
        EXPECT_EQ(value_of(settings, "wal_compression"), sized.wal_compression) << sized.machine;
        EXPECT_EQ(value_of(settings, "checkpoint_timeout"), "15min") << sized.machine;
    }
}

// A /proc and a /sys/fs/cgroup of the test's own.
class Memory : public ::testing::Test {
  protected:
    Memory() { folder_ = mkdtemp(folder_.data()); }
    ~Memory() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& file, const std::string& text) {
        const std::filesystem::path path = folder_ + "/" + file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    std::uint64_t found() const { return memory_mb(folder_ + "/proc", folder_ + "/groups"); }

  private:
    std::string folder_ = (std::filesystem::temp_directory_path() / "pawl-memory-XXXXXX").string();
};

TEST_F(Memory, IsThatOfTheMachineWhereNoGroupLimitsIt) {
    write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
    EXPECT_EQ(found(), 16384u);
    write("proc/self/cgroup", "0::/\n");
    write("groups/memory.max", "max\n");
    EXPECT_EQ(found(), 16384u);
}

TEST_F(Memory, IsTheTightestLimitOfTheGroupAndThoseAboveIt) {
    write("proc/meminfo", "MemTotal:       16777216 kB\n");
    write("proc/self/cgroup", "0::/system.slice/pawl.service\n");
    write("groups/system.slice/pawl.service/memory.max", "max\n");
    write("groups/system.slice/memory.max", "1073741824\n");
    EXPECT_EQ(found(), 1024u);
    write("groups/memory.max", "536870912\n");
    EXPECT_EQ(found(), 512u);
}

TEST_F(Memory, IsThatOfAGroupOfTheFirstVersion) {
    write("proc/meminfo", "MemTotal:       16777216 kB\n");
    write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n");
    write("groups/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(found(), 16384u);
    write("groups/memory/memory.limit_in_bytes", "2147483648\n");
    EXPECT_EQ(found(), 2048u);
}

}  // namespace
}  // namespace pawl::db::cluster
