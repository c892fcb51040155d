#include "base/mode.hpp"

namespace pawl {

std::string_view to_text(Mode mode) {
    return mode == Mode::live ? "live" : "test";
}

std::optional<Mode> parse_mode(std::string_view text) {
    for (const Mode mode : {Mode::live, Mode::test}) {
        if (text == to_text(mode)) return mode;
    }
    return std::nullopt;
}

std::string books_in(Mode mode, const std::string& books) {
    return mode == Mode::test ? books + "-test" : books;
}

}  // namespace pawl
