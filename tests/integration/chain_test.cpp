// The hash chains of journal and audit log: books that only Pawl wrote verify, despite crashes and
// concurrent processes; each kind of tampering is detected, and named.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "access/pauses.hpp"
#include "db/chain/writer.hpp"
#include "intents/accept/accept.hpp"
#include "intents/verify/accepted.hpp"
#include "intents/verify/chain_keys.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"
#include "tests/support/scratch.hpp"

namespace pawl::intents {
namespace {

namespace fs = std::filesystem;

const std::string one_key(32, 'a');
const std::string other_key(32, 'b');

chain::Keys keys(const std::vector<std::string>& secrets = {one_key}) {
    return chain::Keys::from(secrets).value();
}

class Chain : public ::testing::Test {
  protected:
    Chain() {
        std::string made = testing::scratch_root() + "/pawl-chain-XXXXXX";
        folder = mkdtemp(made.data());
    }
    ~Chain() override { fs::remove_all(folder); }

    db::SessionOptions options(const std::shared_ptr<db::ChainWriter>& writer) const {
        db::SessionOptions made = database.options();
        made.finds_by_key = false;
        made.chain = writer;
        return made;
    }
    // Another process, at the same time as the first or after it.
    std::shared_ptr<db::ChainWriter> process(const std::vector<std::string>& secrets = {one_key}) {
        return std::make_shared<db::ChainWriter>(folder, keys(secrets));
    }
    // Commits of three credits each.
    void credits(db::Session& session, const std::string& run, int commits) {
        for (int commit = 0; commit < commits; ++commit) {
            const std::string name = run + std::to_string(commit);
            std::vector<providers::Event> events;
            for (const char* part : {"x", "y", "z"}) {
                events.push_back(testing::event(
                    {.id = name + part, .effect = name + part, .account = "user:" + run}));
            }
            testing::commit(session, {testing::deliver(std::move(events))});
        }
    }
    Proof proof(db::Session& session, Depth depth) { return prove(session, depth); }
    std::string breaches(db::Session& session, Depth depth, const std::string& invariant) {
        std::string all;
        for (const Invariant& one : prove(session, depth).invariants) {
            if (one.name != invariant) continue;
            for (const Breach& breach : one.breaches) {
                all += breach.subject + ": " + breach.what + "\n";
            }
        }
        return all;
    }
    std::string found(db::Session& session, Depth depth) {
        return breaches(session, depth, "transfers_chain_is_unbroken") +
               breaches(session, depth, "audit_chain_is_unbroken");
    }

