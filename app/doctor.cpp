#include "app/doctor.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "settings/exit_code.hpp"
#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

namespace fs = std::filesystem;

// The nearest directory above a path that exists already: where it would be made.
fs::path existing_part(fs::path path) {
    std::error_code ignored;
    path = fs::absolute(path, ignored);
    while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
    return path;
}

// 0 where the address can be listened on now, else the reason.
int try_listen(const Listen& listen) {
    const bool six = listen.host.find(':') != std::string::npos;
    sockaddr_in6 six_address{};
    sockaddr_in four_address{};
    six_address.sin6_family = AF_INET6;
    six_address.sin6_port = htons(listen.port);
    four_address.sin_family = AF_INET;
    four_address.sin_port = htons(listen.port);
    ::inet_pton(AF_INET6, listen.host.c_str(), &six_address.sin6_addr);
    ::inet_pton(AF_INET, listen.host.c_str(), &four_address.sin_addr);
    const int fd = ::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return errno;
    const int on = 1;  // as the server does: connections of an earlier run do not count
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const int failed =
        six ? ::bind(fd, reinterpret_cast<const sockaddr*>(&six_address), sizeof six_address)
            : ::bind(fd, reinterpret_cast<const sockaddr*>(&four_address), sizeof four_address);
    const int reason = failed != 0 || ::listen(fd, 1) != 0 ? errno : 0;
    ::close(fd);
    return reason;
}

}  // namespace

Check check_configuration(const Loaded& loaded) {
    Findings findings = loaded.findings;
    if (loaded.ok()) findings = lint(loaded.settings);  // an error of it stops `pawl serve`, too
    const auto errors = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::error;
    });
    const std::string folder = loaded.settings.folder.string();
    if (errors == 0) return {"configuration", Health::good, folder, {}};
    return {"configuration", Health::bad, fmt::format("{} errors in {}", errors, folder),
            "pawl lint"};
}

Check check_secrets(const Settings& settings) {
    std::vector<std::string> off;
    for (const ProviderFile& file : settings.providers) {
        if (!file.on) off.push_back(file.config.name);
    }
    const std::size_t on = settings.providers.size() - off.size();
    if (on == 0) return {"providers", Health::doubtful, "none is on", "run pawl lint"};
    return {"providers", Health::good, fmt::format("{} on, {} off", on, off.size()), {}};
}

Check check_port(std::string name, const Listen& listen, pid_t server) {
    const int reason = try_listen(listen);
    const std::string where = to_text(listen);
    if (reason == EADDRINUSE && server != 0) {
        return {std::move(name),
                Health::good,
                fmt::format("{} is served by pawl (pid {})", where, server),
                {}};
    }
    if (reason == 0) return {std::move(name), Health::good, where + " is free", {}};
    if (reason == EADDRINUSE) {
        return {std::move(name), Health::doubtful, where + " is taken",
                "fine if that is pawl itself; else choose another port"};
    }
    return {std::move(name), Health::bad, fmt::format("{}: {}", where, std::strerror(reason)),
            "choose an address of this machine and a port this user may open"};
}

Check check_data_dir(const DatabaseSettings& database) {
    if (!database.url.empty()) return {"data directory", Health::good, "not needed", {}};
    const fs::path there = existing_part(database.data_dir);
    if (::access(there.c_str(), W_OK | X_OK) == 0) {
        return {"data directory", Health::good, database.data_dir.string(), {}};
    }
    return {"data directory", Health::bad, fmt::format("{} cannot be written", there.string()),
            "run it as the user of the server, or set PAWL_DATA_DIR to a directory of this user"};
}

Check check_disk(const DatabaseSettings& database) {
    constexpr std::uintmax_t enough = 1ULL << 30;  // the write-ahead log alone may take this much
    constexpr std::uintmax_t full = 32ULL << 20;   // two segments of it
    std::error_code failed;
    const fs::path there = existing_part(database.data_dir);
    const auto space = fs::space(there, failed);
    if (failed) return {"disk", Health::doubtful, failed.message(), "look at " + there.string()};
    const std::string text =
        fmt::format("{} MiB free at {}", space.available >> 20, there.string());
    if (space.available >= enough) return {"disk", Health::good, text, {}};
    if (space.available < full) return {"disk", Health::bad, text, "free some space: it is full"};
    return {"disk", Health::doubtful, text, "keep 1 GiB free: a full disk stops the database"};
}

Check check_clock() {
    timex state{};
    const int answer = ::adjtimex(&state);
    if (answer == -1) return {"clock", Health::doubtful, "cannot be asked", "run an NTP client"};
    const bool kept = (state.status & STA_UNSYNC) == 0;
    if (kept) return {"clock", Health::good, "synchronised", {}};
    return {"clock", Health::doubtful, "the kernel does not know it to be synchronised",
            "run an NTP client: signatures are judged by their age"};
}

Check check_open_files() {
    constexpr rlim_t enough = 4096;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const std::string text = fmt::format("{} at once", limit.rlim_cur);
    if (limit.rlim_cur >= enough) return {"open files", Health::good, text, {}};
    return {"open files", Health::doubtful, text,
            "ulimit -n 4096, or LimitNOFILE=4096 in its unit"};
}

Checks check_surroundings(const Loaded& loaded, pid_t server) {
    const Settings& settings = loaded.settings;
    return {check_configuration(loaded),
            check_secrets(settings),
            check_port("public port", settings.server.listen, server),
            check_port("admin port", settings.server.admin_listen, server),
            check_data_dir(settings.database),
            check_disk(settings.database),
            check_clock(),
            check_open_files()};
}

int exit_of(const Checks& checks) {
    const auto any = [&](Health health) {
        return std::any_of(checks.begin(), checks.end(),
                           [&](const Check& check) { return check.health == health; });
    };
    if (any(Health::unreachable)) return exit_unreachable;
    if (any(Health::wrong)) return exit_wrong;
    return any(Health::bad) ? exit_no : exit_done;
}

}  // namespace pawl::app
