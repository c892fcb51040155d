// The server that runs on this machine, as a command in another terminal finds it. `serve` writes
// server.state (mode 600, no secrets) into its data directory (server-<pid>.state next to that of
// another server that lives) and a link to it into a directory of its user below /tmp, for commands
// that do not know the data directory. A state file counts only while its process lives. Secrets
// are read from that process's environment, which the kernel shows to the same user alone. Values;
// a StateFile belongs to serve.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

struct RunningServer {
    pid_t pid = 0;
    std::string started;  // by the kernel's clock; a later process of the same pid differs
    std::string folder;   // configuration folder
    std::string data_dir;
    Listen listen;
    Listen admin_listen;
    Mode mode = Mode::live;
    bool dev = false;
    bool found_elsewhere = false;  // not in the data directory that the command itself names
};

class StateFile {
  public:
    // If it cannot be written, commands need options to find the server: logged, not an error.
    explicit StateFile(const Settings& settings);
    ~StateFile();  // removes its own
    StateFile(const StateFile&) = delete;
    StateFile& operator=(const StateFile&) = delete;

  private:
    std::filesystem::path file_;
    std::filesystem::path link_;
};

// The server that a command with these options means: the one of the database or data directory
// that its environment names, else of the default data directory, else the only one of this user.
// An error where several are meant.
Result<std::optional<RunningServer>> find_running(const LoadOptions& options);

// Options as the server itself was started with, for what a terminal cannot know.
LoadOptions started_as(const RunningServer& server);

// Options with the server's environment filled in. The command's own options win.
LoadOptions joined(LoadOptions options, const RunningServer& server);

}  // namespace pawl::app
