// Makes untrusted text fit for a terminal and for a log line: a control character could move the
// cursor, set a title or hide what follows. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pawl {

// Appends `text`. Control characters, those that change the direction of writing, and bytes that
// are not UTF-8 become \uXXXX, except the ASCII ones in `keep`. JSON stays the same JSON.
void append_printable(std::string& out, std::string_view text, std::string_view keep = "");
std::string printable(std::string_view text, std::string_view keep = "");

}  // namespace pawl
