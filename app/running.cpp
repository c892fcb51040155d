#include "app/running.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <vector>

#include "base/log.hpp"
#include "base/process.hpp"

namespace pawl::app {
namespace {

namespace fs = std::filesystem;
using Values = std::map<std::string, std::string, std::less<>>;

constexpr const char* state_name = "server.state";

std::string read_all(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// NAME=value, each ended by `end`.
Values parse_values(const std::string& text, char end) {
    Values values;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line, end);) {
        const std::size_t equals = line.find('=');
        if (equals != std::string::npos) values[line.substr(0, equals)] = line.substr(equals + 1);
    }
    return values;
}

std::string value_of(const Values& values, std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
}

// When the process began; empty: there is none.
std::string started_at(pid_t pid) {
    const std::string stat = read_all(fmt::format("/proc/{}/stat", pid));
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos) return "";
    std::istringstream rest(stat.substr(name_end + 2));
    constexpr int fields_before = 19;  // state is the third field, starttime the 22nd
    std::string field;
    for (int i = 0; i <= fields_before; ++i) rest >> field;
    return field;
}

fs::path absolute_of(const fs::path& path) {
    std::error_code ignored;
    const fs::path full = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
    return full.empty() ? path : full;
}

// Every user can write into /tmp: a link of another user is not believed.
bool is_own(const fs::path& path, mode_t kind) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 && found.st_uid == geteuid() &&
           (found.st_mode & S_IFMT) == kind && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Holds a link for each server of this user; empty where there is none that can be trusted.
fs::path links_folder(bool make) {
    std::error_code failed;
    const fs::path folder =
        fs::temp_directory_path(failed) / fmt::format("pawl-servers-{}", geteuid());
    if (failed) return {};
    if (make) ::mkdir(folder.c_str(), 0700);
    return is_own(folder, S_IFDIR) ? folder : fs::path{};
}

std::string text_of(const Settings& settings, pid_t pid) {
    return fmt::format(
        "pid={}\nstarted={}\nconfig={}\ndata_dir={}\nlisten={}\nadmin_listen={}\nmode={}\ndev={}\n",
        pid, started_at(pid), absolute_of(settings.folder).string(),
        absolute_of(settings.database.data_dir).string(), to_text(settings.server.listen),
        to_text(settings.server.admin_listen), to_text(settings.server.mode), settings.dev);
}

// Readers see the whole text or none: it is written to a temporary file and renamed over it.
bool write_private(const fs::path& file, const std::string& text) {
    const std::string part = fmt::format("{}.{}", file.string(), getpid());
    const process::Fd fd(
        ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.open()) return false;
    const bool whole =
        ::fchmod(fd.get(), 0600) == 0 &&
        ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::rename(part.c_str(), file.c_str()) == 0;
    if (!whole) ::unlink(part.c_str());
    return whole;
}

// The state in the file, if its process lives.
std::optional<RunningServer> read_state(const fs::path& file) {
    if (!is_own(file, S_IFREG)) return std::nullopt;
    const Values values = parse_values(read_all(file), '\n');
    RunningServer server;
    const std::string pid = value_of(values, "pid");
    std::from_chars(pid.data(), pid.data() + pid.size(), server.pid);
    server.started = value_of(values, "started");
    if (server.pid <= 0 || server.started.empty() || started_at(server.pid) != server.started) {
        return std::nullopt;
    }
    const auto listen = parse_listen(value_of(values, "listen"));
    const auto admin_listen = parse_listen(value_of(values, "admin_listen"));
    const auto mode = parse_mode(value_of(values, "mode"));
    if (!listen || !admin_listen || !mode) return std::nullopt;
    server.folder = value_of(values, "config");
    server.data_dir = value_of(values, "data_dir");
    server.listen = *listen;
    server.admin_listen = *admin_listen;
    server.mode = *mode;
    server.dev = value_of(values, "dev") == "true";
    return server;
}

// Links of servers that were killed are removed on the way.
std::vector<RunningServer> servers_of_this_user() {
    std::vector<RunningServer> servers;
    const fs::path folder = links_folder(false);
    if (folder.empty()) return servers;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const auto server = read_state(fs::read_symlink(entry.path(), ignored));
        if (server && entry.path().filename() == std::to_string(server->pid)) {
            servers.push_back(*server);
        } else {
            fs::remove(entry.path(), ignored);
        }
    }
    return servers;
}

Values environment_of(pid_t pid) {
    return parse_values(read_all(fmt::format("/proc/{}/environ", pid)), '\0');
}

// The servers of one data directory. Further files of servers that were killed are removed on the
// way; the usual one is replaced by the next server.
std::vector<RunningServer> servers_in(const fs::path& folder) {
    std::vector<RunningServer> servers;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename();
        const bool further = name.starts_with("server-") && name.ends_with(".state");
        if (!further && name != state_name) continue;
        if (const auto server = read_state(entry.path())) {
            servers.push_back(*server);
        } else if (further) {
            fs::remove(entry.path(), ignored);
        }
    }
    return servers;
}

