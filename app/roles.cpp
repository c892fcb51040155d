#include "app/roles.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace pawl::app {
namespace {

struct Word {
    std::string_view text;
    bool Roles::*role;
};

constexpr std::array<Word, 4> words{{{"receive", &Roles::receive},
                                     {"work", &Roles::work},
                                     {"enqueue", &Roles::enqueue},
                                     {"admin", &Roles::admin}}};

}  // namespace

Result<Roles> parse_roles(std::string_view text) {
    if (text.empty()) return invalid("--roles is empty; name receive, work, enqueue or admin");
    Roles roles{false, false, false, false};
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(one.size() + (one.size() < text.size() ? 1 : 0));
        const auto found = std::find_if(words.begin(), words.end(),
                                        [&](const Word& word) { return word.text == one; });
        if (found == words.end()) {
            return invalid(fmt::format(
                "role \"{}\": unknown; --roles takes receive, work, enqueue and admin", one));
        }
        roles.*found->role = true;
    }
    return roles;
}

}  // namespace pawl::app
