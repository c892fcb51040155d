// The catalogue fits the tree: a mutation whose text has moved on would be run for nothing.
#include "tests/mutations/mutation.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/mutations/suite.hpp"
#include "tests/mutations/verdict.hpp"

namespace pawl::mutations {
namespace {

namespace fs = std::filesystem;

class ScratchFolder {
  public:
    ScratchFolder() {
        std::string name = (fs::temp_directory_path() / "pawl-mutations-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~ScratchFolder() { fs::remove_all(path_); }
    fs::path operator/(const char* name) const { return path_ / name; }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

TEST(Catalogue, MutationsAreCompleteWithUniqueNames) {
    const Catalogue catalogue = load_catalogue(PAWL_SOURCE_DIR "/tests/mutations");
    for (const std::string& problem : catalogue.problems) ADD_FAILURE() << problem;
    EXPECT_GE(catalogue.mutations.size(), 40U);
}

TEST(Catalogue, TextsToFindOccurExactlyOnce) {
    for (const Mutation& one : load_catalogue(PAWL_SOURCE_DIR "/tests/mutations").mutations) {
        for (const std::string& problem : problems_in_tree(one, PAWL_SOURCE_DIR)) {
            ADD_FAILURE() << problem;
        }
    }
}

TEST(CatalogueFile, IncompleteEntriesAreReportedByName) {
    const ScratchFolder folder;
    write_file(folder / "a.toml",
               "[[mutation]]\nname = \"Not Snake\"\nfile = \"f\"\nfind = \"x\"\n"
               "replace = \"x\"\ncolour = 1\ntests = [\"integration\"]\n");
    write_file(folder / "b.toml", "[[mutation]]\nname = \n");
    std::string all;
    for (const auto& problem : load_catalogue(folder.path()).problems) all += problem + "\n";
    for (const char* part : {"unknown key \"colour\"", "not snake_case", "no promise",
                             "changes nothing", "tests is not a list", "b.toml:2:"}) {
        EXPECT_NE(all.find(part), std::string::npos) << part << " is not in:\n" << all;
    }
}

TEST(Edits, AbsentAndAmbiguousTextsAreProblems) {
    const ScratchFolder folder;
    write_file(folder / "f", "one two two");
    Mutation mutation{"m", "p", "", {{"f", "one", "1"}}, {"unit:x"}, "s"};
    EXPECT_TRUE(problems_in_tree(mutation, folder.path()).empty());
    for (const char* find : {"two", "three"}) {
        mutation.edits[0].find = find;
        EXPECT_EQ(problems_in_tree(mutation, folder.path()).size(), 1U) << find;
    }
    mutation.edits[0].file = "absent";
    EXPECT_EQ(problems_in_tree(mutation, folder.path()).size(), 1U);
}

TEST(Edits, AreAppliedTogetherAndRestored) {
    const ScratchFolder folder;
    write_file(folder / "f", "one two");
    write_file(folder / "g", "three");
    const Mutation mutation{
        "m", "p", "", {{"f", "one", "1"}, {"f", "two", "2"}, {"g", "three", "3"}}, {}, "s"};
    {
        const AppliedMutation applied(mutation, folder.path());
        EXPECT_EQ(read_file(folder / "f"), "1 2");
        EXPECT_EQ(read_file(folder / "g"), "3");
    }
    EXPECT_EQ(read_file(folder / "f"), "one two");
    EXPECT_EQ(read_file(folder / "g"), "three");
}

struct LogCase {
    const char* name;
    const char* log;
    const char* caught_by;
};

TEST(FailedTest, IsReadFromTheOutputOfAProgram) {
    const LogCase cases[] = {
        {"an assertion", "[ RUN      ] A.b\nwrong\n[  FAILED  ] A.b (3 ms)\n", "A.b"},
        {"with a parameter",
         "[ RUN      ] P/A.b/1\n[  FAILED  ] P/A.b/1, where GetParam() = 7 (3 ms)\n", "P/A.b/1"},
        {"a crash", "[ RUN      ] A.a\n[       OK ] A.a (1 ms)\n[ RUN      ] A.b\n",
         "A.b (the program ended)"},
        {"one that hung", "[ RUN      ] A.b\nwaits\n\ntimed out\n", "A.b (it hung)"},
        {"ctest",
         "Start 1: e2e.Pay\n\nThe following tests FAILED:\n\t  7 - e2e.Pay (Timeout)\nErrors\n",
         "e2e.Pay"},
        {"nothing known", "no output", "a program that failed without a test's name"},
    };
    for (const LogCase& one : cases) EXPECT_EQ(failed_test_in(one.log), one.caught_by) << one.name;
}

TEST(Commands, HangingOnesAreKilledAndCountAsFailed) {
    const ScratchFolder folder;
    const Suite suite(folder.path(), 1);
    const auto log = suite.failure_of({{}, "echo '[ RUN      ] A.b' && sleep 60", 1});
    ASSERT_TRUE(log);
    EXPECT_EQ(failed_test_in(*log), "A.b (it hung)");
}

TEST(Results, KeepTheTotalOfTheLastWholeRun) {
    const ScratchFolder folder;
    Mutation mutation{"m", "p", "", {{"f", "one", "1"}}, {"unit:x"}, "s"};
    const Catalogue catalogue{{mutation}, {}};
    ResultTable whole(folder / "r");
    whole.set(mutation, {Verdict::Kind::caught, "A.b", 3});
    whole.set_total("1 mutation in 3 s.");
    whole.save(catalogue);
    ResultTable later(folder / "r");
    later.set(mutation, {Verdict::Kind::survived, "", 4});
    later.save(catalogue);
    const std::string text = read_file(folder / "r");
    EXPECT_NE(text.find("The last run of all: 1 mutation in 3 s.\n"), std::string::npos) << text;
    EXPECT_NE(text.find("| `m` | p | **survived** | 4 |"), std::string::npos) << text;
}

}  // namespace
}  // namespace pawl::mutations
