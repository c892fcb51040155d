// Commits that a server has recorded outside the database, compared with a database that may have
// lost them. A restore is a deletion of the newest rows, which is what a database from before them
// looks like.
#include "intents/verify/loss_watch.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "access/pauses.hpp"
#include "db/chain/writer.hpp"
#include "intents/accept/accept.hpp"
#include "intents/queries/installation.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"
#include "tests/support/scratch.hpp"

namespace pawl::intents {
namespace {

namespace fs = std::filesystem;

class LostCommitsOf : public ::testing::Test {
  protected:
    LostCommitsOf() {
        std::string made = testing::scratch_root() + "/pawl-lost-XXXXXX";
        folder = mkdtemp(made.data());
        db::Session claiming = database.session();
        adopt_mode(claiming, Mode::live, ModeChange::allowed);
    }
    ~LostCommitsOf() override { fs::remove_all(folder); }

    std::string in(const std::string& data_dir) {
        fs::create_directories(folder + "/" + data_dir);
        return folder + "/" + data_dir;
    }
    // A server with that data directory; it ends with its session.
    db::Session server(const std::string& data_dir, const testing::TestDatabase& of) {
        const auto keys = chain::Keys::from({std::string(32, 'k')}).value();
        auto writer = std::make_shared<db::ChainWriter>(in(data_dir), keys);
        db::SessionOptions options = of.options();
        options.chain = writer;
        db::Session session(options);
        writer->set_database(installation_id(session));
        return session;
    }
    db::Session server(const std::string& data_dir) { return server(data_dir, database); }
    static void credit(db::Session& session, const std::string& name) {
        testing::commit(session,
                        {testing::deliver({testing::event({.id = name, .effect = name})})});
    }
    static std::size_t lost(db::Session& session) { return uncovered_losses(session).size(); }
    // Back to a database that has no row above these numbers.
    void restore(int transfers, int audit) {
        database.run("DELETE FROM transfers WHERE id > " + std::to_string(transfers) +
                     "; DELETE FROM audit_log WHERE audit_id > " + std::to_string(audit));
    }

