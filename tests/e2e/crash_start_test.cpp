// Killed while it starts, while it migrates and while it idles, at moments drawn by chance: it
// comes up each time, and what was promised is there. PAWL_E2E_SEED repeats a run; PAWL_E2E_KILLS
// sets how many.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <thread>

#include "base/rng.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* given = std::getenv(variable);
    return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

enum class Victim { pawl, postgres, both };

void kill_some(Server& server, Victim victim) {
    const pid_t postmaster = server.postmaster();
    if (victim != Victim::pawl && postmaster > 0) kill(postmaster, SIGKILL);
    if (victim != Victim::postgres) server.kill_now();
}

class CrashStart : public ::testing::Test {
  protected:
    // Each accepted once, ever: they must be there after every kill that follows.
    void deliver_one(Server& server) {
        DemoSender sender(server.port());
        const Payment payment{.id = "e" + std::to_string(++sent)};
        EXPECT_TRUE(eventually([&] { return sender.send(payment).status == 200; }))
            << "it is up and accepts nothing";
        EXPECT_EQ(ask(server.embedded_url(), "SELECT amount FROM balances"),
                  std::to_string(100 * sent));
    }

    Folder folder;
    int sent = 0;
};

TEST_F(CrashStart, AtRandomMomentsItComesUpEachTime) {
    const auto seed = number_from("PAWL_E2E_SEED", SecureRng().next());
    const auto kills = number_from("PAWL_E2E_KILLS", 8);
    std::printf("  PAWL_E2E_SEED=%llu\n", static_cast<unsigned long long>(seed));
    SeededRng rng(seed);
    Server server({.data_dir = folder / "data"});
    for (std::uint64_t i = 0; i < kills; ++i) {
        const milliseconds moment(rng.below(1500));
        const auto victim = static_cast<Victim>(rng.below(3));
        SCOPED_TRACE("kill " + std::to_string(i) + " after " + std::to_string(moment.count()) +
                     " ms, victim " + std::to_string(static_cast<int>(victim)));
        server.spawn();
        // The moment is the point of it: nothing to wait for.
        std::this_thread::sleep_for(moment);
        kill_some(server, victim);
        if (!server.running()) server.spawn();
        // A postgres that dies under a pawl that starts may end that start, with a sentence.
        if (!server.up_within(patience)) {
            EXPECT_EQ(victim, Victim::postgres) << server.how_it_ended();
            EXPECT_EQ(server.how_it_ended(), "exited with 3");
            server.start();
        }
        deliver_one(server);
        kill_some(server, Victim::both);
    }
}

// Killed before each of its migrations in turn: the next start continues there.
TEST_F(CrashStart, KilledInItsMigrationsItContinuesWithTheNextOne) {
    int interrupted = 0;
    Server server({.data_dir = folder / "data"});
    server.options().faults = "before_migration=kill@2";
    for (;;) {
        server.spawn();
        if (server.up_within(patience)) break;
        EXPECT_EQ(server.how_it_ended(), "killed by signal 9 (SIGKILL)");
        ASSERT_LT(++interrupted, 30) << "its migrations never end";
    }
    EXPECT_GE(interrupted, 2);
    deliver_one(server);
}

TEST_F(CrashStart, KilledBetweenInitdbAndItsRenameItBeginsAgain) {
    Server server({.data_dir = folder / "data"});
    server.options().faults = "embedded_after_initdb_before_rename=kill";
    server.spawn();
    EXPECT_FALSE(server.up_within(patience));
    server.options().faults.clear();
    server.start();
    deliver_one(server);
}

}  // namespace
}  // namespace pawl::testing
