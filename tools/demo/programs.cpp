#include "tools/demo/programs.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/json.hpp"
#include "base/rng.hpp"
#include "outbound/http_client.hpp"

namespace pawl::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t token_bytes = 24;

bool can_bind(std::uint16_t port) {
    const process::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// From below the range out of which the kernel serves clients: any client could take a port of that
// range while a killed program waits for its restart.
std::uint16_t free_port() {
    constexpr unsigned first = 10000;
    constexpr unsigned count = 9000;
    static unsigned next = static_cast<unsigned>(getpid()) * 8;
    for (unsigned tried = 0; tried < count; ++tried) {
        const auto port = static_cast<std::uint16_t>(first + next++ % count);
        if (can_bind(port)) return port;
    }
    return 0;
}

std::string at(std::uint16_t port) {
    return "127.0.0.1:" + std::to_string(port);
}

// Every file of it below `into`, with each of these texts replaced.
void copy_changed(const fs::path& from, const fs::path& into,
                  const std::vector<std::pair<std::string, std::string>>& changes) {
    fs::create_directories(into);
    for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
        const fs::path to = into / entry.path().filename();
        if (entry.is_directory()) {
            copy_changed(entry.path(), to, changes);
            continue;
        }
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        std::string changed = text.str();
        for (const auto& [what, with] : changes) {
            const std::size_t found = changed.find(what);
            if (found != std::string::npos) changed.replace(found, what.size(), with);
        }
        std::ofstream(to) << changed;
    }
}

Result<void> wait_for(const std::string& url, process::Child& child, const std::string& log) {
    for (int i = 0; i < 1500; ++i) {
        if (fetch(url).status == 200) return {};
        if (!child.running()) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::stringstream said;
    said << std::ifstream(log).rdbuf();
    return unreachable("a program of the demo did not come up: " + said.str());
}

}  // namespace

Fetched send_json(const std::string& method, const std::string& url, const std::string& body,
                  const std::string& token, const std::string& key) {
    outbound::HttpRequest request;
    request.method = method;
    request.url = url;
    request.body = body;
    request.allow_private = true;
    request.within = std::chrono::seconds(15);
    if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
    if (!key.empty()) request.headers.emplace_back("Idempotency-Key", key);
    if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    const auto outcome = outbound::send(request);
    const auto* reply = std::get_if<outbound::HttpReply>(&outcome);
    return reply == nullptr ? Fetched{} : Fetched{reply->status, reply->body};
}

Fetched fetch(const std::string& url, const std::string& token) {
    return send_json("GET", url, "", token);
}

std::int64_t number_in(const std::string& text, const std::string& pointer) {
    const auto document = json::Document::parse(text);
    const auto path = json::Pointer::parse(pointer);
    const auto value = document && path ? document->root().at(*path) : std::nullopt;
    return value ? std::atoll(value->text().value_or("0").c_str()) : 0;
}

std::set<std::string> texts_in(const std::string& text, const std::string& pointer) {
    const auto document = json::Document::parse(text);
    const auto path = json::Pointer::parse(pointer);
    const auto list = document && path ? document->root().at(*path) : std::nullopt;
    std::set<std::string> texts;
    if (!list) return texts;
    for (const json::Value& one : list->children()) texts.insert(one.text().value_or(""));
    return texts;
}

