// Settings that are valid and likely to cause problems.
#include <fmt/core.h>

#include <algorithm>

#include "settings/lint/lint.hpp"

namespace pawl::app {

namespace {

// An answer must not wait for a statement that is longer than it.
void lint_timeouts(const Settings& settings, Findings& into) {
    const Duration statement = settings.database.statement_timeout;
    const Duration answer = settings.receive.answer_timeout;
    if (statement < answer) return;
    into.push_back({Severity::warning,
                    nearest_place(settings.places, "database.statement_timeout", "pawl.toml"),
                    fmt::format("statement_timeout ({}) is not shorter than answer_timeout ({})",
                                pawl::to_text(statement), pawl::to_text(answer)),
                    "one slow statement would hold up deliveries until they are answered 503",
                    "make statement_timeout shorter"});
}

}  // namespace

void lint_surroundings(const Settings& settings, Findings& into) {
    lint_timeouts(settings, into);
    const auto place = [&](const char* path) {
        return nearest_place(settings.places, path, "PAWL_ADMIN_LISTEN");
    };
    if (settings.dev && !is_loopback(settings.server.listen)) {
        into.push_back({Severity::error,
                        nearest_place(settings.places, "server.listen", "PAWL_LISTEN"),
                        fmt::format("--dev accepts published secrets, and the public listener is "
                                    "open to the network at {}",
                                    to_text(settings.server.listen)),
                        "any host there could post money",
                        "listen on 127.0.0.1, or set the secrets and start without --dev"});
    }
    if (!is_loopback(settings.server.admin_listen)) {
        into.push_back({Severity::warning, place("server.admin_listen"),
                        fmt::format("the admin listener is open to the network at {}",
                                    to_text(settings.server.admin_listen)),
                        "the admin API and the metrics are served there",
                        "listen on 127.0.0.1, or let a firewall see to it"});
    }
    const auto served = [](const ProviderFile& file) { return file.on; };
    if (std::none_of(settings.providers.begin(), settings.providers.end(), served)) {
        into.push_back({Severity::warning,
                        {(settings.folder / "providers").string(), 0, 0},
                        "no provider is on",
                        "every delivery would be answered 503",
                        "add a file to this folder, or set the variables that those in it name"});
    }
}

}  // namespace pawl::app
