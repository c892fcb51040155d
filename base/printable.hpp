// Makes untrusted text fit for a terminal and for a log line: a control character could move the
// cursor, set a title or hide what follows. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pawl {

// Appends `text`. Control characters, invisible ones, those that change the direction of writing,
// and bytes that are not UTF-8 become \uXXXX, except the ASCII ones in `keep`. JSON stays the same
// JSON.
void append_printable(std::string& out, std::string_view text, std::string_view keep = "");
std::string printable(std::string_view text, std::string_view keep = "");

// One word of a shell, to be pasted: as it is where that is plain, else quoted; with $'...' and
// \xXX (bash, zsh, ksh) where printable() would change it.
std::string shell_word(std::string_view text);

}  // namespace pawl
