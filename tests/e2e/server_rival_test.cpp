// `pawl demo`, and the receiver that it compares with: right wherever quick-start code is right, so
// that the comparison is with that and not with something built to fail.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/embedded_case.hpp"
#include "tests/e2e/sandbox_program.hpp"

namespace pawl::testing {
namespace {

class ServerRival : public ::testing::Test {
  protected:
    void SetUp() override { start(); }
    void start() {
        process::Command command;
        command.argv = {PAWL_PROGRAM,         "demo",
                        "--quick-start",      std::to_string(port_),
                        "--quick-start-file", folder_ / "tables"};
        command.env = {"PAWL_CONFIG=" PAWL_SOURCE_DIR "/config"};
        command.death_signal = SIGKILL;
        auto child = process::spawn(command);
        ASSERT_TRUE(child) << child.error().message;
        child_ = std::move(*child);
        ASSERT_TRUE(
            eventually([this] { return HttpClient(port_).get("/balances").status == 200; }));
    }
    void kill_now() {
        child_.signal(SIGKILL);
        child_.wait(patience);
    }
    int send(const Payment& payment) { return DemoSender(port_).send(payment).status; }
    std::string balances() { return HttpClient(port_).get("/balances").body; }

    const Folder folder_;
    const std::uint16_t port_ = free_port();
    process::Child child_;
};

TEST_F(ServerRival, CreditsEachEventOnceInAnyOrder) {
    EXPECT_EQ(send({.id = "e1", .amount = 100, .sequence = 5}), 200);
    EXPECT_EQ(send({.id = "e2", .amount = 30, .sequence = 1}), 200);
    EXPECT_EQ(send({.id = "e1", .amount = 100, .sequence = 5}), 200);
    EXPECT_EQ(balances(), R"({"credited":130,"not_credited":[]})");
}

TEST_F(ServerRival, RejectsWhatIsNotSigned) {
    EXPECT_EQ(DemoSender(port_).post({}, body_of({.id = "e1"})).status, 401);
    EXPECT_EQ(balances(), R"({"credited":0,"not_credited":[]})");
}

TEST_F(ServerRival, KeepsItsTablesThroughAKill) {
    EXPECT_EQ(send({.id = "e1", .amount = 100}), 200);
    kill_now();
    start();
    EXPECT_EQ(send({.id = "e1", .amount = 100}), 200);
    EXPECT_EQ(balances(), R"({"credited":100,"not_credited":[]})");
}

TEST_F(ServerRival, CreditsAPaymentWithTwoEventsTwice) {
    EXPECT_EQ(send({.id = "e1", .payment = "p1", .amount = 100}), 200);
    EXPECT_EQ(send({.id = "e2", .payment = "p1", .amount = 100}), 200);
    EXPECT_EQ(balances(), R"({"credited":200,"not_credited":[]})");
}

TEST_F(ServerRival, LosesTheMoneyOfAnEventWhenKilledBeforeItsCredit) {
    kill_now();
    write_text(folder_ / "tables", "event e1\n");  // the insert, and then the kill
    start();
    EXPECT_EQ(send({.id = "e1", .amount = 100}), 200);
    EXPECT_EQ(balances(), R"({"credited":0,"not_credited":["e1"]})");
}

// The whole demo, shortened: it ends with 0 only where Pawl's books are as expected.
TEST(ServerDemo, EndsAsExpectedThroughAKill) {
    process::Command command;
    command.argv = {PAWL_PROGRAM, "demo",      "--seed=7", "--payments=40",
                    "--orders=2", "--kills=1", "--rate=60"};
    command.env = {"PATH=/usr/bin:/bin", "PAWL_CONFIG=" PAWL_SOURCE_DIR "/config"};
    const auto ended = process::run(command, std::chrono::minutes(3));
    ASSERT_TRUE(ended) << ended.error().message;
    EXPECT_EQ(ended->how, "exited with 0") << ended->output;
    EXPECT_NE(ended->output.find("kill -9, number 1"), std::string::npos) << ended->output;
    EXPECT_NE(ended->output.find("quick-start code credited"), std::string::npos) << ended->output;
}

}  // namespace
}  // namespace pawl::testing
