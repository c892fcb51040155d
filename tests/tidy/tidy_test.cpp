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

TEST(Tidy, the_tree_was_found) {
    EXPECT_GT(tree().files.size(), 100U);
    ASSERT_NE(tree().find("tests/tidy/tidy_test.cpp"), nullptr);
}

TEST(Tidy, a_folder_includes_only_folders_below_it) {
    expect_none(include_direction(tree()));
}

TEST(Tidy, each_third_party_has_one_user) {
    expect_none(one_user_of_each_third_party(tree()));
}

TEST(Tidy, no_function_is_longer_than_60_lines) {
    expect_none(functions_too_long(tree(), 60));
    // The aim is 40; --gtest_filter=*60* lists the longer ones.
    std::cout << "longer than 40:" << functions_too_long(tree(), 40).text() << "\n";
}

TEST(Tidy, no_file_is_longer_than_600_lines) {
    expect_none(files_too_long(tree()));
}

TEST(Tidy, no_line_is_wider_than_100_columns) {
    expect_none(lines_too_wide(tree()));
}

TEST(Tidy, no_floating_point_comes_near_money) {
    expect_none(floating_point_near_money(tree()));
}

TEST(Tidy, time_and_chance_come_from_base) {
    expect_none(clock_and_chance(tree()));
}

TEST(Tidy, sql_is_in_sql_files) {
    expect_none(sql_in_cpp(tree()));
}

TEST(Tidy, statements_are_run_and_read_by_name) {
    expect_none(sql_by_position(tree()));
}

TEST(Tidy, nothing_is_left_for_later) {
    expect_none(work_markers(tree()));
}

// `--gtest_filter='*words*'` prints the counts and, with PAWL_WORDS set, each place.
TEST(Tidy, words_that_the_style_retires_only_become_fewer) {
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

TEST(Tidy, no_header_opens_a_namespace_for_others) {
    expect_none(using_namespace_in_headers(tree()));
}

TEST(Tidy, a_header_begins_by_saying_what_it_is) {
    expect_none(header_beginnings(tree()));
}

TEST(Tidy, migrations_are_numbered_without_gaps) {
    expect_none(migration_names(tree()));
}

TEST(Tidy, every_constraint_has_a_name) {
    expect_none(unnamed_constraints(tree()));
}

TEST(Tidy, an_sql_file_holds_one_statement) {
    expect_none(one_statement_a_query(tree()));
}

TEST(Tidy, every_folder_says_why_it_exists) {
    expect_none(folders_without_readme(tree()));
}

TEST(Tidy, documents_name_places_that_exist) {
    expect_none(paths_that_lead_nowhere(tree()));
    expect_none(rooms_that_are_not_there(tree()));
}

TEST(Tidy, the_readme_lists_the_commands_endpoints_and_metrics_that_exist_and_those_that_do_not) {
    expect_none(promises_of_the_readme(tree()));
}

TEST(Tidy, documents_quote_code_as_it_is) {
    expect_none(quotes_out_of_date(tree()));
}

TEST(Tidy, names_say_what_is_inside) {
    expect_none(names_that_say_nothing(tree()));
}

TEST(Tidy, no_file_knows_one_machine) {
    expect_none(machine_paths_and_hosts(tree()));
}

}  // namespace
}  // namespace pawl::tidy