Result<std::unique_ptr<DemoPrograms>> DemoPrograms::prepare(const Settings& settings,
                                                            std::uint64_t seed) {
    auto programs = std::unique_ptr<DemoPrograms>(new DemoPrograms);
    std::string folder = (fs::temp_directory_path() / "pawl-demo-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) {
        return unreachable(fmt::format("{} cannot be made: {}", folder, process::reason(errno)));
    }
    // The embedded database may run as another user, which must be able to enter here.
    fs::permissions(folder, fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
    programs->folder_ = folder;
    programs->seed_ = seed;
    programs->pawl_port_ = free_port();
    programs->admin_port_ = free_port();
    programs->sandbox_port_ = free_port();
    programs->rival_port_ = free_port();
    SecureRng rng;
    programs->api_token_ = random_token(rng, token_bytes);
    programs->admin_token_ = random_token(rng, token_bytes);
    // Bounds: a killed process is detected when its lease ends, and a call that hangs at its
    // timeout.
    copy_changed(settings.folder, programs->folder_ / "config",
                 {{"http://127.0.0.1:8090", programs->sandbox_url()},
                  {"timeout       = \"10s\"", "timeout       = \"1500ms\""},
                  {"lease         = \"30s\"", "lease         = \"3s\""}});
    return programs;
}

DemoPrograms::~DemoPrograms() {
    pawl_.signal(SIGTERM);
    pawl_.wait(std::chrono::seconds(10));  // its database stops with it
    rival_.signal(SIGKILL);
    sandbox_.signal(SIGTERM);
    sandbox_.wait(std::chrono::seconds(2));
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::string DemoPrograms::pawl_url() const {
    return "http://" + at(pawl_port_);
}
std::string DemoPrograms::admin_url() const {
    return "http://" + at(admin_port_);
}
std::string DemoPrograms::sandbox_url() const {
    return "http://" + at(sandbox_port_);
}
std::string DemoPrograms::rival_url() const {
    return "http://" + at(rival_port_);
}

Result<process::Child> DemoPrograms::spawn(const std::vector<std::string>& arguments,
                                           const std::string& log) const {
    process::Command command;
    command.argv = {fs::read_symlink("/proc/self/exe").string()};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    const char* path = std::getenv("PATH");
    command.env = {fmt::format("PATH={}", path == nullptr ? "/usr/bin:/bin" : path),
                   fmt::format("PAWL_CONFIG={}", (folder_ / "config").string()),
                   fmt::format("PAWL_DATA_DIR={}", (folder_ / "data").string()),
                   fmt::format("PAWL_LISTEN={}", at(pawl_port_)),
                   fmt::format("PAWL_ADMIN_LISTEN={}", at(admin_port_)),
                   fmt::format("PAWL_API_TOKEN={}", api_token_),
                   fmt::format("PAWL_ADMIN_TOKEN={}", admin_token_)};
    const process::Fd output(
        open((folder_ / log).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    command.output_fd = output.get();
    command.death_signal = SIGTERM;
    return process::spawn(command);
}

Result<void> DemoPrograms::start_sandbox() {
    auto child =
        spawn({"sandbox", "--listen", at(sandbox_port_), "--webhook-url",
               pawl_url() + "/webhooks/sandbox", "--seed", std::to_string(seed_), "--fault",
               "timeout_after=20:4000", "--fault", "reset_after=10", "--fault", "reset_before=10",
               "--fault", "webhook_repeated=10:2", "--fault", "unavailable=5"},
              "sandbox.log");
    if (!child) return child.error();
    sandbox_ = std::move(*child);
    return wait_for(sandbox_url() + "/sandbox/counts", sandbox_, folder_ / "sandbox.log");
}

Result<void> DemoPrograms::start_receivers() {
    auto rival = spawn({"demo", "--quick-start", std::to_string(rival_port_), "--quick-start-file",
                        (folder_ / "rival.tables").string()},
                       "rival.log");
    if (!rival) return rival.error();
    rival_ = std::move(*rival);
    auto pawl = spawn({"serve", "--dev"}, "pawl.log");
    if (!pawl) return pawl.error();
    pawl_ = std::move(*pawl);
    if (auto up = wait_for(rival_url() + "/balances", rival_, folder_ / "rival.log"); !up) {
        return up;
    }
    return wait_for(pawl_url() + "/healthz", pawl_, folder_ / "pawl.log");
}

void DemoPrograms::kill_receivers() {
    pawl_.signal(SIGKILL);
    rival_.signal(SIGKILL);
    pawl_.wait(std::chrono::seconds(5));
    rival_.wait(std::chrono::seconds(5));
}

}  // namespace pawl::app
