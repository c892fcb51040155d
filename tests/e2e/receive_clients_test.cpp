// The main rows once more with clients that others wrote: curl, and Node with nothing but what it
// brings along.
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "app/settings/well_known.hpp"
#include "tests/e2e/receive_case.hpp"

namespace pawl::testing {
namespace {

using ReceiveClients = ReceiveCase;

std::string on_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = folder + "/" + program;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return "";
}

process::Finished run(std::vector<std::string> argv) {
    process::Command command;
    command.argv = std::move(argv);
    command.env = {"PATH=/usr/bin:/bin", "HOME=/nonexistent"};
    const auto finished = process::run(std::move(command), patience);
    EXPECT_TRUE(finished.ok());
    return finished ? *finished : process::Finished{};
}

class Curl {
  public:
    explicit Curl(std::uint16_t port) : url_("http://127.0.0.1:" + std::to_string(port)) {}

    // "<status> <body>"
    std::string operator()(const std::string& path, const providers::Headers& headers,
                           std::vector<std::string> more) const {
        std::vector<std::string> argv = {on_path("curl"), "-sS", "-q", "--noproxy",     "*",
                                         "--max-time",    "20",  "-w", "\n%{http_code}"};
        for (const auto& [name, value] : headers) {
            argv.emplace_back("-H");
            argv.push_back(name + ": " + value);
        }
        for (std::string& one : more) argv.push_back(std::move(one));
        argv.push_back(url_ + path);
        const std::string said = run(std::move(argv)).output;
        const auto line = said.rfind('\n');
        return said.substr(line + 1) + " " + said.substr(0, line);
    }

  private:
    std::string url_;
};

TEST_F(ReceiveClients, CurlGetsTheMainRows) {
    if (on_path("curl").empty()) GTEST_SKIP() << "there is no curl on PATH";
    const Curl curl(server().port());
    const std::string body = body_of({.id = "curl1"});
    const auto genuine = signed_headers("curl1", body, now());
    const std::string hook = "/webhooks/demo";
    EXPECT_EQ(
        curl(hook, signed_headers("curl1", body, now(), other_secret), {"-d", body}).substr(0, 3),
        "401");
    EXPECT_EQ(curl(hook, genuine, {"-d", body}),
              "200 " + answer_body("curl1", "done", "applied", false));
    EXPECT_EQ(curl(hook, genuine, {"-d", body}),
              "200 " + answer_body("curl1", "done", "applied", true));
    EXPECT_EQ(curl(hook, genuine, {"-d", body, "-H", "Transfer-Encoding: chunked"}),
              "200 " + answer_body("curl1", "done", "applied", true));
    EXPECT_EQ(curl(hook, genuine, {"-d", body, "--http1.0"}).substr(0, 3), "200");
    EXPECT_EQ(curl(hook, genuine, {"-d", body, "-H", "Expect: 100-continue"}).substr(0, 3), "200");
    EXPECT_EQ(curl("/webhooks/nobody", genuine, {"-d", body}).substr(0, 3), "404");
    EXPECT_EQ(curl(hook, {}, {}).substr(0, 3), "405");
}

TEST_F(ReceiveClients, CurlsUploadOverTheLimitIsTooLarge) {
    if (on_path("curl").empty()) GTEST_SKIP() << "there is no curl on PATH";
    const Folder folder;
    write_text(folder / "big", std::string(3 * 1024 * 1024, 'x'));
    const Curl curl(server().port());
    const std::string file = "@" + (folder / "big");
    EXPECT_EQ(curl("/webhooks/demo", {}, {"--data-binary", file}).substr(0, 3), "413");
    EXPECT_EQ(
        curl("/webhooks/demo", {}, {"--data-binary", file, "-H", "Transfer-Encoding: chunked"})
            .substr(0, 3),
        "413");
}

TEST_F(ReceiveClients, NodeGetsTheMainRows) {
    const std::string node = on_path("node");
    if (node.empty()) GTEST_SKIP() << "there is no node on PATH";
    const auto finished =
        run({node, PAWL_SOURCE_DIR "/tests/e2e/receive_client.mjs",
             "http://127.0.0.1:" + std::to_string(server().port()), std::string(app::demo_secret)});
    EXPECT_TRUE(finished.succeeded) << finished.how << "\n" << finished.output;
    EXPECT_NE(finished.output.find("all rows as expected"), std::string::npos) << finished.output;
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:node'"), "300");
}

}  // namespace
}  // namespace pawl::testing
