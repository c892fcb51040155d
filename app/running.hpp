// The server that runs on this machine, as a command in a second terminal finds it. `serve` writes
// server.state (mode 600, no secrets) into its data directory and a link to it into a directory of
// its user below /tmp, for commands that do not know the data directory. What a state file says
// counts only while its process lives. Secrets are taken from that process's own environment,
// which the kernel shows to the same user alone. Values; a StateFile belongs to serve.
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
    std::string started;  // by the kernel's clock: tells it from a later process of the same pid
    std::string folder;   // of its configuration
    std::string data_dir;
    Listen listen;
    Listen admin_listen;
    Mode mode = Mode::live;
    bool dev = false;
    bool found_elsewhere = false;  // not in the data directory that the command itself names
};

class StateFile {
  public:
    // Where it cannot be written, commands have to be told where the server is: logged, no error.
    explicit StateFile(const Settings& settings);
    ~StateFile();  // removes it
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

// Options with which the command sees what the server saw. What the command itself was told wins.
LoadOptions joined(LoadOptions options, const RunningServer& server);

}  // namespace pawl::app
