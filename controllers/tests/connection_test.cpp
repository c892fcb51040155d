#include "controllers/http/connection.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pawl::http {
namespace {

using namespace std::chrono_literals;

const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// Writes down what the connection does.
struct Recorder final : Wire {
    void hand_over(FramedRequest request) override {
        said.push_back("request " + request.body + (request.keep_alive ? "" : " last"));
    }
    void refuse(const FramingRefusal& refusal) override { said.push_back(refusal.code); }
    void send_continue() override { said.push_back("continue"); }
    void finish() override { said.push_back("finish"); }
    void close() override { said.push_back("close"); }
    std::size_t unsent() const override { return unread; }
    std::size_t unread = 0;
    std::vector<std::string> said;
};

using Said = std::vector<std::string>;

class ConnectionTest : public ::testing::Test {
  protected:
    void send(std::string_view bytes) { connection.received(bytes, now); }
    void answer() { connection.answered(now); }
    void pass(std::chrono::milliseconds time) { connection.tick(now += time); }

    ConnectionLimits limits = [] {
        ConnectionLimits l;
        l.pipelined_bytes = 1000;
        return l;
    }();
    Budget budget{100'000};
    Recorder wire;
    Steady now{};
    Connection connection{limits, budget, wire, now};
};

TEST_F(ConnectionTest, ClosesOneThatNeverSaysAnything) {
    pass(9'999ms);
    EXPECT_EQ(wire.said, Said{});
    pass(1ms);
    EXPECT_EQ(wire.said, Said{"finish"});
    pass(2s);
    EXPECT_EQ(wire.said, (Said{"finish", "close"}));
}

TEST_F(ConnectionTest, ATrickleOfBytesDoesNotMoveTheDeadlineOfTheHead) {
    for (int i = 0; i < 19; ++i) {
        send(i == 0 ? "G" : "E");
        pass(500ms);
    }
    EXPECT_EQ(wire.said, Said{});
    pass(500ms);
    EXPECT_EQ(wire.said, Said{"head_too_slow"});
    answer();
    pass(2s);
    EXPECT_EQ(wire.said, (Said{"head_too_slow", "finish", "close"}));
}

TEST_F(ConnectionTest, TheBodyHasADeadlineOfItsOwn) {
    pass(9s);
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n");
    pass(29s);
    send("x");
    EXPECT_EQ(wire.said, Said{});
    pass(1s);
    EXPECT_EQ(wire.said, Said{"body_too_slow"});
}

TEST_F(ConnectionTest, ASecondRequestGetsItsOwnTime) {
    send(get);
    answer();
    pass(50s);
    send("G");
    pass(9s);
    EXPECT_EQ(wire.said, Said{"request "});
    pass(1s);
    EXPECT_EQ(wire.said, (Said{"request ", "head_too_slow"}));
}

TEST_F(ConnectionTest, WorkingOnAnAnswerIsNotIdling) {
    send(get);
    pass(1h);
    EXPECT_EQ(wire.said, Said{"request "});
    answer();
    pass(59s);
    EXPECT_EQ(wire.said, Said{"request "});
    pass(1s);
    EXPECT_EQ(wire.said, (Said{"request ", "finish"}));
}

TEST_F(ConnectionTest, TheNextRequestBeginsWhenTheOneBeforeIsAnswered) {
    send(get + get + get + get.substr(0, 5));
    for (std::size_t answered = 1; answered <= 3; ++answered) {
        EXPECT_EQ(wire.said.size(), answered);
        answer();
    }
    EXPECT_EQ(wire.said.size(), 3U);
    send(get.substr(5) + get);
    EXPECT_EQ(wire.said.size(), 4U);
    answer();
    EXPECT_EQ(wire.said.size(), 5U);
}

TEST_F(ConnectionTest, ReadBytesNoLongerCount) {
    send(get + get + get);
    answer();  // the second has begun, the third is held
    send(std::string(1000 - get.size(), '\n'));
    EXPECT_EQ(wire.said, (Said{"request ", "request "}));
    send("\n");
    EXPECT_EQ(wire.said.back(), "pipelined_too_much");
}

TEST_F(ConnectionTest, BeginsNothingWhileAnswersAreNotRead) {
    wire.unread = 100'000;
    send(get + get);
    pass(1s);
    EXPECT_EQ(wire.said, Said{});
    wire.unread = 64 * 1024;
    pass(1s);
    answer();
    EXPECT_EQ(wire.said, (Said{"request ", "request "}));
}

TEST_F(ConnectionTest, AClientThatReadsSlowlyIsNeitherIdleNorCut) {
    wire.unread = 5'000;
    send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    answer();
    for (; wire.unread > 0; wire.unread -= 500) pass(9s);
    EXPECT_EQ(wire.said, (Said{"request  last", "finish"}));
    pass(1'999ms);
    EXPECT_EQ(wire.said, (Said{"request  last", "finish"}));
    pass(1ms);
    EXPECT_EQ(wire.said.back(), "close");
}

TEST_F(ConnectionTest, AClientThatReadsNothingIsCut) {
    wire.unread = 5'000;
    send(get);
    answer();
    pass(9'999ms);
    EXPECT_EQ(wire.said, Said{"request "});
    pass(1ms);
    EXPECT_EQ(wire.said.back(), "close");
}

TEST_F(ConnectionTest, KeepsABoundedNumberOfPipelinedBytes) {
    send(get + "X");
    send(std::string(1000, 'x'));
    EXPECT_EQ(wire.said.back(), "pipelined_too_much");
    send(get);
    EXPECT_EQ(wire.said.size(), 2U);
}

TEST_F(ConnectionTest, ReadsNothingAfterTheLastRequest) {
    send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + get);
    EXPECT_EQ(wire.said, Said{"request  last"});
    answer();
    EXPECT_EQ(wire.said, (Said{"request  last", "finish"}));
}

TEST_F(ConnectionTest, AContinueWaitsForTheAnswerBeforeIt) {
    const std::string expecting =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n";
    send(get + expecting);
    EXPECT_EQ(wire.said, Said{"request "});
    answer();
    EXPECT_EQ(wire.said, (Said{"request ", "continue"}));
    send("x");
    EXPECT_EQ(wire.said.back(), "request x");
}

TEST_F(ConnectionTest, RefusesWhenTheMemoryOfAllIsUsedUpAndGivesItsOwnBack) {
    ASSERT_TRUE(budget.take(99'000));
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n" + std::string(4000, 'x'));
    EXPECT_EQ(wire.said, Said{"overloaded"});
    EXPECT_EQ(budget.used(), 99'000U);
}

TEST_F(ConnectionTest, HeldBytesAreCounted) {
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n" + std::string(40'000, 'x'));
    EXPECT_GE(budget.used(), 40'000U - limits.small_request_bytes);
    send(std::string(10'000, 'x'));
    EXPECT_EQ(budget.used(), 0U);  // the request is the handler's now
}

TEST_F(ConnectionTest, HangingUpClosesTheIdleAndLetsTheBegunFinish) {
    send(get);
    connection.drain(now);
    connection.hang_up(now);
    EXPECT_EQ(wire.said, Said{"request "});
    answer();
    EXPECT_EQ(wire.said, (Said{"request ", "finish"}));
}

TEST_F(ConnectionTest, ANewRequestWhileDrainingIsRefusedAndTheLast) {
    send(get);
    connection.drain(now);
    send(get + get);
    EXPECT_EQ(wire.said, (Said{"request ", "shutting_down"}));
    answer();
    answer();
    EXPECT_EQ(wire.said.back(), "finish");
}

TEST_F(ConnectionTest, AnIdleOneThatDrainsSaysSoUntilItIsHungUp) {
    connection.drain(now);
    EXPECT_EQ(wire.said, Said{});
    connection.hang_up(now);
    EXPECT_EQ(wire.said, Said{"finish"});
}

TEST_F(ConnectionTest, DrainingLetsAHalfSentRequestFinishAsTheLast) {
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n");
    connection.drain(now);
    connection.hang_up(now);
    send("x" + get);
    EXPECT_EQ(wire.said, Said{"request x last"});
    answer();
    EXPECT_EQ(wire.said.back(), "finish");
}

TEST_F(ConnectionTest, DrainingGivesUpOnHalfAHead) {
    send("POST / HT");
    connection.drain(now);
    pass(limits.drain_begun_within - 1ms);
    EXPECT_EQ(wire.said, Said{});
    pass(1ms);
    EXPECT_EQ(wire.said, Said{"shutting_down"});
    answer();
    pass(limits.drain_linger);
    EXPECT_EQ(wire.said, (Said{"shutting_down", "finish", "close"}));
}

TEST_F(ConnectionTest, ABodyThatBeginsWhileItDrainsHasNoMoreTimeThanItsHead) {
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-");
    connection.drain(now);
    pass(limits.drain_begun_within - 1ms);
    send("Length: 2\r\n\r\nx");
    EXPECT_EQ(wire.said, Said{});
    pass(1ms);
    EXPECT_EQ(wire.said, Said{"shutting_down"});
}

TEST_F(ConnectionTest, DrainingCutsAClientThatReadsNothing) {
    send(get);
    answer();
    wire.unread = 10;
    pass(1ms);
    connection.drain(now);
    pass(limits.drain_unread_within - 1ms);
    EXPECT_EQ(wire.said, Said{"request "});
    pass(1ms);
    EXPECT_EQ(wire.said, (Said{"request ", "close"}));
}

TEST_F(ConnectionTest, ALingeringConnectionLingersNoLongerWhenDrainingBegins) {
    send("rubbish\r\n");
    answer();
    connection.drain(now);
    pass(limits.drain_linger);
    EXPECT_EQ(wire.said.back(), "close");
}

TEST_F(ConnectionTest, AClientThatKeepsSendingAfterARefusalIsCut) {
    send("rubbish\r\n");
    EXPECT_EQ(wire.said, Said{"bad_request_line"});
    answer();
    for (int i = 0; i < 9; ++i) send(std::string(1'000'000, 'x'));
    EXPECT_EQ(wire.said.back(), "close");
}

}  // namespace
}  // namespace pawl::http
