// Which folder may include which, and who may use which library: the two tables that the tree is
// built on. A new folder or library gets a line here first. Constants.
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

// A folder includes itself and what has a lower level. One exception: app starts the sandbox.
inline constexpr std::array<Layer, 13> layers{{{"base", 0},
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
                                               {"sandbox", 6},
                                               {"app", 6}}};

inline std::optional<int> level_of(std::string_view folder) {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const Layer& layer) { return layer.folder == folder; });
    return found == layers.end() ? std::nullopt : std::optional(found->level);
}

inline bool may_include(std::string_view from, std::string_view to) {
    if (from == to || (from == "app" && to == "sandbox")) return true;
    // The sandbox stands for somebody else's program: it shares base and nothing more.
    if (from == "sandbox") return to == "base";
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
     {"libpq", "libpq", {"db/", ""}},
     {"cpr/", "cpr", {"outbound/", ""}},
     {"curl/", "curl", {"outbound/", ""}},
     {"drogon/", "Drogon", {"controllers/http_edge", "controllers/http_gate"}},
     {"trantor/", "trantor", {"controllers/http_edge", "controllers/http_gate"}},
     {"toml++/", "toml++", {"app/settings/", "tests/mutations/"}},
     {"CLI/", "CLI11", {"app/", ""}}}};

}  // namespace pawl::tidy
