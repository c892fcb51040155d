#include "base/printable.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace pawl {
namespace {

TEST(Printable, ControlCharactersBecomeEscapesAndLettersStay) {
    const std::pair<const char*, const char*> cases[] = {
        {"evt_1", "evt_1"},
        {"\033]0;title\a", "\\u001b]0;title\\u0007"},
        {"a\nb\tc\r", "a\\u000ab\\u0009c\\u000d"},
        {"\x7f", "\\u007f"},
        {"\xC2\x9B"
         "31m",
         "\\u009b31m"},                                                    // CSI as one character
        {"caf\xC3\xA9 \xF0\x9F\x98\x80", "caf\xC3\xA9 \xF0\x9F\x98\x80"},  // letters
        {"a\xE2\x80\xAE"
         "b",
         "a\\u202eb"},                   // right to left
        {"\xff\xC3", "\\u00ff\\u00c3"},  // no UTF-8
        {"\xC0\x9B", "\\u00c0\\u009b"},  // overlong
        {"back\\slash", "back\\slash"},
        {"a\xE2\x80\x8B"
         "b",
         "a\\u200bb"},  // of no width
    };
    for (const auto& [text, shown] : cases) EXPECT_EQ(printable(text), shown);
    EXPECT_EQ(printable("a\nb\033", "\n"), "a\nb\\u001b");
}

std::string echoed_by_bash(const std::string& word) {
    const std::string script = "printf %s " + word;
    std::FILE* const pipe = ::popen(("bash <<'END'\n" + script + "\nEND").c_str(), "r");
    std::array<char, 256> text{};
    const std::size_t size = std::fread(text.data(), 1, text.size(), pipe);
    ::pclose(pipe);
    return {text.data(), size};
}

TEST(ShellWord, IsPastedAsTheTextThatItStandsFor) {
    const std::pair<std::string, std::string> cases[] = {
        {"evt_1", "evt_1"},
        {"demo/capture/a%2Fb@100", "demo/capture/a%2Fb@100"},
        {"", "''"},
        {"a b", "'a b'"},
        {"it's; $HOME `x`", R"('it'\''s; $HOME `x`')"},
        {R"(back\x41slash)", R"('back\x41slash')"},
        {"$'x'", R"('$'\''x'\''')"},
        {"\033[31m'\\", R"($'\x1b\x5b31m\x27\x5c')"},
        {"a\xE2\x80\x8B"
         "b",
         R"($'a\xe2\x80\x8bb')"},
        {"caf\xC3\xA9", "'caf\xC3\xA9'"},
    };
    for (const auto& [text, word] : cases) {
        EXPECT_EQ(shell_word(text), word);
        EXPECT_EQ(printable(word), word) << "a terminal shows it as it is";
        EXPECT_EQ(echoed_by_bash(word), text);
    }
}

}  // namespace
}  // namespace pawl
