// A full disk under the database: 503, nothing promised that is not there, and service resumes when
// there is room again. Needs the right to mount.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

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

TEST(FaultsDisk, AFullDiskIsA503UntilThereIsRoomAgain) {
    const Folder folder;
    const SmallDisk disk(folder / "disk", disk_mb);
    if (!disk.mounted()) GTEST_SKIP() << "only root may mount: the full disk was NOT tried";
    Server server({.data_dir = folder / "disk/data"});
    server.start();
    DemoSender sender(server.port());
    std::set<std::string> promised;
    int refused = 0;
    const auto deliver = [&](const std::string& id) {
        const auto answer = sender.send_bytes(id, large_body(id));
        if (answer.status == 200) {
            promised.insert(id);
        } else {
            expect_unavailable(answer);
            ++refused;
        }
    };
    {
        const Filled filled(folder / "disk/filler");
        // What the database has reserved ahead is used up first.
        for (int i = 0; refused < 5 && i < 1000; ++i) deliver("full" + std::to_string(i));
    }
    EXPECT_EQ(refused, 5) << "the disk never ran full";
    EXPECT_TRUE(eventually([&] { return sender.send({.id = "room"}).status == 200; }));
    const std::string url = server.embedded_url();
    for (const std::string& id : promised) {
        EXPECT_EQ(ask(url, "SELECT outcome FROM webhook_intents WHERE event_id = '" + id + "'"),
                  "applied");
    }
    EXPECT_EQ(ask(url, "SELECT amount FROM balances"),
              ask(url, "SELECT sum(amount) FROM transfers"));
}

}  // namespace
}  // namespace pawl::testing
