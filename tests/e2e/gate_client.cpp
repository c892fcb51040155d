#include "gate_client.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace pawl::gate_test {
namespace {

using Milliseconds = std::chrono::milliseconds;

}  // namespace

Server::Server(std::initializer_list<Setting> environment) {
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
        dup2(out[1], STDOUT_FILENO);
        for (const Setting& setting : environment) setenv(setting.name, setting.value, 1);
        execl(GATE_SERVER, GATE_SERVER, nullptr);
        _exit(127);
    }
    close(out[1]);
    FILE* const ports = fdopen(out[0], "r");
    unsigned open = 0;
    unsigned admin = 0;
    const bool read = ports != nullptr && std::fscanf(ports, "%u %u", &open, &admin) == 2;
    std::fclose(ports);
    if (!read) throw std::runtime_error("gate_server did not start");
    port_ = static_cast<std::uint16_t>(open);
    admin_port_ = static_cast<std::uint16_t>(admin);
}

Server::~Server() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    wait();
}

long Server::rss_kb() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
    }
    return -1;
}

Milliseconds Server::cpu_time() const {
    std::ifstream stat("/proc/" + std::to_string(pid_) + "/stat");
    const std::string line{std::istreambuf_iterator<char>(stat), {}};
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;  // utime and stime follow
    long user = 0;
    long system = 0;
    fields >> user >> system;
    return Milliseconds((user + system) * 1000 / sysconf(_SC_CLK_TCK));
}

bool Server::alive() const {
    const Socket socket(port_);
    socket.send("GET /healthz HTTP/1.0\r\n\r\n");
    return status_of(socket.read_all(std::chrono::seconds(60))) == 200;
}

void Server::terminate() const {
    kill(pid_, SIGTERM);
}

int Server::wait() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Server::metrics() const {
    return ask(admin_port_, "GET /metrics HTTP/1.0\r\n\r\n");
}

Socket::Socket(std::uint16_t port, int receive_buffer)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) {
        setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        close(fd_);
        throw std::runtime_error("connect");
    }
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Socket::~Socket() {
    if (fd_ >= 0) close(fd_);
}

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

bool Socket::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string Socket::read(std::string_view until, Milliseconds within) const {
    const auto give_up = std::chrono::steady_clock::now() + within;
    std::string all;
    char some[65536];
    while (until.empty() || all.find(until) == std::string::npos) {
        const auto left =
            std::chrono::duration_cast<Milliseconds>(give_up - std::chrono::steady_clock::now());
        pollfd waiting{fd_, POLLIN, 0};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) break;
        const auto got = recv(fd_, some, sizeof some, 0);
        if (got <= 0) break;
        all.append(some, static_cast<std::size_t>(got));
    }
    return all;
}

std::string Socket::read_all(Milliseconds within) const {
    return read("", within);
}

std::string Socket::read_until(std::string_view text, Milliseconds within) const {
    return read(text, within);
}

bool Socket::closed_by_peer(Milliseconds within) const {
    pollfd waiting{fd_, POLLIN, 0};
    char byte = 0;
    return poll(&waiting, 1, static_cast<int>(within.count())) > 0 &&
           recv(fd_, &byte, 1, MSG_PEEK) <= 0;
}

std::string ask(std::uint16_t port, std::string_view bytes) {
    const Socket socket(port);
    socket.send(bytes);
    return socket.read_all();
}

int status_of(std::string_view answer) {
    return answer.size() < 12 || !answer.starts_with("HTTP/1.")
               ? 0
               : std::atoi(std::string(answer.substr(9, 3)).c_str());
}

std::string code_of(std::string_view answer) {
    constexpr std::string_view key = "\"code\":\"";
    const auto begin = answer.find(key);
    if (begin == std::string_view::npos) return "";
    const auto value = answer.substr(begin + key.size());
    return std::string(value.substr(0, value.find('"')));
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size())) {
        ++found;
    }
    return found;
}

}  // namespace pawl::gate_test
