// The form of PAWL_DATABASE_URL, judged before libpq sees it: libpq's own complaint about a URL
// quotes the part that it could not read, and that part may be the password. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pawl::app {

struct UrlFault {
    std::string condition;  // follows "is"; without any text of the URL
    std::string remedy;
};

// Returns nullopt for a URL that libpq can parse and whose user and password end where they seem
// to.
std::optional<UrlFault> fault_of_database_url(std::string_view url);

}  // namespace pawl::app
