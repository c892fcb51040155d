// Child processes without a shell: started as another user, or as a mapped user in a user namespace
// of their own; waited for with a deadline; signalled by pidfd, so that a reused pid is never hit.
// A Child belongs to one thread. With `death_signal` the kernel signals the child when the THREAD
// that spawned it ends: spawn from a thread that lives as long as the child should.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace pawl::process {

// The user and group that a child runs as.
struct Identity {
    enum class How {
        same,    // the present user
        drop,    // setuid to uid and gid: needs root
        mapped,  // a user namespace in which the process is called uid and gid; outside its ids
                 // stay
    };
    How how = How::same;
    uid_t uid = 0;
    gid_t gid = 0;
};

struct Command {
    std::vector<std::string> argv;  // argv[0] is a path; PATH is not searched
    std::vector<std::string> env;   // all of it: nothing is inherited, so no secret leaks
    std::string cwd = "/";          // a dropped user may be unable to enter the current one
    Identity identity;
    int death_signal = 0;  // sent to the child when its parent thread ends; 0: none
    int output_fd = -1;    // stdout and stderr; -1: /dev/null, or captured by run()
};

// A file descriptor that closes itself.
class Fd {
  public:
    explicit Fd(int fd = -1) : fd_(fd) {}
    ~Fd() { reset(); }
    Fd(Fd&& other) noexcept : fd_(other.release()) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    int get() const { return fd_; }
    bool open() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1);

  private:
    int fd_;
};

// A process held by its pidfd: a signal reaches this process or none, even if its pid is reused.
Fd hold(pid_t pid);
bool signal_held(const Fd& held, int number);

using Deadline = std::chrono::steady_clock::time_point;

class Child {
  public:
    Child() = default;
    Child(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    ~Child();  // sends SIGKILL and waits, if it is still running

    bool running();  // reaps it when it has ended
    pid_t pid() const { return pid_; }
    int pidfd() const { return pidfd_.get(); }  // readable (poll) once the child has ended
    void signal(int number);
    bool wait(std::chrono::milliseconds limit);  // false: still running
    // Formats "exited with 1" or "killed by signal 9 (Killed)", for a child that has ended.
    std::string how_it_ended() const;
    bool succeeded() const;

  private:
    pid_t pid_ = -1;
    Fd pidfd_;
    std::optional<int> status_;
};

// Reports the failed step and its cause if the program could not be started.
Result<Child> spawn(const Command& command);

struct Finished {
    bool succeeded = false;
    std::string how;     // exit status, or that it was killed at its deadline
    std::string output;  // stdout and stderr together, the last 64 KiB
};

// Runs it to its end; killed with SIGKILL when it takes longer than `limit`.
Result<Finished> run(Command command, std::chrono::milliseconds limit);

// Returns whether a process of that identity could enter (list and create in, with `write`) the
// directory.
bool can_use(const Identity& identity, const std::string& directory, bool write);

// "Permission denied": errno's text, thread-safe.
std::string reason(int error_number);

}  // namespace pawl::process
