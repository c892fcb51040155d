// The gate's refusals by the real program; and its commands, run against a running server.
#include "settings/well_known.hpp"
#include "tests/e2e/receive_case.hpp"

namespace pawl::testing {
namespace {

class ReceiveProgram : public ::testing::Test {
  protected:
    process::Finished pawl(std::vector<std::string> arguments) {
        process::Command command;
        command.argv = {PAWL_PROGRAM};
        for (std::string& one : arguments) command.argv.push_back(std::move(one));
        command.env = {"PATH=/usr/bin:/bin", "PAWL_DATABASE_URL=" + shared.database.url(),
                       "PAWL_CONFIG=" PAWL_SOURCE_DIR "/config",
                       "PAWL_DEMO_SECRET=" + std::string(app::demo_secret)};
        const auto finished = process::run(std::move(command), patience);
        EXPECT_TRUE(finished.ok());
        return finished ? *finished : process::Finished{};
    }
    Response ask(const std::string& bytes) {
        return HttpClient(shared.server.port()).exchange(bytes);
    }

    ReceiveServer shared{"\n[server]\nheader_timeout = \"1s\"\nbody_timeout = \"1s\"\n"};
};

TEST_F(ReceiveProgram, LenientHttpIsRefusedByName) {
    struct Case {
        const char* name;
        std::string rest;
        int status;
        const char* code;
    };
    std::string lines;
    for (int i = 0; i < 101; ++i) lines += "X: y\r\n";
    const Case cases[] = {
        {"chunk size", "Transfer-Encoding: chunked\r\n\r\n-2\r\n", 400, "bad_chunk"},
        {"two lengths", "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400, "two_lengths"},
        {"many lines", lines + "\r\n", 431, "too_many_headers"},
        {"a long line", "X: " + std::string(40'000, 'x') + "\r\n\r\n", 431, "headers_too_large"},
        {"half a head", "X: ", 408, "head_too_slow"},
        {"half a body", "Content-Length: 9\r\n\r\nhalf", 408, "body_too_slow"},
    };
    for (const Case& c : cases) {
        const auto answer = ask("POST /webhooks/demo HTTP/1.1\r\nHost: a\r\n" + c.rest);
        EXPECT_EQ(answer.status, c.status) << c.name;
        EXPECT_EQ(answer.code(), c.code) << c.name;
        EXPECT_EQ(answer.header("Content-Type"), "application/problem+json") << c.name;
        EXPECT_EQ(answer.header("Connection"), "close") << c.name;
    }
    EXPECT_EQ(shared.database.value("SELECT count(*) FROM webhook_intents"), "0");
}

TEST_F(ReceiveProgram, DeliveriesAreListedShownAndProven) {
    const auto sent = pawl({"send", "demo", "--count", "200", "--accounts", "3", "--duplicates",
                            "20", "--shuffle", "--seed", "7", "--url",
                            "http://127.0.0.1:" + std::to_string(shared.server.port()), "--live"});
    EXPECT_TRUE(sent.succeeded) << sent.output;
    const std::string first =
        shared.database.value("SELECT event_id FROM webhook_intents ORDER BY event_id LIMIT 1");
    ASSERT_NE(first, "");
    const auto listed = pawl({"intents", "list", "--status", "done", "--limit", "500"});
    EXPECT_TRUE(listed.succeeded) << listed.output;
    EXPECT_NE(listed.output.find(first), std::string::npos) << listed.output;
    const auto shown = pawl({"intents", "show", "demo", first});
    EXPECT_TRUE(shown.succeeded) << shown.output;
    for (const char* member : {"\"intent\"", "\"deliveries\"", "\"transfers\"", "\"timeline\""}) {
        EXPECT_NE(shown.output.find(member), std::string::npos) << member << shown.output;
    }
    EXPECT_FALSE(pawl({"intents", "show", "demo", "nobody"}).succeeded);
    const auto proven = pawl({"verify"});
    EXPECT_TRUE(proven.succeeded) << proven.output;

    shared.database.run(
        "UPDATE balances SET amount = amount + 1 WHERE account = (SELECT "
        "min(account) FROM balances)");
    const auto broken = pawl({"verify"});
    EXPECT_FALSE(broken.succeeded);
    EXPECT_NE(broken.output.find("BROKEN"), std::string::npos) << broken.output;
}

}  // namespace
}  // namespace pawl::testing
