// The data directory of an embedded cluster: made, locked, and its state file. The lock is an
// open-file-description lock (released when its holder dies) on two bytes of pawl.lock: byte 0
// belongs to the one process that runs the server, byte 1 is shared by commands that use the server
// of another. A Lock belongs to one thread; the functions may be called from any.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"

namespace pawl::db::cluster {

// The directory by its full name; made, with its parents, where it is missing.
Result<std::string> make_data_dir(const std::string& data_dir);

struct Holder {
    pid_t pid = 0;
    std::string purpose;
};

class Lock {
  public:
    enum class Part { owner, users };

    static Result<Lock> open(const std::string& data_dir);

    bool try_own();             // byte 0, exclusive
    bool try_use();             // byte 1, shared with other users
    bool try_keep_users_out();  // byte 1, exclusive: no process uses the server any more
    void unlock(Part part);
    bool owned_by_another() const;
    Holder holder() const;  // as the owner wrote it; pid 0: not yet written
    void write_holder(const Holder& holder);

  private:
    explicit Lock(process::Fd fd) : fd_(std::move(fd)) {}
    bool set(short type, Part part);
    process::Fd fd_;
};

// Becomes the owner. Waits up to `busy_limit` where a short command is, and not at all for a
// server.
Result<Lock> own(const std::string& data_dir, const Holder& us, const Clock& clock,
                 std::chrono::milliseconds busy_limit);

// embedded.state: the state for other commands, and for the next start.
struct Notes {
    std::string cluster;  // the cluster's directory, if it is elsewhere
    std::string socket_dir;
    pid_t ready = 0;  // the pawl whose server accepts connections; 0: none does
};

Notes read_notes(const std::string& data_dir);
Result<void> write_notes(const std::string& data_dir, const Notes& notes);

}  // namespace pawl::db::cluster
