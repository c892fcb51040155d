#include "tests/e2e/server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/e2e/http_client.hpp"
#include "tests/support/free_port.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

pid_t parent_of(pid_t pid) {
    const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    const auto name_end = stat.rfind(") ");
    if (name_end == std::string::npos) return 0;
    std::istringstream rest(stat.substr(name_end + 2));
    std::string state;
    pid_t parent = 0;
    rest >> state >> parent;
    return parent;
}

}  // namespace

Server::Server(ServerOptions options) : options_(std::move(options)), admin_port_(free_port()) {
    if (options_.port == 0) options_.port = free_port();
}

Server::~Server() {
    kill_now();
    if (!::testing::Test::HasFailure()) return;
    const std::string all = said();
    constexpr std::size_t last_part = 6000;
    std::cerr << "--- pawl said:\n" << all.substr(all.size() - std::min(all.size(), last_part));
}

std::string Server::log_path() const {
    return options_.data_dir + ".log";
}
std::string Server::said() const {
    return read_text(log_path());
}

std::vector<std::string> Server::environment() const {
    const std::string here = "127.0.0.1:";
    std::vector<std::string> all = {
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "PAWL_CONFIG=" + (options_.config.empty() ? PAWL_SOURCE_DIR "/config" : options_.config),
        "PAWL_DATA_DIR=" + options_.data_dir,
        "PAWL_DATABASE_URL=" + options_.database_url,
        "PAWL_LISTEN=" + here + std::to_string(port()),
        "PAWL_ADMIN_LISTEN=" + here + std::to_string(admin_port_),
        "PAWL_FAULTS=" + options_.faults,
        "PAWL_LOG=debug",
        "PAWL_LOG_FORMAT=text",
    };
    if (!options_.admin_token.empty()) all.push_back("PAWL_ADMIN_TOKEN=" + options_.admin_token);
    all.insert(all.end(), options_.variables.begin(), options_.variables.end());
    // Where sanitizers put their findings, and the like.
    for (const char* passed_on : {"TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
        if (const char* value = std::getenv(passed_on)) {
            all.push_back(std::string(passed_on) + "=" + value);
        }
    }
    return all;
}

void Server::spawn() {
    const process::Fd log(
        open(log_path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    process::Command command;
    command.argv = options_.within;
    const std::string program = options_.program.empty() ? PAWL_PROGRAM : options_.program;
    command.argv.insert(command.argv.end(), {program, "serve"});
    if (options_.dev) command.argv.emplace_back("--dev");
    if (!options_.roles.empty()) command.argv.push_back("--roles=" + options_.roles);
    command.env = environment();
    command.identity = options_.identity;
    command.death_signal = SIGKILL;
    command.output_fd = log.get();
    auto child = process::spawn(command);
    if (!child) {
        ADD_FAILURE() << child.error().message;
        return;
    }
    child_ = std::move(*child);
}

bool Server::up_within(milliseconds limit) {
    return eventually(
               [this] {
                   if (!running()) return true;
                   HttpClient client(port());
                   return client.get("/healthz").status == 200;
               },
               limit) &&
           running();
}

milliseconds Server::start() {
    const auto began = std::chrono::steady_clock::now();
    spawn();
    EXPECT_TRUE(up_within(patience)) << "pawl does not come up: " << how_it_ended();
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began);
}

std::string Server::refusal() {
    kill_now();
    const std::size_t said_before = said().size();
    spawn();
    if (!ended_within(patience)) return "";
    EXPECT_EQ(how_it_ended(), "exited with 2");
    return said().substr(said_before);
}

std::string Server::command(std::vector<std::string> arguments) const {
    process::Command command;
    command.argv = {PAWL_PROGRAM};
    for (std::string& one : arguments) command.argv.push_back(std::move(one));
    command.env = {"PATH=/usr/bin:/bin", "PAWL_DATABASE_URL=" + options_.database_url,
                   "PAWL_CONFIG=" + options_.config};
    const auto finished = process::run(std::move(command), patience);
    EXPECT_TRUE(finished.ok());
    return finished ? finished->output : "";
}

void Server::kill_now() {
    child_.signal(SIGKILL);
    child_.wait(patience);
}

long Server::rss_kb() const {
    std::istringstream status(read_text("/proc/" + std::to_string(pid()) + "/status"));
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
    }
    return -1;
}

std::string Server::embedded_url() const {
    const auto url = db::EmbeddedCluster::running(options_for(options_.data_dir));
    return url && *url ? **url : "";
}

pid_t Server::postmaster() const {
    const std::string file = options_.data_dir + "/postgres/postmaster.pid";
    return static_cast<pid_t>(std::atoi(first_line(file).c_str()));
}

std::vector<pid_t> Server::postgres_processes() const {
    const pid_t parent = postmaster();
    std::vector<pid_t> all = {parent};
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const pid_t pid = std::atoi(entry.path().filename().c_str());
        if (pid > 0 && parent_of(pid) == parent) all.push_back(pid);
    }
    return all;
}

std::string copied_config(const Folder& folder) {
    const std::string config = folder / "config";
    std::filesystem::copy(PAWL_SOURCE_DIR "/config", config,
                          std::filesystem::copy_options::recursive);
    return config;
}

}  // namespace pawl::testing
