#include "tests/e2e/database_proxy.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <vector>

namespace pawl::testing {
namespace {

constexpr int look_again_ms = 5;  // at what the test has set meanwhile

std::string value_of(const std::string& url, const std::string& key) {
    const auto at = url.find(key + "=");
    if (at == std::string::npos) throw std::runtime_error("no " + key + " in " + url);
    const auto begin = at + key.size() + 1;
    return url.substr(begin, url.find('&', begin) - begin);
}

std::string replaced(std::string url, const std::string& key, const std::string& value) {
    const auto begin = url.find(key + "=") + key.size() + 1;
    return url.replace(begin, value_of(url, key).size(), value);
}

process::Fd listen_somewhere(std::uint16_t& port) {
    process::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (bind(fd.get(), any, size) != 0 || listen(fd.get(), 64) != 0 ||
        getsockname(fd.get(), any, &size) != 0) {
        throw std::runtime_error("the proxy cannot listen");
    }
    port = ntohs(address.sin_port);
    return fd;
}

process::Fd connect_to(const std::string& path) {
    process::Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const auto* const any = reinterpret_cast<const sockaddr*>(&address);
    if (connect(fd.get(), any, sizeof address) != 0) fd.reset();
    return fd;
}

std::string read_some(int fd) {
    char some[65536];
    const auto got = recv(fd, some, sizeof some, 0);
    return std::string(some, got > 0 ? static_cast<std::size_t>(got) : 0);
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

}  // namespace

DatabaseProxy::DatabaseProxy(std::string url)
    : socket_path_(value_of(url, "host") + "/.s.PGSQL." + value_of(url, "port")) {
    std::uint16_t port = 0;
    listener_ = listen_somewhere(port);
    url_ = replaced(replaced(std::move(url), "host", "127.0.0.1"), "port", std::to_string(port)) +
           "&sslmode=disable&gssencmode=disable";
    thread_ = std::thread([this] { run(); });
}

DatabaseProxy::~DatabaseProxy() {
    ending_ = true;
    thread_.join();
}

void DatabaseProxy::set(Mode mode) {
    if (mode == Mode::hold_old) hold_open_ones_ = true;
    mode_ = mode;
}

void DatabaseProxy::accept_one() {
    process::Fd program(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (mode_ == Mode::refuse) return;
    process::Fd database = connect_to(socket_path_);
    if (!program.open() || !database.open()) return;
    pairs_.push_back({std::move(program), std::move(database)});
}

void DatabaseProxy::carry_from_program(Pair& pair) {
    const std::string bytes = read_some(pair.program.get());
    pair.over = bytes.empty();
    // libpqxx sends it as a simple query of its own.
    if (bytes.find("COMMIT") != std::string::npos) {
        const Commit now = commit_.exchange(Commit::carry);
        if (now != Commit::carry) ++commits_lost_;
        if (now == Commit::lose) pair.over = true;
        if (now == Commit::lose_answer) pair.cut_at_answer = true;
    }
    if (!pair.over) pair.over = !write_all(pair.database.get(), bytes);
}

void DatabaseProxy::carry_from_database(Pair& pair) {
    const std::string bytes = read_some(pair.database.get());
    pair.over = bytes.empty() || pair.cut_at_answer || !write_all(pair.program.get(), bytes);
}

void DatabaseProxy::run() {
    while (!ending_) {
        if (hold_open_ones_.exchange(false)) {
            for (Pair& pair : pairs_) pair.held = true;
        }
        if (mode_ == Mode::refuse) pairs_.clear();
        if (mode_ == Mode::carry) {
            for (Pair& pair : pairs_) pair.held = false;
        }
        const bool still = mode_ == Mode::hold;
        std::vector<pollfd> watched = {{still ? -1 : listener_.get(), POLLIN, 0}};
        for (Pair& pair : pairs_) {
            const bool held = still || pair.held;
            watched.push_back({held ? -1 : pair.program.get(), POLLIN, 0});
            watched.push_back({held ? -1 : pair.database.get(), POLLIN, 0});
        }
        if (poll(watched.data(), watched.size(), look_again_ms) <= 0) continue;
        auto ready = watched.begin() + 1;
        for (Pair& pair : pairs_) {
            if ((ready++)->revents != 0) carry_from_program(pair);
            if ((ready++)->revents != 0 && !pair.over) carry_from_database(pair);
        }
        pairs_.remove_if([](const Pair& pair) { return pair.over; });
        if (watched.front().revents != 0) accept_one();
    }
}

}  // namespace pawl::testing
