// `pawl import captures` as a command: previews, bad files, kills, exit codes.
#include "tests/e2e/import_case.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

class ServerImport : public ::testing::Test {
  protected:
    Ended import(const std::string& text, std::vector<std::string> more = {},
                 const std::string& faults = "") {
        const std::string file = folder / "captures.csv";
        write_text(file, text);
        std::vector<std::string> arguments = {"import", "captures", file};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return pawl(std::move(arguments), faults);
    }
    Ended pawl(std::vector<std::string> arguments, const std::string& faults = "") {
        return run_pawl(PAWL_PROGRAM, std::move(arguments),
                        {"PAWL_DATABASE_URL=" + database.url(), "PAWL_DATA_DIR=" + folder / "data",
                         "PAWL_CONFIG=" PAWL_SOURCE_DIR "/config", "PAWL_FAULTS=" + faults,
                         "PAWL_CHAIN_KEY=" + std::string(32, 'k')});
    }
    static std::string file_of(int payments) {
        std::string text = capture_header;
        for (int i = 0; i < payments; ++i) {
            text += "demo,p" + std::to_string(i) + ",user:" + std::to_string(i % 7) +
                    ",USD,100,10,2026-01-31T12:00:00Z\n";
        }
        return text;
    }
    std::string sum() { return database.value("SELECT coalesce(sum(amount), 0) FROM balances"); }

    Folder folder;
    TestDatabase database;
    const std::vector<std::string> apply = {"--apply", "--reason", "cut-over"};
};

TEST_F(ServerImport, ChangesNothingWithoutApply) {
    const Ended preview = import(file_of(3));
    EXPECT_EQ(preview.how, "exited with 0") << preview.said;
    EXPECT_NE(preview.said.find("would import 3, skipped 0, refused 0\nnothing was changed: add "
                                "--apply --reason TEXT to import\n"),
              std::string::npos)
        << preview.said;
    EXPECT_NE(preview.said.find("demo.toml: [read] time is missing"), std::string::npos)
        << preview.said;
    EXPECT_EQ(database.value("SELECT (SELECT count(*) FROM transfers) + (SELECT count(*) FROM "
                             "audit_log)"),
              "0");
}

TEST_F(ServerImport, IsRepeatedAfterAKillAndImportsEachPaymentOnce) {
    const Ended killed = import(file_of(450), apply, "import_before_commit=kill@2");
    EXPECT_EQ(killed.how, "killed by signal 9 (SIGKILL)") << killed.said;
    EXPECT_EQ(sum(), "18000");
    const Ended rest = import(file_of(450), apply);
    EXPECT_EQ(rest.how, "exited with 0") << rest.said;
    EXPECT_NE(rest.said.find("imported 250, skipped 200, refused 0"), std::string::npos)
        << rest.said;
    EXPECT_NE(rest.said.find("skipped line 201, demo/capture/p199: was imported before\n"),
              std::string::npos)
        << rest.said;
    EXPECT_EQ(sum(), "40500");
    EXPECT_EQ(database.value("SELECT count(*) || ' ' || count(DISTINCT effect_key) FROM transfers"),
              "900 900");
    EXPECT_EQ(database.value("SELECT sum((details->>'payments')::int) FROM audit_log WHERE action "
                             "= 'import.captures' AND principal LIKE 'terminal:%' AND reason = "
                             "'cut-over'"),
              "450");
    const Ended proof = pawl({"verify", "--deep"});
    EXPECT_EQ(proof.how, "exited with 0") << proof.said;
}

// With the chain, too: the edited row and the digest of the act.
TEST_F(ServerImport, TamperingIsFoundAndNamed) {
    EXPECT_EQ(import(file_of(3), apply).how, "exited with 0");
    database.run(
        "UPDATE transfers SET amount = 200 WHERE effect_key = 'demo/capture/p1'; UPDATE "
        "balances SET amount = amount + 100 WHERE account = 'user:1'");
    const Ended proof = pawl({"verify"});
    EXPECT_EQ(proof.how, "exited with 1");
    EXPECT_NE(proof.said.find("posted 6 transfers for 3 payments of captures.csv, lines 2 to 4; "
                              "of 6 in the journal at least one is another"),
              std::string::npos)
        << proof.said;
}

