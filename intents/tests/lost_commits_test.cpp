// The decision which recorded heads prove that commits were lost.
#include "intents/verify/lost_commits.hpp"

#include <gtest/gtest.h>

namespace pawl::intents {
namespace {

const std::string ours(16, 'o');
const std::string another(16, 'a');
const std::string link(32, 'l');
const Time noon{std::chrono::hours(500000)};
const Time before_noon = noon - std::chrono::seconds(1);

struct Case {
    const char* name;
    std::string database = ours;  // of the head
    Time written_at = noon;
    bool has_link = false;  // the database has it
    std::string asked = ours;
    std::optional<Time> covered_to = std::nullopt;
    bool readable = true;
    std::size_t lost = 0;
};

const Case cases[] = {
    {.name = "a link that the database lacks", .lost = 1},
    {.name = "one that it has", .has_link = true},
    {.name = "of another database", .database = another},
    {.name = "written before its database was known", .database = std::string(16, '\0')},
    {.name = "the database has no id yet", .asked = ""},
    {.name = "neither has one", .database = std::string(16, '\0'), .asked = ""},
    {.name = "of an unknown key, or damaged", .readable = false},
    {.name = "lost before the last recovery began", .written_at = noon, .covered_to = noon},
    {.name = "lost after it", .covered_to = before_noon, .lost = 1},
    {.name = "kept, and a recovery began", .has_link = true, .covered_to = noon},
};

TEST(LostCommits, AreLinksOfThisDatabaseThatItLacksAndNoRecoveryCovers) {
    for (const Case& one : cases) {
        db::FoundHead found{"heads.1, slot 0", std::nullopt, {}};
        if (one.readable) {
            found.stored = db::StoredHead{chain::Table::transfers,
                                          {.chain = "12345678", .seq = 7, .hash = link, .row = 120},
                                          one.database,
                                          one.written_at};
        }
        RecordedFacts facts{one.asked, one.covered_to, {std::string(32, 'x')}};
        if (one.has_link) facts.links.insert(link);
        EXPECT_EQ(judge_heads({found}, facts).size(), one.lost) << one.name;
    }
}

TEST(LostCommits, AreNamedByLinkRowAndTime) {
    const LostCommit lost{"heads.1, slot 0",
                          {chain::Table::transfers,
                           {.chain = "12345678", .seq = 7, .hash = link, .row = 120},
                           ours,
                           noon}};
    EXPECT_EQ(to_text(lost),
              "link 7 of chain 3132333435363738 at row 120 of transfers, committed " +
                  to_rfc3339(noon) + " (heads.1, slot 0)");
}

}  // namespace
}  // namespace pawl::intents
