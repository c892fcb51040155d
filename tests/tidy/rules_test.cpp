// Each rule finds what it is there for, and leaves its neighbours alone. A rule that finds nothing
// looks exactly like a tree without faults.
#include <gtest/gtest.h>

#include "tests/tidy/rules.hpp"

namespace pawl::tidy {
namespace {

Tree tree_of(std::vector<File> files) {
    return {"/nowhere/at/all", std::move(files)};
}
Tree one(const std::string& path, const std::string& text) {
    return tree_of({{path, text}});
}

std::string places(const Report& report) {
    std::string all;
    for (const Finding& finding : report.findings()) {
        all += finding.path + ":" + std::to_string(finding.line) + " ";
    }
    return all;
}

TEST(Rules, AFailureSaysWhereWhatAndWhatToDo) {
    Report report;
    report.add("ledger/book.hpp", 7, "`double`", "Use Money");
    EXPECT_EQ(report.text(), "\nledger/book.hpp:7: `double`. Use Money.");
}

TEST(Rules, AnIncludeGoesDownAndNeverUpOrAside) {
    struct Case {
        const char* path;
        const char* include;
        bool allowed;
    };
    const Case cases[] = {
        {"ledger/a.cpp", "base/money.hpp", true},
        {"ledger/a.cpp", "ledger/sql.hpp", true},
        {"intents/a.cpp", "providers/event.hpp", true},
        {"ledger/a.cpp", "db/session.hpp", true},
        {"ledger/a.cpp", "providers/event.hpp", false},
        {"payments/a.cpp", "base/keys.hpp", true},
        {"payments/a.cpp", "outbound/gateway.hpp", false},
        {"payments/a.cpp", "providers/provider.hpp", false},
        {"ledger/a.cpp", "intents/accept.hpp", false},
        {"ledger/a.cpp", "jobs/stage.hpp", false},
        {"ledger/tests/a.cpp", "controllers/http.hpp", false},
        {"base/a.hpp", "db/session.hpp", false},
        {"controllers/a.cpp", "app/settings.hpp", false},
        {"controllers/a.cpp", "problem.hpp", false},
        {"controllers/a.cpp", "tests/support/database.hpp", false},
        {"app/a.cpp", "sandbox/server.hpp", true},
        {"sandbox/a.cpp", "base/log.hpp", true},
        {"sandbox/a.cpp", "ledger/book.hpp", false},
        {"tests/e2e/a.cpp", "app/wiring.hpp", true},
        {"helping/a.cpp", "base/log.hpp", false},
    };
    for (const Case& c : cases) {
        const Tree tree = one(c.path, "// x\n#include \"" + std::string(c.include) + "\"\n");
        EXPECT_EQ(include_direction(tree).empty(), c.allowed) << c.path << " " << c.include;
    }
    EXPECT_TRUE(include_direction(one("base/a.cpp", "// #include \"db/pool.hpp\"\n")).empty());
}

TEST(Rules, ALibraryIsUsedByItsOneUser) {
    struct Case {
        const char* path;
        const char* include;
        bool allowed;
    };
    const Case cases[] = {
        {"base/log.cpp", "spdlog/spdlog.h", true},
        {"db/session.cpp", "spdlog/spdlog.h", false},
        {"base/tests/json_test.cpp", "simdjson.h", true},
        {"providers/read.cpp", "simdjson.h", false},
        {"providers/read.cpp", "openssl/hmac.h", false},
        {"db/embedded/connect.cpp", "libpq-fe.h", true},
        {"intents/store.cpp", "pqxx/connection", false},
        {"controllers/http/http_gate_connection.hpp", "trantor/net/TcpConnection.h", true},
        {"controllers/receive.cpp", "drogon/HttpResponse.h", false},
        {"app/main.cpp", "toml++/toml.h", false},
        {"outbound/client.cpp", "cpr/session.h", true},
        {"ledger/book.cpp", "fmt/core.h", true},
        {"ledger/book.cpp", "sys/stat.h", true},
        {"ledger/book.cpp", "boost/asio.hpp", false},
        {"ledger/book.cpp", "gtest/gtest.h", false},
        {"ledger/tests/decide_test.cpp", "gtest/gtest.h", true},
    };
    for (const Case& c : cases) {
        const Tree tree = one(c.path, "// x\n#include <" + std::string(c.include) + ">\n");
        EXPECT_EQ(one_user_of_each_third_party(tree).empty(), c.allowed)
            << c.path << " " << c.include;
    }
}

TEST(Rules, SizesAreCountedInLinesAndCharacters) {
    std::string lines;
    for (int i = 0; i < 601; ++i) lines += "//\n";
    EXPECT_EQ(places(files_too_long(one("base/a.cpp", lines))), "base/a.cpp:601 ");
    for (const char* path : {"docs/a.md", "migrations/0001_a.sql", "controllers/openapi.json"}) {
        EXPECT_EQ(places(files_too_long(one(path, lines))), "") << path;
    }

    std::string hundred;
    for (int i = 0; i < 100; ++i) hundred += "é";
    EXPECT_EQ(places(lines_too_wide(one("base/a.cpp", "//\n" + hundred + "\n"))), "");
    EXPECT_EQ(places(lines_too_wide(one("base/a.cpp", "//\n" + hundred + "x\n"))), "base/a.cpp:2 ");

    const std::string three = "int f() {\n    return 1;\n}\n";
    EXPECT_EQ(places(functions_too_long(one("base/a.cpp", three), 3)), "");
    EXPECT_EQ(places(functions_too_long(one("base/a.cpp", three), 2)), "base/a.cpp:1 ");
}

TEST(Rules, BannedWordsAreFoundInCodeOnly) {
    const auto money = [](const char* path, const char* text) {
        return !floating_point_near_money(one(path, text)).empty();
    };
    EXPECT_TRUE(money("ledger/book.hpp", "double amount;"));
    EXPECT_TRUE(money("base/money.cpp", "auto x = static_cast<float>(y);"));
    EXPECT_FALSE(money("ledger/book.hpp", "// never a double\nint doubled; auto s = \"double\";"));
    EXPECT_FALSE(money("base/metrics.hpp", "double value;"));

    const auto chance = [](const char* path, const char* text) {
        return !clock_and_chance(one(path, text)).empty();
    };
    EXPECT_TRUE(chance("intents/a.cpp", "std::chrono::system_clock::now();"));
    EXPECT_FALSE(chance("base/clock.cpp", "std::chrono::system_clock::now();"));
    EXPECT_TRUE(chance("jobs/a.cpp", "std::random_device chance;"));
    EXPECT_FALSE(chance("jobs/a.cpp", "operand(); steady_clock::now();"));
}

TEST(Rules, SqlDiffersFromSentences) {
    const auto sql = [](const char* path, const std::string& text) {
        return !sql_in_cpp(one(path, "auto x = \"" + text + "\";")).empty();
    };
    EXPECT_TRUE(sql("db/a.cpp", "SELECT 1"));
    EXPECT_TRUE(sql("db/a.cpp", "WITH x AS (INSERT INTO t VALUES (1))"));
    EXPECT_TRUE(sql("db/a.cpp", "UPDATE t \" \"SET a = 1"));
    EXPECT_TRUE(sql("db/a.cpp", "DELETE FROM t"));
    EXPECT_FALSE(sql("db/a.cpp", "select a provider, delete from the list"));
    EXPECT_FALSE(sql("tests/integration/a.cpp", "SELECT 1"));
    EXPECT_FALSE(sql("ledger/tests/a.cpp", "SELECT 1"));
}

TEST(Rules, PositionsInSqlAreFoundOutsideOfDb) {
    const auto found = [](const char* path, const char* text) {
        return !sql_by_position(one(path, text)).empty();
    };
    for (const char* text :
         {"Token read(const db::Row& row) { return {row.str(0)}; }", "const db::Rows rows = run();",
          "Rows run(db::ParamList parameters);", "void ask(const db::Query& query);",
          "const auto rows = run(session, sql::find_token);"}) {
        EXPECT_TRUE(found("access/tokens.cpp", text)) << text;
        EXPECT_FALSE(found("db/session.cpp", text)) << text;
    }
    EXPECT_TRUE(found("tests/a_test.cpp", "const db::Row row = run(asked).only();"));
    EXPECT_FALSE(found("tests/a_test.cpp", "run(db::Query{sql, sql}).value(); &sql::find_token;"));
    for (const char* text :
         {"Token read(const sql::FindToken::Row& row) { return {row.role()}; }",
          "run(session, sql::FindToken{.token_sha256 = hash});", "db::RowsOf<sql::TokenRow> rows;",
          "// db::Row row(0)", "namespace sql = intents::sql;"}) {
        EXPECT_FALSE(found("access/tokens.cpp", text)) << text;
    }
}

TEST(Rules, MarkersOfWorkNotDoneAreFoundInComments) {
    const std::string marker = "TO" + std::string("DO");
    EXPECT_FALSE(work_markers(one("db/a.cpp", "// " + marker + ": later\n")).empty());
    EXPECT_FALSE(work_markers(one("setup/a.sh", "# " + marker + "\n")).empty());
    EXPECT_TRUE(work_markers(one("db/a.cpp", "int x; // todos are fine\n")).empty());
}

TEST(Rules, HeadersBeginWithACommentAndAGuard) {
    EXPECT_EQ(places(header_beginnings(one("db/a.hpp", "// What.\n#pragma once\nint x;\n"))), "");
    EXPECT_EQ(places(header_beginnings(one("db/a.hpp", "#pragma once\n"))), "db/a.hpp:1 ");
    EXPECT_EQ(places(header_beginnings(one("db/a.hpp", "// What.\n\nint x;\n#pragma once\n"))),
              "db/a.hpp:3 ");
    EXPECT_FALSE(using_namespace_in_headers(one("db/a.hpp", "using namespace std;")).empty());
    EXPECT_TRUE(using_namespace_in_headers(one("db/a.cpp", "using namespace std;")).empty());
}

TEST(Rules, MigrationsAreNumbered) {
    const auto found = [](std::vector<std::string> names) {
        Tree tree = tree_of({});
        for (const auto& name : names) tree.files.push_back({"migrations/" + name, "SELECT 1"});
        return places(migration_names(tree));
    };
    EXPECT_EQ(found({"0001_a.sql", "0002_b_c.sql"}), "");
    EXPECT_EQ(found({"0001_a.sql", "0003_b.sql"}), "migrations/0003_b.sql:1 ");
    EXPECT_EQ(found({"0001_a.sql", "0001_b.sql"}), "migrations/0001_b.sql:1 ");
    EXPECT_EQ(found({"1_a.sql"}), "migrations/1_a.sql:1 ");
    EXPECT_EQ(found({"0001_Ab.sql"}), "migrations/0001_Ab.sql:1 ");
}

TEST(Rules, ConstraintsWithoutANameAreFoundWhereTheyStand) {
    const auto found = [](const std::string& text) {
        return places(unnamed_constraints(one("migrations/0001_a.sql", text)));
    };
    EXPECT_EQ(found("CREATE TABLE t (\n a int PRIMARY KEY)"), "migrations/0001_a.sql:2 ");
    EXPECT_EQ(found("CREATE TABLE t (a int, UNIQUE (a))"), "migrations/0001_a.sql:1 ");
    EXPECT_EQ(found("CREATE TABLE t (a int CHECK (a > 0))"), "migrations/0001_a.sql:1 ");
    EXPECT_EQ(found("CREATE TABLE t (a int REFERENCES u (b))"), "migrations/0001_a.sql:1 ");
    EXPECT_EQ(found("ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u"), "migrations/0001_a.sql:1 ");
    EXPECT_EQ(found("CREATE TABLE t (a int, CONSTRAINT t_pkey PRIMARY KEY (a),\n"
                    "CONSTRAINT t_a CHECK (a > 0), CONSTRAINT t_u UNIQUE (a),\n"
                    "CONSTRAINT t_f FOREIGN KEY (a, b) REFERENCES u (a, b));\n"
                    "CREATE UNIQUE INDEX i ON t (a); -- CHECK (later)\n"
                    "DO $$ BEGIN CREATE TABLE x (a int CHECK (a > 0)); END $$"),
              "");
}

TEST(Rules, AQueryIsOneStatement) {
    const auto found = [](const std::string& path, const std::string& text) {
        return places(one_statement_a_query(one(path, text)));
    };
    EXPECT_EQ(found("jobs/sql/a.sql", "-- one; only\nSELECT ';' FROM t"), "");
    EXPECT_EQ(found("jobs/sql/a.sql", "SELECT 1;\nSELECT 2"), "jobs/sql/a.sql:1 ");
    EXPECT_EQ(found("jobs/sql/a.sql", "-- nothing\n"), "jobs/sql/a.sql:1 ");
    EXPECT_EQ(found("migrations/0001_a.sql", "SELECT 1;\nSELECT 2;\n"), "");
    const std::string plain = "-- pawl: not transactional\n";
    EXPECT_EQ(found("migrations/0001_a.sql", plain + "SELECT 1;\n"), "");
    EXPECT_EQ(found("migrations/0001_a.sql", plain + "SELECT 1;\nSELECT 2;\n"),
              "migrations/0001_a.sql:2 ");
}

TEST(Rules, AFolderIsExplainedByItselfOrFromAbove) {
    EXPECT_EQ(places(folders_without_readme(one("jobs/a.cpp", ""))), "jobs/README.md:1 ");
    EXPECT_EQ(
        places(folders_without_readme(tree_of(
            {{"jobs/README.md", "x"}, {"jobs/sql/a.sql", ""}, {"jobs/tests/a_test.cpp", ""}}))),
        "");
    EXPECT_EQ(places(folders_without_readme(
                  tree_of({{"app/README.md", "`lint/`: rules"}, {"app/lint/a.cpp", ""}}))),
              "");
    EXPECT_EQ(places(folders_without_readme(
                  tree_of({{"app/README.md", "lint"}, {"app/lint/a.cpp", ""}}))),
              "app/lint/README.md:1 ");
}

TEST(Rules, NamesAndMachinesAreLookedAtInEveryFile) {
    EXPECT_FALSE(names_that_say_nothing(one("base/string_utils.cpp", "")).empty());
    EXPECT_FALSE(names_that_say_nothing(one("common/a.md", "")).empty());
    EXPECT_TRUE(names_that_say_nothing(one("base/commonest.cpp", "")).empty());

    const auto machine = [](const std::string& text) {
        return !machine_paths_and_hosts(one("docs/a.md", text)).empty();
    };
    const std::string url = "https:" + std::string("//");
    EXPECT_TRUE(machine("see " + url + "registry.example.com/x"));
    EXPECT_TRUE(machine(url + "build.corp/x"));
    EXPECT_FALSE(machine(url + "www.postgresql.org/docs"));
    EXPECT_FALSE(machine(url + "registry.example/x"));
    EXPECT_TRUE(machine("cd /ho" + std::string("me/ana/pawl")));
    EXPECT_TRUE(machine("in /nowhere/at/all/ledger"));
    EXPECT_FALSE(machine("below $HOME/ho" + std::string("me/x or ~/ho") + "me/x"));
}

TEST(Rules, APathInADocumentLeadsToAFileOrAFolder) {
    const auto document = [](const char* text) {
        return paths_that_lead_nowhere(tree_of({{"ARCHITECTURE.md", text}, {"ledger/a.cpp", ""}}));
    };
    for (const char* good : {"`ledger/a`", "`ledger/a.cpp`", "`ledger/`", "`other/b`", "`a`"}) {
        EXPECT_TRUE(document(good).empty()) << good;
    }
    for (const char* bad : {"`ledger/b`", "x `ledger/a` `ledger/a/b.cpp`", "`ledger/aa`"}) {
        EXPECT_FALSE(document(bad).empty()) << bad;
    }
}

TEST(Rules, AReadmeListsWhatItsFolderHolds) {
    const auto readme = [](const char* text) {
        return rooms_that_are_not_there(
            tree_of({{"ledger/README.md", text}, {"ledger/a.cpp", ""}, {"ledger/sub/b.cpp", ""}}));
    };
    EXPECT_TRUE(readme("| `a`, `b` | `gone` |\n| `a.*` | x |\n| `sub/` | x |").empty());
    EXPECT_FALSE(readme("| `a`, `c` | x |").empty());
}

TEST(Rules, LinesInADocumentAreInTheirFileAndInItsOrder) {
    const auto quote = [](const std::string& lines) {
        return quotes_out_of_date(tree_of({{"docs/recipes.md", "  ```cpp ledger/a.cpp\n" + lines},
                                           {"ledger/a.cpp", "one();\n    two();\n"}}));
    };
    EXPECT_TRUE(quote("one();\n...\ntwo();\n```\nthree();").empty());
    EXPECT_FALSE(quote("two();\none();\n```").empty());
    EXPECT_FALSE(quote("three();\n```").empty());
    EXPECT_FALSE(quotes_out_of_date(tree_of({{"docs/recipes.md", "```cpp ledger/b.cpp"}})).empty());
}

TEST(Rules, TheReadmeNamesWhatExistsAndListsWhatIsMissing) {
    const auto readme = [](const std::string& text) {
        return promises_of_the_readme(
            tree_of({{"README.md", text},
                     {"app/commands/send.cpp", "add(\"send\");"},
                     {"app/tests/a_test.cpp", "add(\"replay\");"},
                     {"controllers/v1/openapi.json", "{\"/v1/orders/{order}\": {}}"},
                     {"jobs/a.cpp", "gauge(\"pawl_jobs\");"}}));
    };
    const std::string missing = "\n## What is not here yet\n";
    for (const char* here : {"`pawl send X`", "`/v1`", "`pawl_jobs{state}`", "`/etc/pawl`"}) {
        EXPECT_TRUE(readme(here).empty()) << here;
    }
    for (const char* not_here : {"`pawl replay`", "`/v1/order`", "`/console`", "`pawl_lag`"}) {
        EXPECT_FALSE(readme(not_here).empty()) << not_here;
        EXPECT_TRUE(readme(missing + not_here).empty()) << not_here;
    }
    EXPECT_FALSE(readme(missing + "`pawl send`").empty());
    EXPECT_FALSE(readme(missing + "`/v1/orders`").empty());
    EXPECT_FALSE(readme(missing + "`pawl_jobs`").empty());
    EXPECT_FALSE(readme(missing + "x\n## Limits\n`pawl_lag`").empty());
}

// A tree with the real list of retired words, so that each of them is planted once.
Tree worded(const std::string& path, const std::string& text) {
    static const Tree real = read_tree(PAWL_SOURCE_DIR);
    static const File* const list = real.find("tests/tidy/retired_words.txt");
    return tree_of({{path, text}, {"tests/tidy/retired_words.txt", list ? list->text : ""}});
}

WordCount counted(const std::string& path, const std::string& text) {
    auto counts = word_counts(worded(path, text));
    return counts.begin()->second;
}

TEST(Rules, EachRetiredWordIsFoundInCommentsDocumentsMessagesAndTestNames) {
    const auto retired = retired_words(worded("jobs/a.cpp", ""));
    ASSERT_GT(retired.size(), 50U);
    struct Place {
        const char* path;
        const char* before;  // of the planted sentence
        const char* after;
    };
    const Place places[] = {{"jobs/a.cpp", "// ", "\n\n"},
                            {"jobs/a.cpp", "int a;  // ", "\n"},
                            {"jobs/a.cpp", "auto a = \"", "\";\n"},
                            {"jobs/a.cpp", "auto a = R\"(x\n", ")\";\n"},
                            {"jobs/a.sql", "-- ", "\n\n"},
                            {"jobs/README.md", "* ", "\n"},
                            {"jobs/README.md", "| ", " |\n"},
                            {"jobs/a.toml", "a = 1  # ", "\n"},
                            {"Makefile", "run: ## ", "\n"},
                            {"controllers/v1/openapi.json", "\"description\": \"", "\"\n"}};
    for (const Place& place : places) {
        std::string text;
        for (const Retired& one : retired) {
            text += place.before + std::string("The worker ") + one.text + " it." + place.after;
        }
        EXPECT_EQ(counted(place.path, text).retired.findings().size(), retired.size())
            << place.path << ": " << place.before;
    }
    std::string tests;
    for (const Retired& one : retired) {
        tests += "TEST(Worker, ";
        for (const std::string& word : one.phrase) tests += word + "_";
        tests += "x) {\n";
    }
    EXPECT_EQ(counted("jobs/tests/a_test.cpp", tests).retired.findings().size(), retired.size());
}

TEST(Rules, ARetiredWordInAnotherTermIsLeftAlone) {
    for (const char* good : {"It is no longer there.", "There is no row.", "They are told apart.",
                             "`goes on`", "a_person", "The pearl rings_on."}) {
        EXPECT_TRUE(counted("jobs/a.cpp", "// " + std::string(good)).retired.empty()) << good;
    }
}

TEST(Rules, APronounCountsInEveryKindOfProse) {
    for (const char* word : {"who", "Whoever", "somebody", "Nobody", "anyone", "everybody"}) {
        const std::string text = "x " + std::string(word) + " x";
        EXPECT_EQ(counted("a/a.cpp", "// " + text).pronouns.findings().size(), 1U) << word;
        EXPECT_EQ(counted("a/a.md", "| " + text + " |").pronouns.findings().size(), 1U) << word;
    }
    EXPECT_TRUE(counted("a/a.cpp", "// An event whose rule is known.").pronouns.empty());
}

TEST(Rules, ASentenceBeginsWithItsSubject) {
    for (const char* bad :
         {"What", "Of", "Those", "One that", "Whoever", "Nothing", "How", "Also"}) {
        const std::string sentence = "The row is read. " + std::string(bad) + " x is y.";
        EXPECT_EQ(counted("a/a.cpp", "// " + sentence).subjectless.findings().size(), 1U) << bad;
        EXPECT_EQ(counted("a/a.md", sentence).subjectless.findings().size(), 1U) << bad;
        EXPECT_EQ(counted("a/a.sql", "-- " + sentence).subjectless.findings().size(), 1U) << bad;
    }
    const std::string labels = "// False: x\n\n// True: x\n\n// Empty: x\n";
    EXPECT_EQ(counted("a/a.cpp", labels).subjectless.findings().size(), 3U);
    for (const char* good :
         {"One row is read.", "Is it known?", "What is known?", "x. of y.", "Whatever it is."}) {
        EXPECT_TRUE(counted("a/a.cpp", "// " + std::string(good)).subjectless.empty()) << good;
    }
    EXPECT_EQ(counted("a/a.cpp", "// The lane\n// of it. What\n// is x.\n").sentences, 2U);
}

TEST(Rules, ACountOfWordsMayNeitherRiseNorStayAboveTheTree) {
    const auto recorded = [](const char* numbers) {
        return word_counts_off_the_record(
            tree_of({{"jobs/a.cpp", "// What is x.\n"}, {"tests/tidy/word_counts.txt", numbers}}));
    };
    EXPECT_TRUE(recorded("# folder\njobs 0 1 0\n").empty());
    EXPECT_NE(recorded("jobs 0 0 0\n").text().find("Begin with the subject"), std::string::npos);
    EXPECT_NE(recorded("jobs 0 2 0\n").text().find("Lower the number"), std::string::npos);
    EXPECT_FALSE(recorded("").empty());
}

TEST(Rules, TestsAreCountedByTheirFolder) {
    const auto counts = word_counts(tree_of({{"tests/e2e/sub/a.cpp", "// A row.\n"},
                                             {"tests/README.md", "A row.\n"},
                                             {"README.md", "A row.\n"},
                                             {"app/lint/a.hpp", "// A row.\n"}}));
    std::string folders;
    for (const auto& [folder, count] : counts) folders += folder + " ";
    EXPECT_EQ(folders, ". app tests tests/e2e ");
}

}  // namespace
}  // namespace pawl::tidy