TEST_F(ServerImport, BadLineIsNamedAndNothingIsImported) {
    const std::string text = file_of(2) + "demo,p9,user:1,USD,5.00,0,2026-01-31T12:00:00Z\n" +
                             "demo,p0,user:1,USD,5,0,2026-01-31T12:00:00Z\n";
    const Ended refused = import(text, apply);
    EXPECT_EQ(refused.how, "exited with 2");
    for (const char* part :
         {"captures.csv: line 4, captured: not a whole number of 64 bits (\"5.00\"); write minor "
          "units, like 1250 for 12.50 USD\n",
          "captures.csv: line 5, payment: a payment that line 2 has already; write each payment "
          "once",
          "2 faults; nothing was imported"}) {
        EXPECT_NE(refused.said.find(part), std::string::npos) << refused.said;
    }
    EXPECT_EQ(sum(), "0");
    const Ended json = import(text, {"--json"});
    EXPECT_EQ(json.how, "exited with 2");
    EXPECT_NE(json.said.find(R"("applied":false,"all_faults":2,"faults":[{"line":4,"column":)"
                             R"("captured","condition":"not a whole number)"),
              std::string::npos)
        << json.said;
}

TEST_F(ServerImport, AnswersInJson) {
    EXPECT_EQ(import(file_of(1), apply).how, "exited with 0");
    auto as_json = apply;
    as_json.push_back("--json");
    const Ended json = import(file_of(2), as_json);
    EXPECT_EQ(json.how, "exited with 0") << json.said;
    for (const char* part :
         {R"("applied":true,"payments":2,"sums":[{"books":"demo","currency":"USD","payments":2,)"
          R"("captured":200,"returned":20}])",
          R"("left_out":[)",
          R"({"line":2,"payment_key":"demo/capture/p0","refused":false,"code":)"
          R"("imported","detail":"was imported before"})",
          R"("imported":1,"skipped":1,"refused":0,"complete":true})"}) {
        EXPECT_NE(json.said.find(part), std::string::npos) << json.said;
    }
}

TEST_F(ServerImport, RefusesWhatItCannotDo) {
    EXPECT_EQ(import(file_of(1), {"--apply"}).how, "exited with 2");
    EXPECT_EQ(import(file_of(1), {"--apply", "--reason", " "}).how, "exited with 2");
    const Ended missing = pawl({"import", "captures", folder / "none.csv"});
    EXPECT_EQ(missing.how, "exited with 2");
    EXPECT_NE(missing.said.find("none.csv: not found"), std::string::npos) << missing.said;
    EXPECT_EQ(pawl({"import", "captures"}).how, "exited with 2");
    EXPECT_EQ(pawl({"import"}).how, "exited with 2");
    EXPECT_EQ(sum(), "0");
    database.take_away();
    const Ended away = import(file_of(1), apply);
    database.bring_back();
    EXPECT_EQ(away.how, "exited with 3") << away.said;
}

TEST_F(ServerImport, RefusedPaymentIsListedAndTheOthersAreImported) {
    const std::string most = "9223372036854775807";
    const Ended refused =
        import(capture_header + ("demo,a,user:1,USD," + most) + ",0,2026-01-31T12:00:00Z\n" +
                   "demo,b,user:2,EUR,5,0,2026-01-31T12:00:00Z\n",
               apply);
    EXPECT_EQ(refused.how, "exited with 0") << refused.said;
    const Ended beyond =
        import(capture_header + std::string("demo,c,user:1,USD,1,0,2026-01-31T12:00:00Z\n"
                                            "demo,d,user:2,EUR,5,0,2026-01-31T12:00:00Z\n"),
               apply);
    EXPECT_EQ(beyond.how, "exited with 1") << beyond.said;
    EXPECT_NE(beyond.said.find("refused line 2, demo/capture/c: balance_overflow"),
              std::string::npos)
        << beyond.said;
    EXPECT_EQ(database.value("SELECT amount FROM balances WHERE account = 'user:2'"), "10");
}

}  // namespace
}  // namespace pawl::testing
