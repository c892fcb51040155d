// JobParts: how the configuration becomes lanes, subscribers and retention.
#include "app/job_parts.hpp"

#include <gtest/gtest.h>

#include "settings/tests/config_folder.hpp"

namespace pawl::app::test {
namespace {

TEST(JobParts, PurgeOnlyEventsOfProvidersWithARetention) {
    const ConfigFolder folder;
    EXPECT_TRUE(event_expiries(folder.load().settings).empty());
    folder.spoil("retention = \"forever\"", "retention = \"60d\"");
    const auto all = event_expiries(folder.load().settings);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].provider, "demo");
    EXPECT_EQ(all[0].after, std::chrono::days(60));
    EXPECT_EQ(all[0].delivered_again, std::chrono::days(3));
}

}  // namespace
}  // namespace pawl::app::test
