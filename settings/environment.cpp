#include "settings/environment.hpp"

#include <fmt/core.h>

#include <sstream>

#include "base/hash_chain.hpp"
#include "settings/database_url.hpp"
#include "settings/suggest.hpp"

namespace pawl::app {
namespace {

class Overrides {
  public:
    Overrides(const Variables& variables, Findings& findings)
        : variables_(variables), findings_(findings) {}

    // An empty variable counts as one that is not set.
    std::optional<std::string> get(const char* name) const {
        auto value = variables_(name);
        if (value && value->empty()) return std::nullopt;
        return value;
    }
    void wrong(const char* name, std::string what, std::string_view remedy) {
        findings_.push_back(
            {Severity::error, {name, 0, 0}, std::move(what), {}, std::string(remedy)});
    }
    void listen(const char* name, Listen& into, Place& place) {
        const auto text = get(name);
        if (!text) return;
        const auto parsed = parse_listen(*text);
        if (!parsed) {
            return wrong(name, fmt::format("\"{}\" is not an address to listen on", *text),
                         listen_rule);
        }
        into = *parsed;
        place = {name, 0, 0};
    }

  private:
    const Variables& variables_;
    Findings& findings_;
};

void override_log(Overrides& overrides, LogSettings& into) {
    const auto level = overrides.get("PAWL_LOG");
    if (level && !log::parse_level(*level, into.level)) {
        overrides.wrong("PAWL_LOG", fmt::format("\"{}\" is not a log level", *level),
                        "write trace, debug, info, warn or error");
    }
    const auto format = overrides.get("PAWL_LOG_FORMAT");
    if (!format) return;
    if (*format == "text") into.format = log::Format::text;
    if (*format == "json") into.format = log::Format::json;
    if (*format != "text" && *format != "json") {
        overrides.wrong("PAWL_LOG_FORMAT", fmt::format("\"{}\" is not a log format", *format),
                        "write text or json");
    }
}

// Development plays with test money, unless PAWL_MODE asks for the real one.
void override_mode(Overrides& overrides, bool dev, Mode& into) {
    if (dev) into = Mode::test;
    const auto text = overrides.get("PAWL_MODE");
    if (!text) return;
    if (const auto mode = parse_mode(*text)) {
        into = *mode;
    } else {
        overrides.wrong("PAWL_MODE", fmt::format("\"{}\" is not a mode", *text),
                        "write live or test");
    }
}

// Several are separated by commas: the first writes.
void override_chain_keys(Overrides& overrides, Settings& settings) {
    const auto text = overrides.get("PAWL_CHAIN_KEY");
    if (!text) return;
    std::vector<std::string>& into = settings.server.chain_keys;
    into.clear();
    std::istringstream keys(*text);
    for (std::string key; std::getline(keys, key, ',');) into.push_back(key);
    settings.places["server.chain_keys"] = {"PAWL_CHAIN_KEY", 0, 0};
}

void check_chain_keys(const Settings& settings, Findings& findings) {
    if (settings.server.chain_keys.empty()) return;
    const auto keys = chain::Keys::from(settings.server.chain_keys);
    if (keys) return;
    findings.push_back({Severity::error,
                        nearest_place(settings.places, "server.chain_keys", "PAWL_CHAIN_KEY"),
                        keys.error().message,
                        {},
                        {}});
}

void override_listeners(Overrides& overrides, Settings& settings, Findings& findings) {
    ServerSettings& server = settings.server;
    Place open, admin;
    overrides.listen("PAWL_LISTEN", server.listen, open);
    overrides.listen("PAWL_ADMIN_LISTEN", server.admin_listen, admin);
    // Complaints about an address are about the variable that it comes from.
    if (!open.file.empty()) settings.places["server.listen"] = open;
    if (!admin.file.empty()) settings.places["server.admin_listen"] = admin;
    if (server.listen != server.admin_listen) return;
    const bool by_variable = !open.file.empty() || !admin.file.empty();
    const char* path = admin.file.empty() && by_variable ? "server.listen" : "server.admin_listen";
    findings.push_back({Severity::error,
                        nearest_place(settings.places, path, "PAWL_ADMIN_LISTEN"),
                        fmt::format("both listeners are given {}", to_text(server.listen)),
                        {},
                        by_variable
                            ? "set PAWL_LISTEN and PAWL_ADMIN_LISTEN to addresses that differ"
                            : "give the admin listener an address of its own"});
}

}  // namespace

void apply_environment(const Variables& variables, Settings& settings, Findings& findings) {
    Overrides overrides(variables, findings);
    override_mode(overrides, settings.dev, settings.server.mode);
    override_listeners(overrides, settings, findings);
    if (auto url = overrides.get("PAWL_DATABASE_URL")) {
        if (auto fault = fault_of_database_url(*url)) {
            overrides.wrong("PAWL_DATABASE_URL", std::move(fault->condition), fault->remedy);
        }
        settings.database.url = *url;
    }
    if (auto data = overrides.get("PAWL_DATA_DIR")) settings.database.data_dir = *data;
    override_chain_keys(overrides, settings);
    check_chain_keys(settings, findings);
    if (auto token = overrides.get("PAWL_ADMIN_TOKEN")) settings.admin_token = *token;
    if (auto token = overrides.get("PAWL_API_TOKEN")) settings.api_token = *token;
    override_log(overrides, settings.log);
}

}  // namespace pawl::app
