// The main rows once more with clients that others wrote: curl, and Node with nothing but what it
// brings along.
#include "settings/well_known.hpp"
#include "tests/e2e/foreign_clients.hpp"
#include "tests/e2e/receive_case.hpp"

namespace pawl::testing {
namespace {

using ReceiveClients = ReceiveCase;

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
    const auto finished = run_program({node, PAWL_SOURCE_DIR "/tests/e2e/receive_client.mjs",
                                       url_of(server().port()), std::string(app::demo_secret)});
    EXPECT_TRUE(finished.succeeded) << finished.how << "\n" << finished.output;
    EXPECT_NE(finished.output.find("all rows as expected"), std::string::npos) << finished.output;
    EXPECT_EQ(database().value("SELECT amount FROM balances WHERE account = 'user:node'"), "300");
}

}  // namespace
}  // namespace pawl::testing
