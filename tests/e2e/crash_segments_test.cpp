// The program is killed while it opens a segment, and before and after it seals one. The next start
// continues: every event is found again wherever it is, and every segment is sealed but the newest.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

class CrashSegments : public ::testing::TestWithParam<const char*> {
  protected:
    static constexpr int events = 24;

    std::string config_with_small_segments() {
        const std::string copy = copied_config(folder);
        const std::string path = copy + "/pawl.toml";
        std::ifstream in(path);
        std::string text((std::istreambuf_iterator<char>(in)), {});
        const std::string set = "segment_events = 3000000";
        const std::size_t at = text.find(set);
        EXPECT_NE(at, text.npos);
        std::ofstream(path) << text.replace(at, set.size(), "segment_events = 10");
        return copy;
    }
    // The acknowledged ones; the others are redelivered later.
    int deliver_all(Server& server) {
        int duplicates = 0;
        for (int n = 0; n < events; ++n) {
            DemoSender sender(server.port());
            const auto answer = sender.send({.id = "e" + std::to_string(n)});
            if (answer.status != 200) continue;
            if (answer.body.find("\"duplicate\":true") != std::string::npos) ++duplicates;
        }
        return duplicates;
    }
    std::string unsealed() {
        return database.value("SELECT count(*) FROM segments WHERE sealed_at IS NULL");
    }
    std::string segments() { return database.value("SELECT max(segment) FROM segments"); }

    Folder folder;
    TestDatabase database;
};

TEST_P(CrashSegments, LeaveEveryEventOneRowAndOneCredit) {
    Server server({.data_dir = folder / "data",
                   .database_url = database.url(),
                   .config = config_with_small_segments(),
                   .faults = std::string(GetParam()) + "=kill"});
    server.start();
    deliver_all(server);
    ASSERT_TRUE(server.ended_within(std::chrono::seconds(60))) << "it was not killed";
    EXPECT_EQ(server.how_it_ended(), "killed by signal 9 (SIGKILL)");

    server.options().faults.clear();
    server.start();
    deliver_all(server);
    EXPECT_EQ(deliver_all(server), events);
    EXPECT_TRUE(eventually([&] { return segments() != "1" && unsealed() == "1"; },
                           std::chrono::seconds(60)));
    EXPECT_EQ(deliver_all(server), events);
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_intents"), std::to_string(events));
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), std::to_string(events));
    EXPECT_EQ(database.value("SELECT sum(amount) FROM balances"), std::to_string(100 * events));
}

INSTANTIATE_TEST_SUITE_P(At, CrashSegments,
                         ::testing::Values("segment_opened", "segment_before_seal",
                                           "segment_sealed"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace pawl::testing
