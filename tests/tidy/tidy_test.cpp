// The rules, held against the tree. A failure says where, what, and what to do.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tests/tidy/rules.hpp"

namespace pawl::tidy {
namespace {

const Tree& tree() {
    static const Tree read = read_tree(PAWL_SOURCE_DIR);
    return read;
}

void expect_none(const Report& report) {
    EXPECT_TRUE(report.empty()) << report.text();
}

TEST(Tidy, TheTreeWasFound) {
    EXPECT_GT(tree().files.size(), 100U);
    ASSERT_NE(tree().find("tests/tidy/tidy_test.cpp"), nullptr);
}

TEST(Tidy, AFolderIncludesOnlyFoldersBelowIt) {
    expect_none(include_direction(tree()));
}

TEST(Tidy, EachThirdPartyHasOneUser) {
    expect_none(one_user_of_each_third_party(tree()));
}

TEST(Tidy, NoFunctionIsLongerThan60Lines) {
    expect_none(functions_too_long(tree(), 60));
    // The aim is 40; --gtest_filter='*60*' lists the longer ones.
    std::cout << "longer than 40:" << functions_too_long(tree(), 40).text() << "\n";
}

TEST(Tidy, NoFileIsLongerThan600Lines) {
    expect_none(files_too_long(tree()));
}

TEST(Tidy, NoLineIsWiderThan100Columns) {
    expect_none(lines_too_wide(tree()));
}

TEST(Tidy, NoFloatingPointComesNearMoney) {
    expect_none(floating_point_near_money(tree()));
}

TEST(Tidy, TimeAndChanceComeFromBase) {
    expect_none(clock_and_chance(tree()));
}

TEST(Tidy, SqlIsInSqlFiles) {
    expect_none(sql_in_cpp(tree()));
}

TEST(Tidy, StatementsAreRunAndReadByName) {
    expect_none(sql_by_position(tree()));
}

TEST(Tidy, NoWorkMarkerIsLeft) {
    expect_none(work_markers(tree()));
}

// `--gtest_filter='*Fewer'` prints the counts and, with PAWL_WORDS set, each place.
TEST(Tidy, WordsThatTheStyleRetiresOnlyBecomeFewer) {
    for (const auto& [folder, count] : word_counts(tree())) {
        std::cout << folder << " " << count.pronouns.findings().size() << " "
                  << count.subjectless.findings().size() << " " << count.retired.findings().size()
                  << "  # of " << count.sentences << " sentences\n";
        if (std::getenv("PAWL_WORDS") == nullptr) continue;
        std::cout << count.pronouns.text() << count.subjectless.text() << count.retired.text()
                  << "\n";
    }
    expect_none(word_counts_off_the_record(tree()));
}

TEST(Tidy, NoHeaderOpensANamespaceForOthers) {
    expect_none(using_namespace_in_headers(tree()));
}

TEST(Tidy, AHeaderBeginsBySayingWhatItIs) {
    expect_none(header_beginnings(tree()));
}

TEST(Tidy, MigrationsAreNumberedWithoutGaps) {
    expect_none(migration_names(tree()));
}

TEST(Tidy, EveryConstraintHasAName) {
    expect_none(unnamed_constraints(tree()));
}

TEST(Tidy, AnSqlFileHoldsOneStatement) {
    expect_none(one_statement_a_query(tree()));
}

TEST(Tidy, EveryFolderSaysWhyItExists) {
    expect_none(folders_without_readme(tree()));
}

TEST(Tidy, DocumentsNamePlacesThatExist) {
    expect_none(paths_that_lead_nowhere(tree()));
    expect_none(rooms_that_are_not_there(tree()));
}

TEST(Tidy, TheReadmeListsTheCommandsEndpointsAndMetricsThatExistAndThoseThatDoNot) {
    expect_none(promises_of_the_readme(tree()));
}

TEST(Tidy, DocumentsQuoteCodeAsItIs) {
    expect_none(quotes_out_of_date(tree()));
}

TEST(Tidy, NamesSayWhatIsInside) {
    expect_none(names_that_say_nothing(tree()));
}

TEST(Tidy, NoFileKnowsOneMachine) {
    expect_none(machine_paths_and_hosts(tree()));
}

}  // namespace
}  // namespace pawl::tidy
