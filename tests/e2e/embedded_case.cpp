#include "tests/e2e/embedded_case.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "db/session.hpp"
#include "tests/support/scratch.hpp"

namespace pawl::testing {
namespace {

const SystemClock system_clock;

db::Session session_for(const std::string& url) {
    db::SessionOptions options;
    options.url = url;
    options.name = "test";
    options.statement_timeout = std::chrono::seconds(60);
    return db::Session(options);
}

// A killed cluster leaves its socket's directory for the next start; here there is none.
void remove_socket_dirs(const std::string& below) {
    std::error_code failed;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(below, failed)) {
        if (entry.path().filename() != "embedded.state") continue;
        auto text = read_text(entry.path().string());
        auto at = text.find("socket_dir=/");
        if (at == std::string::npos) continue;
        std::filesystem::path found = text.substr(at + 11, text.find('\n', at) - at - 11);
        if (found.filename().string().rfind("pawl-", 0) != 0) continue;
        std::filesystem::remove_all(found, failed);
    }
}

}  // namespace

Folder::Folder(const std::string& parent) : path_(parent) {
    if (path_.empty()) path_ = scratch_root();
    path_ += "/pawl-embedded-XXXXXX";
    if (!mkdtemp(path_.data())) std::abort();
    chmod(path_.c_str(), 0755);
}

Folder::~Folder() {
    remove_socket_dirs(path_);
    // A server that is just shutting down may write during the removal.
    eventually(
        [&] {
            std::error_code failed;
            std::filesystem::remove_all(path_, failed);
            return !failed;
        },
        std::chrono::seconds(10));
}

SmallDisk::SmallDisk(const std::string& on, int mb) : on_(on) {
    std::filesystem::create_directories(on);
    auto size = "mode=0755,size=" + std::to_string(mb) + "m";
    mounted_ = mount("tmpfs", on.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

SmallDisk::~SmallDisk() {
    if (mounted_) umount2(on_.c_str(), MNT_DETACH);
}

bool SmallDisk::make_read_only() {
    return mount("tmpfs", on_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
}

db::EmbeddedOptions options_for(const std::string& data_dir) {
    db::EmbeddedOptions options;
    options.data_dir = data_dir;
    options.clock = &system_clock;
    return options;
}

void run_sql(const std::string& url, const std::string& sql) {
    auto session = session_for(url);
    db::Statement::run_script(session, sql);
}

std::string ask(const std::string& url, const std::string& sql) {
    auto session = session_for(url);
    db::Transaction transaction(session);
    return transaction.run(db::Query{"asked", sql}).value();
}

std::string setting(const std::string& url, const std::string& name) {
    return ask(url, "SELECT current_setting('" + name + "')");
}

std::string start_told(const db::EmbeddedOptions& options,
                       std::optional<db::EmbeddedCluster>& kept) {
    auto began = std::chrono::steady_clock::now();
    auto started = db::EmbeddedCluster::start(options);
    if (!started) return started.error().message;
    kept.emplace(std::move(*started));
    auto took = std::chrono::steady_clock::now() - began;
    return "up " + std::to_string(took / std::chrono::milliseconds(1));
}

Forked::Forked(const std::function<void(const Report&)>& work, uid_t uid) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
    lines_.reset(ends[0]);
    process::Fd report_end(ends[1]);
    pid_ = fork();
    uid_ = uid != 0 ? uid : geteuid();
    if (pid_ != 0) return;
    if (uid != 0 && (setgid(uid) != 0 || setuid(uid) != 0)) _exit(1);
    try {
        work([&](const std::string& text) {
            auto line = text + "\n";
            if (write(report_end.get(), line.data(), line.size()) < 0) _exit(1);
        });
    } catch (const std::exception& error) {
        auto line = std::string("threw ") + error.what() + "\n";
        if (write(report_end.get(), line.data(), line.size()) < 0) _exit(1);
    }
    for (;;) pause();
}

Forked::~Forked() {
    kill_now();
}

std::string Forked::line(std::chrono::milliseconds limit) {
    auto deadline = std::chrono::steady_clock::now() + limit;
    for (;;) {
        auto end = read_.find('\n');
        if (end != std::string::npos) {
            auto first = read_.substr(0, end);
            read_.erase(0, end + 1);
            return first;
        }
        auto left = (deadline - std::chrono::steady_clock::now()) / std::chrono::milliseconds(1);
        pollfd readable{lines_.get(), POLLIN, 0};
        char buffer[4096];
        if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) <= 0) return "";
        auto got = read(lines_.get(), buffer, sizeof buffer);
        if (got <= 0) return "";
        read_.append(buffer, static_cast<std::size_t>(got));
    }
}

void Forked::kill_now() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
    auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

// A zombie counts as ended.
bool alive(pid_t pid) {
    auto stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    auto name_end = stat.rfind(") ");
    return name_end != std::string::npos && stat[name_end + 2] != 'Z';
}

bool am_root() {
    return geteuid() == 0;
}

uid_t uid_of(const char* name) {
    const passwd* entry = getpwnam(name);
    return entry ? entry->pw_uid : 0;
}

void write_text(const std::string& path, const std::string& text, bool append) {
    std::ofstream file(path, append ? std::ios::app : std::ios::trunc);
    file << text;
}

std::string read_text(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace pawl::testing
