#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace pawl::process {
namespace {

using std::chrono::milliseconds;
constexpr std::size_t captured_bytes_max = 64 * 1024;  // an error is explained by its last lines

milliseconds until(Deadline deadline) {
    return std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
}

// Reads until every writer has closed its end, or the deadline. True: all of it was read.
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
    std::swap(pid_, other.pid_);  // `other` ends with its scope, and what we had with it
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
    if (got < 0 && errno == ECHILD) status_ = 0;  // somebody ignores SIGCHLD: it is gone
    return !status_;
}

void Child::signal(int number) {
    if (!running()) return;
    if (pidfd_.open()) {
        signal_held(pidfd_, number);
    } else {
        kill(pid_, number);  // our own child, not yet reaped: the pid is still its
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
