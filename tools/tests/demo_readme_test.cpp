// The README shows the output of one run of the demo: its figures, put into the demo's own tables,
// give the README's text again.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <sstream>

#include "tools/demo/tables.hpp"

namespace pawl::app {
namespace {

// The first fenced block behind the sentence that names the command.
std::string quoted_run() {
    std::ifstream file(PAWL_SOURCE_DIR "/README.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    const auto command = page.find("`pawl demo --seed");
    const auto begin = page.find("```\n", command) + 4;
    return page.substr(begin, page.find("```", begin) - begin);
}

// "104067.93" is 10406793.
std::int64_t number_at(std::istringstream& words) {
    std::string digits;
    for (std::string word; digits.empty() && words >> word;) {
        for (const char c : word) {
            if (std::isdigit(static_cast<unsigned char>(c)) != 0) digits += c;
        }
    }
    return digits.empty() ? -1 : std::stoll(digits);
}

std::istringstream behind(const std::string& text, const std::string& label) {
    const auto at = text.find(label);
    return std::istringstream(at == std::string::npos ? "" : text.substr(at + label.size()));
}

DemoSummary summary_of(const std::string& text) {
    DemoSummary end;
    auto credited = behind(text, "\ncredited");
    end.expected_minor = number_at(credited);
    end.pawl_minor = number_at(credited);
    end.rival_minor = number_at(credited);
    auto charged = behind(text, "payment API)");
    end.orders = static_cast<int>(number_at(charged));
    end.charged = number_at(charged);
    end.charged_by_rival = number_at(charged);
    auto shop = behind(text, "credited for them");
    number_at(shop);
    end.shop_minor = number_at(shop);
    auto doubled = behind(text, "quick-start code credited");
    end.rival_doubled = static_cast<std::size_t>(number_at(doubled));
    auto lost = behind(text, "lost");
    end.rival_lost = static_cast<std::size_t>(number_at(lost));
    end.verified = true;
    return end;
}

TEST(DemoReadme, QuotesOneRunInTheDemosOwnWords) {
    const std::string quoted = quoted_run();
    const DemoSummary end = summary_of("\n" + quoted);
    EXPECT_GT(end.orders, 0);
    const Terminal plain(stdout, false, false);
    EXPECT_EQ(end_table(end, plain) + "\n" + rival_causes(end) + "\n", "\n" + quoted);
}

}  // namespace
}  // namespace pawl::app
