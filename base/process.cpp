#include "base/process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <poll.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace pawl::process {
namespace {

// The child's data, laid out before fork(): between fork and exec only system calls are safe,
// because another thread may have held malloc's lock.
struct Prepared {
    std::vector<char*> argv;
    std::vector<char*> env;
    std::string uid_map;
    std::string gid_map;
    int null_fd = -1;
    int report_fd = -1;
    pid_t parent = 0;
};

struct Failure {
    int step = 0;
    int error_number = 0;
};
constexpr std::array step_names = {"the user namespace", "the change of user",
                                   "its output",         "its directory",
                                   "its parent ended",   "the program itself"};
enum Step { step_namespace, step_user, step_output, step_directory, step_parent, step_exec };

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

bool write_file(const char* path, const std::string& text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool done = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(fd);
    return done;
}

std::string map_line(unsigned inside, unsigned outside) {
    return std::to_string(inside) + " " + std::to_string(outside) + " 1";
}

// Raw system calls: glibc's setuid would signal "all threads" of a process that has but one.
bool become(const Identity& identity, const std::string& uid_map, const std::string& gid_map) {
    if (identity.how == Identity::How::drop) {
        return syscall(SYS_setgroups, 0, nullptr) == 0 &&
               syscall(SYS_setresgid, identity.gid, identity.gid, identity.gid) == 0 &&
               syscall(SYS_setresuid, identity.uid, identity.uid, identity.uid) == 0;
    }
    if (identity.how == Identity::How::same) return true;
    if (unshare(CLONE_NEWUSER) != 0 || !write_file("/proc/self/uid_map", uid_map)) return false;
    // An unprivileged process may map its group only after giving up setgroups.
    return write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/gid_map", gid_map);
}

[[noreturn]] void give_up(const Prepared& prepared, Step step) {
    Failure failure{step, errno};
    [[maybe_unused]] auto written = write(prepared.report_fd, &failure, sizeof failure);
    _exit(127);
}

void reset_signals() {
    for (int number = 1; number < NSIG; ++number) {
        if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void child_main(const Command& command, const Prepared& prepared) {
    // A session of its own: Ctrl-C in the terminal must not reach the child, which its owner stops.
    setsid();
    reset_signals();
    umask(077);
    int out = command.output_fd >= 0 ? command.output_fd : prepared.null_fd;
    if (dup2(prepared.null_fd, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) {
        give_up(prepared, step_output);
    }
    if (!become(command.identity, prepared.uid_map, prepared.gid_map)) {
        give_up(prepared,
                command.identity.how == Identity::How::mapped ? step_namespace : step_user);
    }
    if (chdir(command.cwd.c_str()) != 0) give_up(prepared, step_directory);
    if (command.death_signal != 0) {  // after the change of user, which clears it
        prctl(PR_SET_PDEATHSIG, command.death_signal);
        // It ended before the request to be notified.
        if (getppid() != prepared.parent) give_up(prepared, step_parent);
    }
    execve(prepared.argv[0], prepared.argv.data(), prepared.env.data());
    give_up(prepared, step_exec);
}

Result<Child> started(pid_t pid, int report_fd, const Command& command) {
    Child child(pid, hold(pid));
    Failure failure;
    ssize_t got = 0;
    do {
        got = read(report_fd, &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof failure) return child;
    return unreachable("cannot start " + command.argv[0] + ": " +
                       step_names[static_cast<std::size_t>(failure.step)] + ": " +
                       reason(failure.error_number));
}

}  // namespace

Result<Child> spawn(const Command& command) {
    Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
    int ends[2];
    if (!null.open() || pipe2(ends, O_CLOEXEC) != 0) {
        return unreachable("cannot start " + command.argv[0] + ": " + reason(errno));
    }
    Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    Prepared prepared{pointers(command.argv),
                      pointers(command.env),
                      map_line(command.identity.uid, geteuid()),
                      map_line(command.identity.gid, getegid()),
                      null.get(),
                      write_end.get(),
                      getpid()};
    // No signal handler may run in the child before they are reset.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) child_main(command, prepared);
    int fork_error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) return unreachable("cannot start a process: " + reason(fork_error));
    write_end.reset();
    return started(pid, read_end.get(), command);
}

bool can_use(const Identity& identity, const std::string& directory, bool write) {
    auto uid_map = map_line(identity.uid, geteuid());
    auto gid_map = map_line(identity.gid, getegid());
    pid_t pid = fork();
    if (pid == 0) {
        bool may =
            become(identity, uid_map, gid_map) &&
            faccessat(AT_FDCWD, directory.c_str(), write ? W_OK | X_OK : X_OK, AT_EACCESS) == 0;
        _exit(may ? 0 : 1);
    }
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

namespace {

using std::chrono::milliseconds;
constexpr std::size_t captured_bytes_max = 64 * 1024;  // an error is explained by its last lines

milliseconds until(Deadline deadline) {
    return std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
}

// Reads until every writer has closed its end, or the deadline. Returns whether all of it was read.
bool drain(int fd, std::string& output, Deadline deadline) {
    char buffer[4096];
    for (;;) {
        pollfd readable{fd, POLLIN, 0};
        auto left = until(deadline).count();
        if (left <= 0) return false;
        if (poll(&readable, 1, static_cast<int>(left)) <= 0) continue;
        auto got = read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        output.append(buffer, static_cast<std::size_t>(got));
        if (output.size() > captured_bytes_max) output.erase(0, output.size() - captured_bytes_max);
    }
}

}  // namespace

std::string reason(int error_number) {
    return std::generic_category().message(error_number);
}

void Fd::reset(int fd) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
}

// By number: glibc 2.36 declares its wrappers without C linkage.
Fd hold(pid_t pid) {
    return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

bool signal_held(const Fd& held, int number) {
    return syscall(SYS_pidfd_send_signal, held.get(), number, nullptr, 0) == 0;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      status_(std::exchange(other.status_, {})) {}

Child& Child::operator=(Child&& other) noexcept {
    std::swap(pid_, other.pid_);  // `other` ends with its scope
    std::swap(pidfd_, other.pidfd_);
    std::swap(status_, other.status_);
    return *this;
}

Child::~Child() {
    if (!running()) return;
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
}

bool Child::running() {
    if (pid_ < 0 || status_) return false;
    int status = 0;
    pid_t got = waitpid(pid_, &status, WNOHANG);
    if (got == pid_) status_ = status;
    if (got < 0 && errno == ECHILD) status_ = 0;  // SIGCHLD is ignored: the kernel has reaped it
    return !status_;
}

void Child::signal(int number) {
    if (!running()) return;
    if (pidfd_.open()) {
        signal_held(pidfd_, number);
    } else {
        kill(pid_, number);  // a child, not yet reaped: the pid is still its
    }
}

bool Child::wait(milliseconds limit) {
    auto deadline = std::chrono::steady_clock::now() + limit;
    while (running()) {
        auto left = until(deadline);
        if (left.count() <= 0) return false;
        pollfd ended{pidfd_.get(), POLLIN, 0};
        // Without a pidfd (old kernels), look every few milliseconds.
        auto pause = pidfd_.open() ? left.count() : std::min<long>(left.count(), 5);
        poll(&ended, pidfd_.open() ? 1 : 0, static_cast<int>(pause));
    }
    return true;
}

bool Child::succeeded() const {
    return status_ && WIFEXITED(*status_) && WEXITSTATUS(*status_) == 0;
}

std::string Child::how_it_ended() const {
    if (!status_) return "still running";
    if (WIFEXITED(*status_)) return "exited with " + std::to_string(WEXITSTATUS(*status_));
    int number = WTERMSIG(*status_);
    return "killed by signal " + std::to_string(number) + " (SIG" +
           (sigabbrev_np(number) ? sigabbrev_np(number) : "?") + ")";
}

Result<Finished> run(Command command, milliseconds limit) {
    auto deadline = std::chrono::steady_clock::now() + limit;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return unreachable("no pipe: " + reason(errno));
    Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    command.output_fd = write_end.get();
    auto child = spawn(command);
    if (!child) return child.error();
    write_end.reset();
    Finished finished;
    bool in_time = drain(read_end.get(), finished.output, deadline);
    in_time = in_time && child->wait(std::max(until(deadline), milliseconds(1)));
    if (!in_time) {
        // The whole group: what it started has the pipe too. Not reaped yet, so the id is its own.
        killpg(child->pid(), SIGKILL);
        child->wait(milliseconds(1000));
        finished.how = "took longer than " + std::to_string(limit.count()) + " ms and was killed";
        return finished;
    }
    finished.succeeded = child->succeeded();
    finished.how = child->how_it_ended();
    return finished;
}

}  // namespace pawl::process