    testing::TestDatabase database;
    std::string folder;
};

TEST_F(LostCommitsOf, AnIntactDatabaseAreNone) {
    db::Session one = server("a");
    EXPECT_EQ(lost(one), 0U) << "nothing was recorded";
    credit(one, "e1");
    access::pause(one, "demo", "ana", "a test");
    EXPECT_EQ(lost(one), 0U);
}

TEST_F(LostCommitsOf, ARestoredDatabaseAreFound) {
    {
        db::Session one = server("a");
        credit(one, "e1");
        credit(one, "e2");
    }
    restore(1, 0);
    db::Session next = server("a");
    EXPECT_EQ(lost(next), 1U);
    db::Session new_machine = server("b");
    EXPECT_EQ(lost(new_machine), 0U) << "it has recorded nothing";
}

TEST_F(LostCommitsOf, TheAuditLogAreFound) {
    {
        db::Session one = server("a");
        access::pause(one, "demo", "ana", "a test");
    }
    restore(0, 0);
    db::Session next = server("a");
    EXPECT_EQ(lost(next), 1U);
}

// The numbers of lost rows are given again.
TEST_F(LostCommitsOf, ADatabaseThatWroteOnAreFoundBehindOtherRowsOfTheirNumbers) {
    {
        db::Session one = server("a");
        credit(one, "e1");
        credit(one, "e2");
    }
    restore(1, 0);
    database.run("SELECT setval('transfers_id_seq', 1)");
    db::Session other = server("b");
    credit(other, "e3");
    ASSERT_EQ(database.value("SELECT string_agg(id::text, ' ') FROM transfers"), "1 2");
    db::Session next = server("a");
    EXPECT_EQ(lost(next), 1U);
}

// A head is written after its commit: kill -9 between the two, or a power cut, leaves it behind.
TEST_F(LostCommitsOf, ADatabaseAheadOfItsRecordAreNone) {
    const fs::path heads = in("a") + "/heads.1", kept = folder + "/kept";
    {
        db::Session one = server("a");
        credit(one, "e1");
        fs::copy_file(heads, kept);
        credit(one, "e2");
    }
    fs::copy_file(kept, heads, fs::copy_options::overwrite_existing);
    db::Session next = server("a");
    EXPECT_EQ(lost(next), 0U);
}

TEST_F(LostCommitsOf, TwoServersAndTheirCommandsAreNone) {
    db::Session one = server("a"), two = server("b"), command = server("a");
    for (const char* name : {"1", "2", "3"}) {
        credit(one, std::string("one") + name);
        credit(two, std::string("two") + name);
        access::pause(command, std::string("p") + name, "ana", "a test");
        EXPECT_EQ(lost(one) + lost(two) + lost(command), 0U);
    }
}

TEST_F(LostCommitsOf, ARolledBackTransactionAreNone) {
    {
        db::Session one = server("a");
        credit(one, "e1");
        const std::vector<Submission> submissions{
            testing::deliver({testing::event({.id = "never", .effect = "never"})})};
        db::Transaction transaction(one);
        accept(transaction, {&submissions[0]}, SystemClock().now());
    }
    db::Session next = server("a");
    EXPECT_EQ(lost(next), 0U);
}

TEST_F(LostCommitsOf, AnotherDatabaseAreNone) {
    {
        db::Session one = server("a");
        credit(one, "e1");
    }
    const testing::TestDatabase fresh;
    db::Session claiming = fresh.session();
    adopt_mode(claiming, Mode::live, ModeChange::allowed);
    db::Session elsewhere = server("a", fresh);
    EXPECT_EQ(lost(elsewhere), 0U);
}

TEST_F(LostCommitsOf, ADatabaseAreFoundAgainAfterASecondLossOnly) {
    {
        db::Session one = server("a");
        credit(one, "e1");
        credit(one, "e2");
    }
    restore(1, 0);
    {
        db::Session begun = server("a");
        ASSERT_EQ(lost(begun), 1U);
        access::begin_recovery(begun, {"ana", "restored"});
        EXPECT_EQ(lost(begun), 0U);
        access::end_recovery(begun, "ana", "all is compared");
    }
    {
        db::Session next = server("a");
        EXPECT_EQ(lost(next), 0U) << "it is dealt with";
        credit(next, "e3");
        EXPECT_EQ(lost(next), 0U);
    }
    restore(1, 2);
    db::Session again = server("a");
    EXPECT_EQ(lost(again), 1U);
}

// A failover under it: its next commit is chained behind a link that was lost.
TEST_F(LostCommitsOf, AServerThatRunsOnMakeItBeginTheRecoveryOnce) {
    db::Session one = server("a");
    const jobs::Chore chore = loss_chore();
    const auto step = [&] { chore.step(one, SystemClock().now()); };
    const auto begun_by = [&] {
        return database.value("SELECT coalesce(string_agg(began_by, ' '), 'none') FROM recoveries");
    };
    credit(one, "e1");
    credit(one, "e2");
    step();
    credit(one, "e3");
    step();
    EXPECT_EQ(begun_by(), "none");
    restore(2, 0);
    credit(one, "e4");
    step();
    EXPECT_EQ(begun_by(), "server");
    const auto first = access::last_recovery(one);
    step();
    credit(one, "e5");
    step();
    EXPECT_EQ(access::last_recovery(one)->began_at, first->began_at) << "it is not restarted";
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log"), "1");
}

// Its next commit replaces the head that names the loss, so that the connection is judged first.
TEST_F(LostCommitsOf, AFailoverBeginTheRecoveryBeforeTheNextCommit) {
    const auto keys = chain::Keys::from({std::string(32, 'k')}).value();
    db::SessionOptions options = database.options();
    options.chain = std::make_shared<db::ChainWriter>(in("a"), keys);
    db::Session naming = database.session();
    options.chain->set_database(installation_id(naming));
    options.on_connect = recover_if_lost;
    db::Session one(options);
    credit(one, "e1");
    credit(one, "e2");
    one.disconnect();
    credit(one, "e3");
    EXPECT_FALSE(access::last_recovery(one)) << "nothing is lost";
    restore(2, 0);
    one.disconnect();
    credit(one, "e4");
    const auto begun = access::last_recovery(one);
    ASSERT_TRUE(begun);
    EXPECT_EQ(begun->began_by, "server");
    EXPECT_LT(begun->recorded_to, begun->began_at);
    one.disconnect();
    credit(one, "e5");
    EXPECT_EQ(access::last_recovery(one)->began_at, begun->began_at) << "it is not restarted";
}

// The clock of the machine that recorded the loss is ahead of the database's.
TEST_F(LostCommitsOf, AClockThatWasAheadAreCoveredByTheRecovery) {
    db::Session begun = server("a");
    const auto covered = SystemClock().now() + std::chrono::hours(1);
    access::begin_recovery(begun, {.principal = "ana", .reason = "restored", .lost_to = covered});
    EXPECT_EQ(access::last_recovery(begun)->covers_to, covered);
}

}  // namespace
}  // namespace pawl::intents
