#include "app/roles.hpp"

#include <fmt/core.h>

namespace pawl::app {

Result<Roles> parse_roles(std::string_view text) {
    Roles roles{false, false};
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(one.size() + (one.size() < text.size() ? 1 : 0));
        if (one == "receive") {
            roles.receive = true;
        } else if (one == "admin") {
            roles.admin = true;
        } else {
            return invalid(fmt::format("\"{}\" is no role; --roles takes receive and admin", one));
        }
    }
    if (!roles.receive && !roles.admin) {
        return invalid("--roles is empty; name receive, admin or both");
    }
    return roles;
}

}  // namespace pawl::app
