#include "tests/e2e/notify_case.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <sstream>

namespace pawl::testing {
namespace {

constexpr const char* secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
// During a rotation the newer one stands first; the subscriber still has the older one.
constexpr const char* newer_secret = "whsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";

}  // namespace

std::string node_program() {
    utsname machine{};
    uname(&machine);
    const bool arm = std::string(machine.machine) == "aarch64";
    const std::string program = std::string(PAWL_SOURCE_DIR) + "/node_modules/node-linux-" +
                                (arm ? "arm64" : "x64") + "/bin/node";
    return access(program.c_str(), X_OK) == 0 ? program : "";
}

void NotifyCase::SetUp() {
    if (node_program().empty()) GTEST_SKIP() << "no JavaScript packages: run setup/node.sh";
    config = copied_config(folder);
    start_subscribers();
}

void NotifyCase::start_subscribers() {
    const std::string port_file = folder / "port";
    const process::Fd log(
        open((folder / "subscriber.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    process::Command command;
    command.argv = {node_program(), PAWL_SOURCE_DIR "/tests/e2e/subscriber.mjs", port_file,
                    folder / "told", secret};
    command.env = {"PATH=/usr/bin:/bin"};
    command.death_signal = SIGKILL;
    command.output_fd = log.get();
    auto child = process::spawn(command);
    ASSERT_TRUE(child.ok());
    program_ = std::move(*child);
    ASSERT_TRUE(eventually([&] { return !read_text(port_file).empty(); }))
        << read_text(folder / "subscriber.log");
    port_ = static_cast<std::uint16_t>(std::stoi(read_text(port_file)));
}

void NotifyCase::subscribe(const std::string& name, const std::string& kind,
                           const std::string& more) {
    subscribers += "\n[[subscriber]]\nname = \"" + name +
                   "\"\nurl = \"http://127.0.0.1:" + std::to_string(port_) + "/" + kind +
                   "\"\nsecrets = [\"" + newer_secret + "\", \"" + secret +
                   "\"]\nallow_private = true\n" + more + "\n";
}

void NotifyCase::start(const std::string& settings, const std::string& faults) {
    write_text(config + "/pawl.toml", settings + subscribers);
    ServerOptions options{
        .data_dir = folder / "data", .database_url = database.url(), .config = config};
    options.faults = faults;
    options.admin_token = admin_token;
    server = std::make_unique<Server>(options);
    server->start();
}

std::vector<Told> NotifyCase::told(const std::string& kind) const {
    std::vector<Told> all;
    std::istringstream lines(read_text(folder / "told"));
    Told one;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        words >> one.kind >> one.id >> one.type >> one.account >> one.attempt >> one.correlation_id;
        if (one.kind == kind) all.push_back(one);
    }
    return all;
}

std::map<std::string, int> NotifyCase::times_by_id(const std::string& kind) const {
    std::map<std::string, int> times;
    for (const Told& one : told(kind)) ++times[one.id];
    return times;
}

int NotifyCase::most_at_once() const {
    std::istringstream words(read_text(folder / "told"));
    int most = 0;
    for (std::string word; words >> word;) {
        if (word == "most-at-once" && words >> word) most = std::max(most, std::stoi(word));
    }
    return most;
}

std::string NotifyCase::refused() const {
    const std::string all = read_text(folder / "told");
    const auto at = all.find("refused");
    return at == std::string::npos ? "" : all.substr(at, 200);
}

void NotifyCase::deliver(int from, int count, int accounts) {
    DemoSender sender(server->port());
    for (int i = from; i < from + count; ++i) {
        const std::string account = "user:" + std::to_string(i % accounts);
        Response answer;
        const bool taken = eventually([&] {
            answer = sender.send({.id = "n" + std::to_string(i), .account = account});
            return answer.status == 200;
        });
        ASSERT_TRUE(taken) << answer.status << answer.body;
    }
}

}  // namespace pawl::testing
