// README's sections "Try it" and "From zero to your first Stripe webhook", in their order, their
// commands taken from the page itself and run as a reader would: one shell for each terminal, in
// one clone, with nothing set. Two programs are stood in for: Stripe's own
// (tests/e2e/stripe_cli.mjs, which signs with Stripe's package), and `make`, which is only asked
// whether it knows the target: the program is built already.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/e2e/foreign_clients.hpp"
#include "tests/e2e/notify_case.hpp"
#include "tests/e2e/sandbox_program.hpp"

namespace pawl::testing {
namespace {

namespace fs = std::filesystem;

// The indented blocks of a section, each what a reader pastes into one terminal.
std::vector<std::vector<std::string>> blocks_of(const std::string& heading) {
    std::istringstream page(read_text(PAWL_SOURCE_DIR "/README.md"));
    std::vector<std::vector<std::string>> blocks;
    bool inside = false, open = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("## ")) inside = line == "## " + heading;
        const bool command = inside && line.starts_with("    ");
        if (command && !open) blocks.emplace_back();
        if (command) blocks.back().push_back(line.substr(4));
        open = command;
    }
    return blocks;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

class ServerReadme : public ::testing::Test {
  protected:
    ServerReadme() {
        for (const char* one : {"tmp", "bin", "clone", "clone/build", "clone/build/release"}) {
            fs::create_directory(folder / one);
        }
        fs::create_symlink(PAWL_SOURCE_DIR "/config", folder / "clone/config");
        fs::create_symlink(PAWL_PROGRAM, folder / "clone/build/release/pawl");
        stand_in("stripe", node_program() + " " PAWL_SOURCE_DIR "/tests/e2e/stripe_cli.mjs \"$@\"");
        stand_in("make", on_path("make") + " -n -C " PAWL_SOURCE_DIR " \"$@\" >/dev/null");
    }
    void stand_in(const std::string& name, const std::string& line) {
        const std::string file = folder / "bin/" + name;
        write_text(file, "#!/bin/sh\nexec " + line + "\n");
        chmod(file.c_str(), 0755);
    }
    process::Command terminal(std::vector<std::string> lines, bool stays,
                              std::vector<std::string> more = {}) {
        // A command that stays in the foreground takes the shell's place, so that its end ends
        // both.
        if (stays) lines.back() = "exec env " + lines.back();
        std::string script = "set -eu\n";
        for (const std::string& line : lines) script += replaced(line, "127.0.0.1:8080", at) + "\n";
        process::Command command;
        command.argv = {"/bin/bash", "-c", script};
        command.cwd = folder / "clone";
        command.env = {"PATH=" + folder / "bin" + ":/usr/local/bin:/usr/bin:/bin",
                       "HOME=" + folder.path(), "TMPDIR=" + folder / "tmp",
                       "STRIPE_STAND_IN_PORT=" + folder / "port"};
        for (std::string& one : more) command.env.push_back(std::move(one));
        return command;
    }
    process::Child left_running(process::Command command, const std::string& name) {
        const process::Fd log(
            open((folder / name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
        command.output_fd = log.get();
        command.death_signal = SIGKILL;
        auto child = process::spawn(command);
        EXPECT_TRUE(child.ok());
        return child ? std::move(*child) : process::Child();
    }

    std::vector<std::string> listeners(const std::string& data_dir = "") const {
        std::vector<std::string> variables = {
            "PAWL_LISTEN=" + at, "PAWL_ADMIN_LISTEN=127.0.0.1:" + std::to_string(free_port()),
            "PAWL_LOG_FORMAT=text"};
        if (!data_dir.empty()) variables.push_back("PAWL_DATA_DIR=" + data_dir);
        return variables;
    }
    // A server of the page's commands, once it answers and other commands can find it.
    process::Child served(const std::vector<std::string>& lines, const std::string& data_dir) {
        auto server = left_running(terminal(lines, true, listeners()), "server.log");
        EXPECT_TRUE(eventually([&] {
            return !server.running() ||
                   (HttpClient(port).get("/healthz").status == 200 &&
                    fs::exists(folder / ("clone/" + data_dir + "/server.state")));
        }));
        EXPECT_TRUE(server.running()) << read_text(folder / "server.log");
        return server;
    }
    static void expect_stops(process::Child& server) {
        server.signal(SIGTERM);
        EXPECT_TRUE(server.wait(patience));
        EXPECT_EQ(server.how_it_ended(), "exited with 0");
    }
    ::testing::AssertionResult done(const std::vector<std::string>& lines,
                                    std::initializer_list<const char*> says) {
        const auto commands = process::run(terminal(lines, false), patience);
        if (!commands) return ::testing::AssertionFailure() << commands.error().message;
        for (const char* part : says) {
            if (commands->succeeded && commands->output.find(part) != std::string::npos) continue;
            return ::testing::AssertionFailure()
                   << part << ": " << commands->how << "\n"
                   << commands->output << read_text(folder / "server.log");
        }
        return ::testing::AssertionSuccess();
    }

    Folder folder;
    const std::uint16_t port = free_port();
    const std::string at = "127.0.0.1:" + std::to_string(port);
};

TEST_F(ServerReadme, EveryCommandInTheOrderOfThePageWorks) {
    if (node_program().empty()) GTEST_SKIP() << "no JavaScript packages: run setup/node.sh";
    const auto tried = blocks_of("Try it");
    ASSERT_EQ(tried.size(), 1U);
    auto development = served({"build/release/pawl serve --dev"}, ".pawl");
    EXPECT_TRUE(done(tried[0], {"holds"}));
    expect_stops(development);

    const auto blocks = blocks_of("From zero to your first Stripe webhook");
    ASSERT_EQ(blocks.size(), 3U) << "a terminal each: the server, Stripe's listener, commands";
    auto server = served(blocks[0], ".pawl-stripe");
    auto listener = left_running(terminal(blocks[1], true), "listener.log");
    ASSERT_TRUE(eventually([&] { return !listener.running() || fs::exists(folder / "port"); }));
    ASSERT_TRUE(listener.running()) << read_text(folder / "listener.log");
    EXPECT_TRUE(done(blocks[2], {"Trigger succeeded!", "payment_intent.succeeded", "applied",
                                 "user:42", "20.00 USD", "holds"}));
    expect_stops(server);

    const auto lost = process::run(
        terminal({"build/release/pawl serve --dev"}, true, listeners(".pawl-stripe")), patience);
    ASSERT_TRUE(lost.ok());
    EXPECT_EQ(lost->how, "exited with 2");
    for (const char* part :
         {"set STRIPE_WEBHOOK_SECRET", "another data directory (PAWL_DATA_DIR)"}) {
        EXPECT_NE(lost->output.find(part), std::string::npos) << part << lost->output;
    }
}

}  // namespace
}  // namespace pawl::testing
