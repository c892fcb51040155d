// Finds secrets that have more than one use.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "access/tokens.hpp"
#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

void lint_repeated(const ProviderFile& file, Findings& into) {
    auto secrets = file.config.secrets;
    std::sort(secrets.begin(), secrets.end());
    if (std::adjacent_find(secrets.begin(), secrets.end()) == secrets.end()) return;
    into.push_back({Severity::warning, file.place_of("secrets"),
                    fmt::format("provider \"{}\" lists one secret twice", file.config.name),
                    "to rotate, the old and the new one are listed", "remove one"});
}

void lint_token(const std::string& token, const char* variable, Findings& into) {
    if (token.empty() || token.size() >= access::chosen_token_min) return;
    into.push_back({Severity::error,
                    {variable, 0, 0},
                    fmt::format("the token has {} characters", token.size()),
                    "short ones are guessed",
                    fmt::format("use at least {}, for example from `openssl rand -hex 32`",
                                access::chosen_token_min)});
}

}  // namespace

void lint_secrets(const Settings& settings, Findings& into) {
    std::map<std::string, const ProviderFile*> first;
    for (const ProviderFile& file : settings.providers) {
        lint_repeated(file, into);
        for (const std::string& secret : file.config.secrets) {
            const auto [known, is_new] = first.emplace(secret, &file);
            if (is_new || known->second->config.books == file.config.books) continue;
            into.push_back({Severity::error, file.place_of("secrets"),
                            fmt::format("provider \"{}\" shares a secret with \"{}\", under other "
                                        "books",
                                        file.config.name, known->second->config.name),
                            "one genuine delivery, sent to both, would be credited twice",
                            fmt::format("give both the same books, or each its own secret ({})",
                                        to_text(known->second->place_of("secrets")))});
        }
    }
    lint_token(settings.admin_token, "PAWL_ADMIN_TOKEN", into);
    lint_token(settings.api_token, "PAWL_API_TOKEN", into);
}

}  // namespace pawl::app
