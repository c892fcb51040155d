// The small readers: durations' siblings, addresses, suggestions, tables on a terminal.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>

#include "app/doctor.hpp"
#include "settings/suggest.hpp"
#include "settings/terminal.hpp"
#include "settings/values.hpp"

namespace pawl::app {
namespace {

TEST(Suggest, CountsChangesAndSwaps) {
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("listen", "lisen"), 1U);
    EXPECT_EQ(edit_distance("credti", "credit"), 1U);
    EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Suggest, IsEmptyIfNoWordIsNear) {
    EXPECT_EQ(nearest("secrts", {"name", "secrets", "scheme"}), "secrets");
    EXPECT_EQ(nearest("colour", {"name", "secrets", "scheme"}), "");
    EXPECT_EQ(nearest("up", {"url", "in"}), "");
}

TEST(Values, Sizes) {
    EXPECT_EQ(parse_size("64KiB"), 65536);
    EXPECT_EQ(parse_size("1MiB"), 1048576);
    EXPECT_EQ(parse_size("17"), 17);
    for (const char* wrong : {"", "KiB", "1 KiB", "-1", "1MB", "99999999999GiB"}) {
        EXPECT_FALSE(parse_size(wrong)) << wrong;
    }
    EXPECT_EQ(size_text(65536), "64KiB");
    EXPECT_EQ(size_text(1000), "1000B");
}

TEST(Values, ListenAddresses) {
    EXPECT_EQ(parse_listen("0.0.0.0:80"), (Listen{"0.0.0.0", 80}));
    EXPECT_EQ(parse_listen("[::]:65535"), (Listen{"::", 65535}));
    EXPECT_EQ(to_text(*parse_listen("localhost:1")), "127.0.0.1:1");
    for (const char* wrong : {"", "8080", ":8080", "1.2.3:80", "::1:80", "[::1]", "a:b",
                              "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:80x", "[1.2.3.4]:80"}) {
        EXPECT_FALSE(parse_listen(wrong)) << wrong;
    }
}

TEST(Values, NamesFitIntoUrls) {
    EXPECT_TRUE(is_plain_name("mollie-classic"));
    EXPECT_TRUE(is_plain_name("3ds_x"));
    for (const char* wrong : {"", "-a", "A", "a/b", "a b", "\xC3\xA4"}) {
        EXPECT_FALSE(is_plain_name(wrong)) << wrong;
    }
}

std::string printed(bool colour, const std::function<void(const Terminal&)>& print) {
    std::FILE* const stream = std::tmpfile();
    print(Terminal(stream, colour, colour));
    std::rewind(stream);
    std::array<char, 4096> text{};
    const std::string all(text.data(), std::fread(text.data(), 1, text.size(), stream));
    std::fclose(stream);
    return all;
}

TEST(Terminal, ATableLinesUpAndHasColourOnlyWhereItMay) {
    Table table({"name", ">count"});
    table.row({{"caf\xC3\xA9", Colour::green}, "7"});
    table.row({"b", "1234"});
    EXPECT_EQ(table.render(Terminal(stdout, false, false)),
              "name  count\ncaf\xC3\xA9      7\nb      1234\n");
    EXPECT_EQ(printed(true, [&](const Terminal& out) { out.print(table.render(out)); }),
              "\033[2mname\033[0m  \033[2mcount\033[0m\n\033[32mcaf\xC3\xA9\033[0m      7\nb      "
              "1234\n");
}

TEST(Terminal, GetsNoControlCharacterButItsOwnColours) {
    Table table({"id", "type"});
    table.row({{"a\033[31m\nb", Colour::red}, "t"});
    const std::string shown = "a\\u001b[31m\\u000ab";
    EXPECT_EQ(printed(false, [&](const Terminal& out) { out.print(table.render(out)); }),
              "id" + std::string(shown.size(), ' ') + "type\n" + shown + "  t\n");
    const auto line = [](const Terminal& out) {
        out.line(out.paint(Colour::green, "ok\033]0;x\a") + " \xC2\x9B\xFF z\r");
    };
    EXPECT_EQ(printed(false, line), "ok\\u001b]0;x\\u0007 \\u009b\\u00ff z\\u000d\n");
    EXPECT_EQ(printed(true, line), "\033[32mok\\u001b]0;x\\u0007\033[0m \\u009b\\u00ff z\\u000d\n");
}

TEST(Terminal, AProgressLineIsFullWhenAllIsDone) {
    EXPECT_EQ(Progress::bar("sent", 1, 3), "sent  [##########....................]  1/3");
    EXPECT_EQ(Progress::bar("sent", 0, 0), "sent  [##############################]  0/0");
}

TEST(Doctor, AnAddressOfAnotherMachineIsBadAndUnreachableBeatsBad) {
    EXPECT_EQ(check_port("port", {"192.0.2.1", 8080}).health, Health::bad);
    EXPECT_EQ(exit_of({{"a", Health::good, "", ""}, {"b", Health::doubtful, "", ""}}), 0);
    EXPECT_EQ(exit_of({{"a", Health::bad, "", ""}}), 1);
    EXPECT_EQ(exit_of({{"a", Health::bad, "", ""}, {"b", Health::wrong, "", ""}}), 2);
    EXPECT_EQ(exit_of({{"a", Health::wrong, "", ""}, {"b", Health::unreachable, "", ""}}), 3);
}

}  // namespace
}  // namespace pawl::app