// The only one, or the one of the embedded database: the others have named theirs.
Result<std::optional<RunningServer>> server_in(const fs::path& folder) {
    auto servers = servers_in(folder);
    if (servers.size() > 1) {
        std::erase_if(servers, [](const RunningServer& one) {
            return !value_of(environment_of(one.pid), "PAWL_DATABASE_URL").empty();
        });
        if (servers.size() != 1) {
            return invalid(fmt::format(
                "data directory {}: several servers run in it; set PAWL_DATABASE_URL to the "
                "database that is meant",
                folder.string()));
        }
    }
    return servers.empty() ? std::nullopt : std::optional(servers.front());
}

Error several(const std::vector<RunningServer>& servers) {
    std::string dirs;
    for (const RunningServer& one : servers) dirs += (dirs.empty() ? "" : ", ") + one.data_dir;
    return invalid(
        fmt::format("several servers run here: {}; set PAWL_DATA_DIR to the one that is "
                    "meant",
                    dirs));
}

// The only one that passes, or nothing; an error where several do.
template <class Passes>
Result<std::optional<RunningServer>> only_one(Passes passes) {
    std::vector<RunningServer> found;
    for (RunningServer& one : servers_of_this_user()) {
        one.found_elsewhere = true;
        if (passes(one)) found.push_back(std::move(one));
    }
    if (found.size() > 1) return several(found);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

}  // namespace

StateFile::StateFile(const Settings& settings) {
    const fs::path folder = absolute_of(settings.database.data_dir);
    std::error_code ignored;
    if (fs::create_directories(folder, ignored)) ::chmod(folder.c_str(), 0700);
    // Servers of named databases may share the directory: the file of one that lives stays.
    const bool taken = read_state(folder / state_name).has_value();
    file_ = folder / (taken ? fmt::format("server-{}.state", getpid()) : std::string(state_name));
    if (!write_private(file_, text_of(settings, getpid()))) {
        log::info(
            "server state could not be written; other commands need options to find this server",
            {{"file", file_.string()}, {"error", process::reason(errno)}});
        file_.clear();
        return;
    }
    const fs::path links = links_folder(true);
    if (links.empty()) return;
    link_ = links / std::to_string(getpid());
    fs::remove(link_, ignored);
    fs::create_symlink(file_, link_, ignored);
}

StateFile::~StateFile() {
    std::error_code ignored;
    if (!link_.empty()) fs::remove(link_, ignored);
    if (file_.empty()) return;
    const auto server = read_state(file_);
    if (server && server->pid == getpid()) fs::remove(file_, ignored);
}

Result<std::optional<RunningServer>> find_running(const LoadOptions& options) {
    const auto told = [&](const char* name) { return options.variables(name).value_or(""); };
    const std::string url = told("PAWL_DATABASE_URL");
    if (!url.empty()) {
        const auto of_that_database = [&](const RunningServer& one) {
            return value_of(environment_of(one.pid), "PAWL_DATABASE_URL") == url;
        };
        const auto found = only_one(of_that_database);
        // A fleet shares its database: the command's options are enough.
        return found ? found : Result<std::optional<RunningServer>>(std::nullopt);
    }
    LoadOptions own = options;
    own.with_providers = false;
    const Settings settings = load(own).settings;
    const fs::path data_dir = absolute_of(settings.database.data_dir);
    if (auto server = server_in(data_dir); !server || *server) return server;
    if (!told("PAWL_DATA_DIR").empty()) return std::optional<RunningServer>();
    // A database that is here is the one that is meant, although its server has stopped or was
    // killed.
    std::error_code ignored;
    if (fs::exists(data_dir, ignored)) return std::optional<RunningServer>();
    return only_one([&](const RunningServer& one) {
        return settings.embedded() || one.folder == absolute_of(settings.folder).string();
    });
}

LoadOptions started_as(const RunningServer& server) {
    LoadOptions options;
    options.folder = server.folder;
    options.dev = server.dev;
    Values values = environment_of(server.pid);
    values["PAWL_DATA_DIR"] = server.data_dir;
    values["PAWL_LISTEN"] = to_text(server.listen);
    values["PAWL_ADMIN_LISTEN"] = to_text(server.admin_listen);
    values["PAWL_MODE"] = to_text(server.mode);
    options.variables =
        [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
    return options;
}

LoadOptions joined(LoadOptions options, const RunningServer& server) {
    const LoadOptions theirs = started_as(server);
    if (options.folder.empty() && options.variables("PAWL_CONFIG").value_or("").empty()) {
        options.folder = theirs.folder;
    }
    options.dev = options.dev || theirs.dev;
    options.variables = [own = options.variables, of_server = theirs.variables](
                            const std::string& name) -> std::optional<std::string> {
        if (auto value = own(name); value && !value->empty()) return value;
        return of_server(name);
    };
    return options;
}

}  // namespace pawl::app