    testing::TestDatabase database;
    std::string folder;
};

// Two committers whose commits alternate, and entries of the audit log.
class ChainedBooks : public Chain {
  protected:
    ChainedBooks() {
        for (int round = 0; round < 3; ++round) {
            credits(first, "a" + std::to_string(round), 1);
            credits(second, "b" + std::to_string(round), 2);
            access::pause(first, "demo", "ana", "a test");
            access::resume(first, "demo", "bob", "the test is over");
        }
    }
    std::shared_ptr<db::ChainWriter> writer = process();
    db::Session first{options(writer)};
    std::shared_ptr<db::ChainWriter> beside = process();
    db::Session second{options(beside)};
};

TEST_F(ChainedBooks, HoldAtEachDepth) {
    EXPECT_EQ(found(first, Depth::since_last_proof), "");
    EXPECT_EQ(found(first, Depth::deep), "");
    EXPECT_TRUE(holds(prove(first, Depth::since_last_proof).invariants));
    EXPECT_EQ(database.value("SELECT count(DISTINCT chain_prev) || ' ' || count(chain_hash) || ' ' "
                             "|| count(*) FROM transfers"),
              "9 9 27")
        << "one link a commit";
}

TEST_F(ChainedBooks, AreReadOnceAndThenFromTheProvenPoint) {
    const Proof whole = prove(first, Depth::since_last_proof);
    EXPECT_EQ(to_text(whole.ranges[0]), "transfers 1 to 27 (27 rows)");
    EXPECT_EQ(to_text(whole.ranges[1]), "audit_log 1 to 6 (6 rows)");
    credits(second, "new", 2);
    const Proof rest = prove(first, Depth::since_last_proof);
    EXPECT_TRUE(holds(rest.invariants));
    EXPECT_EQ(rest.ranges[0].after, 27);
    EXPECT_EQ(rest.ranges[0].rows, 6);
    EXPECT_EQ(rest.ranges[1].rows, 0);
    EXPECT_TRUE(rest.ranges[0].proven_at);
    EXPECT_EQ(prove(first, Depth::deep).ranges[0].rows, 33);
    EXPECT_EQ(prove(first, Depth::since_last_proof).ranges[0].rows, 0);
}

TEST_F(ChainedBooks, AProvenPointThatAnotherKeyWroteCountsAsNone) {
    prove(first, Depth::since_last_proof);
    std::fstream file(folder + "/proven", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(12);
    file.put('\x7f');
    file.close();
    EXPECT_EQ(prove(first, Depth::since_last_proof).ranges[0].rows, 27);
}

struct Tampering {
    const char* name;
    const char* sql;
    const char* table;  // whose chain breaks
    const char* named;  // in what is found
};

void PrintTo(const Tampering& tampering, std::ostream* out) {
    *out << tampering.name;
}

class ChainFinds : public ChainedBooks, public ::testing::WithParamInterface<Tampering> {
  protected:
    void expect_found(Depth depth) {
        const std::string invariant = std::string(GetParam().table) + "_chain_is_unbroken";
        const std::string what = breaches(second, depth, invariant);
        EXPECT_NE(what.find(GetParam().named), std::string::npos) << what;
    }
};

TEST_P(ChainFinds, ChangedRows) {
    database.run(GetParam().sql);
    expect_found(Depth::since_last_proof);
    expect_found(Depth::deep);
    EXPECT_FALSE(holds(prove(second, Depth::since_last_proof).invariants))
        << "a proof with a breach must not move the proven point";
}

TEST_P(ChainFinds, ChangedProvenRowsInADeepVerification) {
    ASSERT_TRUE(holds(prove(first, Depth::since_last_proof).invariants));
    database.run(GetParam().sql);
    expect_found(Depth::deep);
}

TEST_P(ChainFinds, ChangedRowsDuringWrites) {
    database.run(GetParam().sql);
    credits(first, "later", 2);
    credits(second, "later-too", 2);
    access::pause(first, "other", "ana", "a test");
    EXPECT_NE(breaches(second, Depth::deep, std::string(GetParam().table) + "_chain_is_unbroken"),
              "");
}

// Each attack is a superuser's, and leaves the sums of all balances as they are where it can.
INSTANTIATE_TEST_SUITE_P(
    Each, ChainFinds,
    ::testing::Values(
        Tampering{"an_amount_edited", "UPDATE transfers SET amount = amount + 1 WHERE id = 5",
                  "transfers", "transfers 4 to 6: link 1 of chain"},
        Tampering{"an_account_edited",
                  "UPDATE transfers SET credit_account = 'user:mallory' WHERE id = 11", "transfers",
                  "transfers 10 to 12: link 2 of chain"},
        Tampering{"a_time_edited",
                  "UPDATE transfers SET posted_at = posted_at - interval '1 day' WHERE id = 1",
                  "transfers", "transfers 1 to 3: link 1 of chain"},
        Tampering{"a_null_filled",
                  "UPDATE transfers SET payment_key = 'demo/capture/1' WHERE id = 1", "transfers",
                  "does not fit: edited or swapped"},
        Tampering{"contents_swapped",
                  "UPDATE transfers t SET event_id = o.event_id FROM transfers o "
                  "WHERE (t.id, o.id) IN ((1, 2), (2, 1))",
                  "transfers", "transfers 1 to 3: link 1 of chain"},
        Tampering{"numbers_swapped_within_a_commit",
                  "UPDATE transfers SET id = -1 WHERE id = 1; UPDATE transfers SET id = 1 "
                  "WHERE id = 2; UPDATE transfers SET id = 2 WHERE id = -1",
                  "transfers", "transfers 1 to 3: link 1 of chain"},
        Tampering{"numbers_swapped_between_commits_of_two_chains",
                  "UPDATE transfers SET id = -1 WHERE id = 2; UPDATE transfers SET id = 2 "
                  "WHERE id = 5; UPDATE transfers SET id = 5 WHERE id = -1",
                  "transfers", "got another number"},
        Tampering{"inserted_without_a_link",
                  "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, "
                  "amount, posted_at, provider, event_id) VALUES ('demo/minted', 'demo:clearing', "
                  "'user:m', 'USD', 5, now(), 'demo', 'minted')",
                  "transfers",
                  "transfer 28: is in no chain: inserted, or written by a server without"},
        Tampering{"inserted_below_the_first",
                  "INSERT INTO transfers (id, effect_key, debit_account, credit_account, currency, "
                  "amount, posted_at, provider, event_id) VALUES (-7, 'demo/minted', "
                  "'demo:clearing', 'user:m', 'USD', 5, now(), 'demo', 'minted')",
                  "transfers", "-7"},
        Tampering{"inserted_with_a_copied_mark",
                  "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, "
                  "amount, posted_at, provider, event_id, chain_prev) SELECT 'demo/minted', "
                  "debit_account, credit_account, currency, amount, posted_at, provider, 'minted', "
                  "chain_prev FROM transfers WHERE id = 9",
                  "transfers", "transfer 28: has no link: inserted"},
        Tampering{"inserted_with_a_copied_link",
                  "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, "
                  "amount, posted_at, provider, event_id, chain_prev, chain_hash) SELECT "
                  "'demo/minted', debit_account, credit_account, currency, amount, posted_at, "
                  "provider, 'minted', chain_prev, chain_hash FROM transfers WHERE id = 9",
                  "transfers", "transfer 28: repeats link 2"},
        Tampering{"a_row_cut", "DELETE FROM transfers WHERE id = 4", "transfers",
                  "was written with 3 rows and has 2: rows were cut"},
        Tampering{"the_row_with_the_link_cut", "DELETE FROM transfers WHERE id = 6", "transfers",
                  "lacks link 1, before"},
        Tampering{"a_commit_cut", "DELETE FROM transfers WHERE id BETWEEN 7 AND 9", "transfers",
                  "lacks link 2, before"},
        Tampering{"the_tail_cut", "DELETE FROM transfers WHERE id > 24", "transfers",
                  "rows were cut from its end"},
        Tampering{"a_chain_dropped", "DELETE FROM transfers WHERE credit_account LIKE 'user:b%'",
                  "transfers", "is missing: its head outside the database"},
        Tampering{"everything_dropped", "TRUNCATE transfers", "transfers", "is missing"},
        Tampering{"a_link_taken_off",
                  "UPDATE transfers SET chain_prev = NULL, chain_hash = NULL WHERE id BETWEEN 25 "
                  "AND 27",
                  "transfers", "transfers 25 to 27: are in no chain"},
        Tampering{"a_link_forged",
                  "UPDATE transfers SET chain_hash = set_byte(chain_hash, 40, 255 - "
                  "get_byte(chain_hash, 40)) WHERE id = 27",
                  "transfers", "edited or swapped"},
        Tampering{"a_reason_edited", "UPDATE audit_log SET reason = 'fine' WHERE audit_id = 2",
                  "audit", "audit entry 2: link 2 of chain"},
        Tampering{"an_entry_of_another_time",
                  "UPDATE audit_log SET at = at - interval '1 hour' WHERE audit_id = 3", "audit",
                  "audit entry 3 got another number"},
        Tampering{"the_last_entry_of_another_time",
                  "UPDATE audit_log SET at = at - interval '1 hour' WHERE audit_id = 6", "audit",
                  "audit entry 6 got another number or time"},
        Tampering{"details_edited",
                  "UPDATE audit_log SET details = '{\"act_id\":\"x\"}' WHERE audit_id = 1", "audit",
                  "edited or swapped"},
        Tampering{"an_entry_cut", "DELETE FROM audit_log WHERE audit_id = 4", "audit",
                  "lacks link 4, before audit entry 5"},
        Tampering{"the_last_entry_cut", "DELETE FROM audit_log WHERE audit_id = 6", "audit",
                  "rows were cut from its end"},
        Tampering{"all_entries_cut", "DELETE FROM audit_log", "audit", "is missing"},
        Tampering{"an_entry_inserted",
                  "INSERT INTO audit_log (principal, action, subject, reason) VALUES ('ana', "
                  "'intent.post', 'demo/x', 'because')",
                  "audit", "audit entry 7: is in no chain"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Rows that a proof has read must still exist at the next one, also without any head.
TEST_F(ChainedBooks, ATailThatWasProvenIsMissedWithoutItsHeads) {
    ASSERT_TRUE(holds(prove(first, Depth::since_last_proof).invariants));
    fs::remove(folder + "/heads.1");
    database.run("DELETE FROM transfers WHERE id > 24");
    EXPECT_NE(found(first, Depth::since_last_proof).find("which an earlier proof has seen"),
              std::string::npos);
}

TEST_F(ChainedBooks, AHeadThatWasDamagedIsNamed) {
    std::fstream file(folder + "/heads.1", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(60);
    file.put('\x7f');
    file.close();
    EXPECT_NE(found(first, Depth::deep).find("heads.1, slot 0: holds no head"), std::string::npos);
}

TEST_F(Chain, IsContinuedByTheNextProcessWhichNamesIt) {
    {
        const auto writer = process();
        db::Session session(options(writer));
        credits(session, "one", 2);
        access::pause(session, "demo", "ana", "a test");
    }
    const auto writer = process();
    db::Session session(options(writer));
    EXPECT_EQ(found(session, Depth::since_last_proof), "");
    access::resume(session, "demo", "ana", "a test");  // else what follows stays pending
    credits(session, "two", 2);
    EXPECT_EQ(found(session, Depth::since_last_proof), "");
    EXPECT_EQ(found(session, Depth::deep), "");
    database.run("DELETE FROM transfers WHERE credit_account = 'user:one'");
    EXPECT_NE(found(session, Depth::deep).find("which continues it from transfer"),
              std::string::npos);
}

// As after kill -9 between a commit and its head, or a power cut: the file is older than the rows.
TEST_F(Chain, HeadThatLagsBehindIsNotABreach) {
    fs::path lagging = folder + "/heads.1", kept = folder + "/kept";
    {
        const auto writer = process();
        db::Session session(options(writer));
        credits(session, "one", 2);
        fs::copy_file(lagging, kept);
        credits(session, "two", 3);
    }
    fs::copy_file(kept, lagging, fs::copy_options::overwrite_existing);
    const auto writer = process();
    db::Session session(options(writer));
    EXPECT_EQ(found(session, Depth::since_last_proof), "");
    credits(session, "three", 2);
    EXPECT_EQ(found(session, Depth::since_last_proof), "");
    EXPECT_EQ(found(session, Depth::deep), "");
}

TEST_F(Chain, StandsAsBeforeWhereATransactionIsRolledBack) {
    const auto writer = process();
    db::Session session(options(writer));
    credits(session, "one", 1);
    for (int round = 0; round < 2; ++round) {
        const std::vector<Submission> submissions{
            testing::deliver({testing::event({.id = "lost", .effect = "lost"})})};
        db::Transaction transaction(session);
        accept(transaction, {&submissions[0]}, SystemClock().now());
    }
    credits(session, "two", 2);
    EXPECT_EQ(found(session, Depth::deep), "");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "9");
}

// The COMMIT landed, and its answer did not arrive: the next commit begins another chain.
TEST_F(Chain, IsContinuedByAnotherWhereACommitIsInDoubt) {
    const auto writer = process();
    db::Session session(options(writer));
    access::pause(session, "demo", "ana", "a test");
    database.run(
        "CREATE SEQUENCE doubts; CREATE FUNCTION doubt() RETURNS trigger LANGUAGE plpgsql "
        "SECURITY DEFINER SET search_path = pawl, public, pg_temp AS $$ BEGIN "
        "IF nextval('doubts') = 1 THEN RAISE WARNING 'the answer is lost'; END IF; "
        "RETURN NULL; END $$; "
        "CREATE CONSTRAINT TRIGGER doubt AFTER INSERT ON audit_log DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION doubt()");
    access::resume(session, "demo", "ana", "a test");
    access::pause(session, "demo", "ana", "again");
    EXPECT_EQ(database.value("SELECT last_value FROM doubts"), "2");
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log"), "3");
    EXPECT_EQ(found(session, Depth::deep), "");
}

TEST_F(Chain, HasOnlyTheChainsThatRunAtOnce) {
    const auto writer = process();
    for (int i = 0; i < 5; ++i) {
        db::Session session(options(writer));
        credits(session, "run" + std::to_string(i), 2);
    }
    EXPECT_EQ(fs::file_size(folder + "/heads.1"), 256U);
    db::Session session(options(writer));
    EXPECT_EQ(found(session, Depth::deep), "");
}

TEST_F(Chain, ConcurrentCommittersVerify) {
    const auto writer = process();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([this, &writer, i] {
            db::Session session(options(writer));
            for (int round = 0; round < 10; ++round) {
                credits(session, "t" + std::to_string(i) + "-" + std::to_string(round) + "-", 1);
                access::pause(session, "p" + std::to_string(i * 100 + round), "ana", "a test");
            }
        });
    }
    db::Session session(options(writer));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(found(session, Depth::since_last_proof), "");
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(found(session, Depth::since_last_proof), "");
    EXPECT_TRUE(holds(prove(session, Depth::deep).invariants));
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "120");
}

// Two processes of one data directory, as a server and a command.
TEST_F(Chain, TwoProcessesHaveSeparateFilesOfHeads) {
    const auto server = process(), command = process();
    db::Session serving(options(server)), commanding(options(command));
    credits(serving, "s", 2);
    credits(commanding, "c", 1);
    credits(serving, "t", 1);
    EXPECT_TRUE(fs::exists(folder + "/heads.2"));
    EXPECT_EQ(found(serving, Depth::deep), "");
    database.run("DELETE FROM transfers WHERE credit_account = 'user:c'");
    EXPECT_NE(found(serving, Depth::deep).find("heads.2"), std::string::npos);
}

TEST_F(Chain, LinksOfAnotherKeyAreDetectedAndAKeyCanBeReplaced) {
    {
        const auto writer = process();
        db::Session session(options(writer));
        credits(session, "one", 1);
    }
    {
        const auto stranger = process({other_key});
        db::Session session(options(stranger));
        const std::string said = found(session, Depth::deep);
        EXPECT_NE(said.find("is unknown here"), std::string::npos);
        EXPECT_EQ(unknown_chain_keys(session).size(), 1U);
    }
    const auto writer = process({other_key, one_key});
    db::Session session(options(writer));
    credits(session, "two", 1);
    EXPECT_EQ(found(session, Depth::deep), "");
    EXPECT_EQ(database.value("SELECT count(DISTINCT substring(chain_hash FROM 2 FOR 4)) FROM "
                             "transfers"),
              "2");
}

// A key that was replaced: the cause stands once for each table, with its remedy.
TEST_F(ChainedBooks, OfAnUnknownKeyIsNamedOnceWithTheRemedy) {
    const auto stranger = process({other_key});
    db::Session session(options(stranger));
    const std::string said = found(session, Depth::deep);
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
    for (const char* part : {"it signed 9 links of transfers, the first of transfers 1 to 3",
                             "links of audit_log", "PAWL_CHAIN_KEY=CURRENT,FORMER"}) {
        EXPECT_NE(said.find(part), std::string::npos) << said;
    }
    EXPECT_EQ(unknown_chain_keys(session).size(), 1U);
    EXPECT_EQ(unknown_chain_keys(first).size(), 0U);
}

TEST_F(Chain, RowsOfAServerWithoutItsKeyAreOneBreach) {
    const auto writer = process();
    db::Session session(options(writer));
    credits(session, "one", 1);
    db::Session without(options(nullptr));
    credits(without, "two", 2);
    EXPECT_EQ(unknown_chain_keys(without).size(), 1U) << "the rows have a key, the server has none";
    const std::string said = found(session, Depth::deep);
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_NE(said.find("transfers 4 to 9: are in no chain"), std::string::npos) << said;
    EXPECT_NE(said.find("server without the key"), std::string::npos) << said;
}

TEST_F(ChainedBooks, WithoutAHeadAreForAttention) {
    EXPECT_EQ(breaches(first, Depth::deep, "chain_heads_are_found"), "");
    for (const char* file : {"/heads.1", "/heads.2"}) fs::remove(folder + file);
    EXPECT_NE(breaches(first, Depth::deep, "chain_heads_are_found").find("holds no head"),
              std::string::npos);
    EXPECT_TRUE(holds(prove(first, Depth::deep).invariants));
}

TEST_F(Chain, OfAnEmptyDatabaseNeedsNoHead) {
    const auto writer = process();
    db::Session session(options(writer));
    EXPECT_EQ(breaches(session, Depth::deep, "chain_heads_are_found"), "");
}

// A failover lost commits, and the server ran on: the gap stays, and hides no other.
TEST_F(ChainedBooks, ABreakThatAnOperatorAcceptsIsSeenAndBreaksNothing) {
    database.run(
        "DELETE FROM transfers WHERE id > 24; DELETE FROM webhook_intents WHERE account = "
        "'user:b2' AND effect_key LIKE '%b21%'; UPDATE balances SET amount = 300 WHERE account = "
        "'user:b2'");
    credits(second, "more", 1);
    const Proof broken = prove(first, Depth::deep);
    EXPECT_FALSE(holds(broken.invariants));
    EXPECT_EQ(accept_breaks(first, broken, "ana", "the failover of today").value(), 1U);
    EXPECT_EQ(
        database.value("SELECT action || ': ' || reason FROM audit_log ORDER BY audit_id DESC "
                       "LIMIT 1"),
        "chain.accept: the failover of today");
    for (const Depth depth : {Depth::deep, Depth::since_last_proof}) {
        EXPECT_TRUE(holds(prove(first, depth).invariants));
    }
    EXPECT_NE(breaches(first, Depth::deep, "chain_break_accepted").find("lacks link 6"),
              std::string::npos);
    database.run("UPDATE transfers SET amount = amount + 1 WHERE id = 5");
    EXPECT_FALSE(holds(prove(first, Depth::deep).invariants));
}

// A writer of the database can chain rows under a key of its own.
TEST_F(ChainedBooks, RowsUnderAnUnknownKeyAreNotAcceptedUnlessTheKeyIsNamedAsLost) {
    {
        const auto stranger = process({other_key});
        db::Session session(options(stranger));
        credits(session, "forged", 1);
    }
    const Proof broken = prove(first, Depth::deep);
    ASSERT_FALSE(holds(broken.invariants));
    const auto refused = accept_breaks(first, broken, "ana", "a restore");
    ASSERT_FALSE(refused.ok());
    const std::string says = refused.error().message;
    EXPECT_NE(says.find("--lost-key"), std::string::npos) << says;
    EXPECT_EQ(database.value("SELECT count(*) FROM audit_log WHERE action = 'chain.accept'"), "0");
    EXPECT_FALSE(accept_breaks(first, broken, "ana", "a restore", {"00000000"}).ok());
    const std::string key = says.substr(10, 8);
    EXPECT_TRUE(accept_breaks(first, broken, "ana", "that key is lost", {key}).ok()) << key;
    EXPECT_TRUE(holds(prove(first, Depth::deep).invariants));
}

// The balances are proven by the same walk.
TEST_F(ChainedBooks, ABalanceThatIsNotTheSumOfItsTransfersIsFoundAtEachDepth) {
    ASSERT_TRUE(holds(prove(first, Depth::since_last_proof).invariants));
    const auto of_balances = [this](Depth depth) {
        return breaches(first, depth, "balance_is_sum_of_transfers");
    };
    database.run("UPDATE balances SET amount = amount + 1 WHERE account = 'user:a0'");
    for (const Depth depth : {Depth::since_last_proof, Depth::deep}) {
        EXPECT_EQ(of_balances(depth),
                  "user:a0 USD: the balance is 301, its transfers sum up to 300\n");
    }
    database.run("UPDATE balances SET amount = amount - 1 WHERE account = 'user:a0'");
    EXPECT_EQ(of_balances(Depth::since_last_proof), "");
    database.run("INSERT INTO balances VALUES ('ghost', 'USD', 5)");
    EXPECT_NE(of_balances(Depth::since_last_proof), "");
    database.run("DELETE FROM balances WHERE account IN ('ghost', 'user:b1')");
    EXPECT_NE(of_balances(Depth::since_last_proof).find("user:b1 USD: the balance is missing"),
              std::string::npos);
}

// A row whose number was drawn before the proof and whose transaction ends after it.
TEST_F(Chain, AProofWaitsForNumbersThatAreNotCommittedYet) {
    const auto writer = process();
    db::Session slow(options(writer)), fast(options(writer)), asking(options(writer));
    const std::vector<Submission> submissions{
        testing::deliver({testing::event({.id = "slow", .effect = "slow"})})};
    db::Transaction transaction(slow);
    accept(transaction, {&submissions[0]}, SystemClock().now());
    credits(fast, "fast", 1);
    Proof waited;
    std::thread proving([&] { waited = prove(asking, Depth::since_last_proof); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(9);
    while (std::chrono::steady_clock::now() < deadline &&
           database.value("SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                          "AND query LIKE '%virtualtransaction = ANY%'") == "0") {
    }
    transaction.commit();
    proving.join();
    EXPECT_TRUE(holds(waited.invariants));
    EXPECT_EQ(waited.ranges[0].rows, 4);
    EXPECT_TRUE(holds(prove(asking, Depth::since_last_proof).invariants));
}

}  // namespace
}  // namespace pawl::intents
