// The includes that each folder may have, and the users of each library: the two tables that the
// tree is built on. A new folder or library gets a line here first. Constants.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace pawl::tidy {

struct Layer {
    std::string_view folder;
    int level;
};

// A folder includes itself and what has a lower level.
inline constexpr std::array<Layer, 15> layers{{{"base", 0},
                                               {"db", 1},
                                               {"outbound", 1},
                                               {"providers", 1},
                                               {"access", 2},
                                               {"ledger", 2},
                                               {"jobs", 2},
                                               {"payments", 2},
                                               {"workflows", 3},
                                               {"intents", 4},
                                               {"controllers", 5},
                                               {"settings", 5},
                                               {"sandbox", 6},
                                               {"tools", 7},
                                               {"app", 8}}};

inline std::optional<int> level_of(std::string_view folder) {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const Layer& layer) { return layer.folder == folder; });
    return found == layers.end() ? std::nullopt : std::optional(found->level);
}

// Folders that include less than their level permits.
struct Narrow {
    std::string_view folder;
    std::array<std::string_view, 2> includes;
};
inline constexpr std::array<Narrow, 3> narrow{{
    {"ledger", {"base", "db"}},    // it has an entry of its own, and knows no provider's event
    {"payments", {"base", "db"}},  // its rules depend on no gateway and on no HTTP
    {"sandbox", {"base", ""}},     // it stands for another program
}};

inline bool may_include(std::string_view from, std::string_view to) {
    if (from == to) return true;
    const auto less = std::find_if(narrow.begin(), narrow.end(),
                                   [&](const Narrow& one) { return one.folder == from; });
    if (less != narrow.end()) {
        return !to.empty() &&
               std::find(less->includes.begin(), less->includes.end(), to) != less->includes.end();
    }
    const auto level = level_of(from);
    const auto level_to = level_of(to);
    return level && level_to && *level_to < *level;
}

struct ThirdParty {
    std::string_view header;  // how its headers begin
    std::string_view name;
    std::array<std::string_view, 2> users;  // beginnings of paths; empty: unused
};

// fmt may be used everywhere and is not here.
inline constexpr std::array<ThirdParty, 11> third_parties{
    {{"spdlog/", "spdlog", {"base/log", ""}},
     {"openssl/", "OpenSSL", {"base/crypto", ""}},
     {"simdjson", "simdjson", {"base/json", ""}},
     {"pqxx/", "libpqxx", {"db/", ""}},
     {"libpq", "libpq", {"db/", "tests/support/describe"}},
     {"cpr/", "cpr", {"outbound/", ""}},
     {"curl/", "curl", {"outbound/", ""}},
     {"drogon/", "Drogon", {"controllers/http/http_edge", "controllers/http/http_gate"}},
     {"trantor/", "trantor", {"controllers/http/http_edge", "controllers/http/http_gate"}},
     {"toml++/", "toml++", {"settings/", "tests/mutations/"}},
     {"CLI/", "CLI11", {"app/", ""}}}};

}  // namespace pawl::tidy
