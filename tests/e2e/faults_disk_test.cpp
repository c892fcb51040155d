// A full disk under the database: 503, no acknowledged event is lost, and service resumes when
// there is room again. The tests also run without the right to mount: there the database's own
// writes fail with ENOSPC.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "db/embedded/programs.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

constexpr int disk_mb = 260;  // a new cluster has about 100 MB, and a few WAL segments more

// Whatever is left of a disk, taken.
class Filled {
  public:
    explicit Filled(std::string path) : path_(std::move(path)) {
        const process::Fd file(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        const std::string part(64 * 1024, 'x');
        while (write(file.get(), part.data(), part.size()) > 0) {
        }
    }
    ~Filled() { unlink(path_.c_str()); }
    Filled(const Filled&) = delete;
    Filled& operator=(const Filled&) = delete;

  private:
    std::string path_;
};

std::string large_body(const std::string& id) {
    std::string body = body_of({.id = id});
    body.resize(200 * 1024, ' ');
    return body;
}

class FaultsDisk : public ::testing::Test {
  protected:
    void deliver(DemoSender& sender, const std::string& id) {
        const auto answer = sender.send_bytes(id, large_body(id));
        if (answer.status == 200) {
            promised.insert(id);
        } else {
            expect_unavailable(answer);
            ++refused;
        }
    }
    // Uses up the space that the database has reserved ahead.
    void deliver_until_refused(DemoSender& sender) {
        for (int i = 0; refused < 5 && i < 1000; ++i) deliver(sender, "full" + std::to_string(i));
        EXPECT_EQ(refused, 5) << "the disk never ran full";
    }
    void expect_service_and_what_was_promised(Server& server, DemoSender& sender) {
        EXPECT_TRUE(eventually([&] { return sender.send({.id = "room"}).status == 200; }));
        const std::string url = server.embedded_url();
        for (const std::string& id : promised) {
            EXPECT_EQ(ask(url, "SELECT outcome FROM webhook_intents WHERE event_id = '" + id + "'"),
                      "applied");
        }
        EXPECT_EQ(ask(url, "SELECT amount FROM balances"),
                  ask(url, "SELECT sum(amount) FROM transfers"));
    }

    Folder folder;
    std::set<std::string> promised;
    int refused = 0;
};

TEST_F(FaultsDisk, AFullDiskIsA503UntilThereIsRoomAgain) {
    const SmallDisk disk(folder / "disk", disk_mb);
    if (!disk.mounted()) {  // the test below is the same without a mount
        std::printf("  without the right to mount: only files that cannot grow are tried\n");
        return;
    }
    Server server({.data_dir = folder / "disk/data"});
    server.start();
    DemoSender sender(server.port());
    {
        const Filled filled(folder / "disk/filler");
        deliver_until_refused(sender);
    }
    expect_service_and_what_was_promised(server, sender);
}

// A folder of PostgreSQL's programs, of which `postgres` is started with the preloaded library,
// which watches `sign`.
std::string programs_on_a_full_disk(const Folder& folder, const std::string& sign) {
    const auto real = db::cluster::newest_programs(options_for(folder.path()));
    EXPECT_TRUE(real.ok());
    const std::string bin = folder / "bin";
    const std::string library = folder / "full_disk.so";  // where PostgreSQL's user may read it
    std::filesystem::create_directory(bin);
    std::filesystem::copy_file(PAWL_FULL_DISK_LIBRARY, library);
    for (const auto& program : std::filesystem::directory_iterator(real->bin)) {
        const std::string name = program.path().filename().string();
        if (name != "postgres") std::filesystem::create_symlink(program, bin + "/" + name);
    }
    write_text(bin + "/postgres", "#!/bin/sh\nexport LD_PRELOAD=" + library +
                                      " PAWL_TEST_FULL_DISK=" + sign + "\nexec " + real->bin +
                                      "/postgres \"$@\"\n");
    for (const std::string& all : {bin, library, bin + "/postgres"}) chmod(all.c_str(), 0755);
    return bin;
}

TEST_F(FaultsDisk, ADatabaseWhoseFilesCannotGrowIsA503UntilTheyCan) {
    const std::string sign = folder / "the disk is full";
    const std::string bin = programs_on_a_full_disk(folder, "'" + sign + "'");
    Server server({.data_dir = folder / "data", .variables = {"PAWL_PG_BIN=" + bin}});
    server.start();
    DemoSender sender(server.port());
    ASSERT_EQ(sender.send({.id = "first"}).status, 200);
    write_text(sign, "");
    deliver_until_refused(sender);
    const std::string log = read_text(folder / "data/postgres.log");
    EXPECT_NE((log + server.said()).find("No space left on device"), std::string::npos);
    unlink(sign.c_str());
    expect_service_and_what_was_promised(server, sender);
}

}  // namespace
}  // namespace pawl::testing
