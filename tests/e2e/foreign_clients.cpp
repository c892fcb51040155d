#include "tests/e2e/foreign_clients.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace pawl::testing {
namespace {

const std::vector<std::string> plain_environment = {"PATH=/usr/bin:/bin", "HOME=/nonexistent"};

}  // namespace

std::string on_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = folder + "/" + program;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return "";
}

std::string url_of(std::uint16_t port) {
    return "http://127.0.0.1:" + std::to_string(port);
}

process::Finished run_program(std::vector<std::string> argv) {
    process::Command command;
    command.argv = std::move(argv);
    command.env = plain_environment;
    const auto finished = process::run(std::move(command), patience);
    EXPECT_TRUE(finished.ok());
    return finished ? *finished : process::Finished{};
}

std::string Curl::operator()(const std::string& path, const providers::Headers& headers,
                             std::vector<std::string> more) const {
    std::vector<std::string> argv = {on_path("curl"), "-sS", "-q", "--noproxy",     "*",
                                     "--max-time",    "20",  "-w", "\n%{http_code}"};
    for (const auto& [name, value] : headers) {
        argv.emplace_back("-H");
        argv.push_back(name + ": " + value);
    }
    for (std::string& one : more) argv.push_back(std::move(one));
    argv.push_back(url_ + path);
    const std::string said = run_program(std::move(argv)).output;
    const auto line = said.rfind('\n');
    return said.substr(line + 1) + " " + said.substr(0, line);
}

Background::Background(std::vector<std::string> argv) {
    const process::Fd log(open(log_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    process::Command command;
    command.argv = std::move(argv);
    command.env = plain_environment;
    command.output_fd = log.get();
    auto child = process::spawn(command);
    EXPECT_TRUE(child.ok());
    if (child) child_ = std::move(*child);
}

std::string Background::finish() {
    EXPECT_TRUE(child_.wait(patience)) << said();
    return child_.how_it_ended();
}

RawConnection::RawConnection(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

void RawConnection::send(std::string_view bytes) const {
    EXPECT_EQ(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
}

std::string RawConnection::read_to_its_end(std::chrono::milliseconds limit) const {
    const auto give_up = std::chrono::steady_clock::now() + limit;
    std::string all;
    for (;;) {
        const auto left =
            (give_up - std::chrono::steady_clock::now()) / std::chrono::milliseconds(1);
        pollfd readable{fd_.get(), POLLIN, 0};
        char some[16384];
        if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) <= 0) return all + "<no end>";
        const auto got = recv(fd_.get(), some, sizeof some, 0);
        if (got <= 0) return all;
        all.append(some, static_cast<std::size_t>(got));
    }
}

}  // namespace pawl::testing
