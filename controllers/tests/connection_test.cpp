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

TEST_F(ConnectionTest, closes_one_that_never_says_anything) {
    pass(9'999ms);
    EXPECT_EQ(wire.said, Said{});
    pass(1ms);
    EXPECT_EQ(wire.said, Said{"finish"});
    pass(2s);
    EXPECT_EQ(wire.said, (Said{"finish", "close"}));
}

TEST_F(ConnectionTest, a_trickle_of_bytes_does_not_move_the_deadline_of_the_head) {
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

TEST_F(ConnectionTest, the_body_has_a_deadline_of_its_own) {
    pass(9s);
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n");
    pass(29s);
    send("x");
    EXPECT_EQ(wire.said, Said{});
    pass(1s);
    EXPECT_EQ(wire.said, Said{"body_too_slow"});
}

TEST_F(ConnectionTest, a_second_request_gets_its_own_time) {
    send(get);
    answer();
    pass(50s);
    send("G");
    pass(9s);
    EXPECT_EQ(wire.said, Said{"request "});
    pass(1s);
    EXPECT_EQ(wire.said, (Said{"request ", "head_too_slow"}));
}

TEST_F(ConnectionTest, working_on_an_answer_is_not_idling) {
    send(get);
    pass(1h);
    EXPECT_EQ(wire.said, Said{"request "});
    answer();
    pass(59s);
    EXPECT_EQ(wire.said, Said{"request "});
    pass(1s);
    EXPECT_EQ(wire.said, (Said{"request ", "finish"}));
}

TEST_F(ConnectionTest, the_next_request_begins_when_the_one_before_is_answered) {
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

TEST_F(ConnectionTest, what_was_held_and_is_read_counts_no_more) {
    send(get + get + get);
    answer();  // the second has begun, the third is held
    send(std::string(1000 - get.size(), '\n'));
    EXPECT_EQ(wire.said, (Said{"request ", "request "}));
    send("\n");
    EXPECT_EQ(wire.said.back(), "pipelined_too_much");
}

TEST_F(ConnectionTest, begins_nothing_while_answers_are_not_read) {
    wire.unread = 100'000;
    send(get + get);
    pass(1s);
    EXPECT_EQ(wire.said, Said{});
    wire.unread = 64 * 1024;
    pass(1s);
    answer();
    EXPECT_EQ(wire.said, (Said{"request ", "request "}));
}

TEST_F(ConnectionTest, a_client_that_reads_slowly_is_neither_idle_nor_cut) {
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

TEST_F(ConnectionTest, a_client_that_reads_nothing_is_cut) {
    wire.unread = 5'000;
    send(get);
    answer();
    pass(9'999ms);
    EXPECT_EQ(wire.said, Said{"request "});
    pass(1ms);
    EXPECT_EQ(wire.said.back(), "close");
}

TEST_F(ConnectionTest, keeps_a_bounded_number_of_pipelined_bytes) {
    send(get + "X");
    send(std::string(1000, 'x'));
    EXPECT_EQ(wire.said.back(), "pipelined_too_much");
    send(get);
    EXPECT_EQ(wire.said.size(), 2U);
}

TEST_F(ConnectionTest, nothing_is_read_after_the_last_request) {
    send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + get);
    EXPECT_EQ(wire.said, Said{"request  last"});
    answer();
    EXPECT_EQ(wire.said, (Said{"request  last", "finish"}));
}

TEST_F(ConnectionTest, a_continue_waits_for_the_answer_before_it) {
    const std::string expecting =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n";
    send(get + expecting);
    EXPECT_EQ(wire.said, Said{"request "});
    answer();
    EXPECT_EQ(wire.said, (Said{"request ", "continue"}));
    send("x");
    EXPECT_EQ(wire.said.back(), "request x");
}

TEST_F(ConnectionTest, refuses_when_the_memory_of_all_is_used_up_and_gives_its_own_back) {
    ASSERT_TRUE(budget.take(99'000));
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n" + std::string(4000, 'x'));
    EXPECT_EQ(wire.said, Said{"overloaded"});
    EXPECT_EQ(budget.used(), 99'000U);
}

TEST_F(ConnectionTest, what_it_holds_is_accounted_for) {
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n" + std::string(40'000, 'x'));
    EXPECT_GE(budget.used(), 40'000U - limits.small_request_bytes);
    send(std::string(10'000, 'x'));
    EXPECT_EQ(budget.used(), 0U);  // the request is the handler's now
}

TEST_F(ConnectionTest, hanging_up_closes_the_idle_and_lets_the_begun_finish) {
    send(get);
    connection.drain(now);
    connection.hang_up(now);
    EXPECT_EQ(wire.said, Said{"request "});
    answer();
    EXPECT_EQ(wire.said, (Said{"request ", "finish"}));
}

TEST_F(ConnectionTest, what_begins_while_it_drains_is_refused_and_the_last) {
    send(get);
    connection.drain(now);
    send(get + get);
    EXPECT_EQ(wire.said, (Said{"request ", "shutting_down"}));
    answer();
    answer();
    EXPECT_EQ(wire.said.back(), "finish");
}

TEST_F(ConnectionTest, an_idle_one_that_drains_says_so_until_it_is_hung_up) {
    connection.drain(now);
    EXPECT_EQ(wire.said, Said{});
    connection.hang_up(now);
    EXPECT_EQ(wire.said, Said{"finish"});
}

TEST_F(ConnectionTest, draining_lets_a_half_sent_request_finish_as_the_last) {
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n");
    connection.drain(now);
    connection.hang_up(now);
    send("x" + get);
    EXPECT_EQ(wire.said, Said{"request x last"});
    answer();
    EXPECT_EQ(wire.said.back(), "finish");
}

TEST_F(ConnectionTest, draining_gives_up_on_half_a_head) {
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

TEST_F(ConnectionTest, a_body_that_begins_while_it_drains_has_no_more_time_than_its_head) {
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-");
    connection.drain(now);
    pass(limits.drain_begun_within - 1ms);
    send("Length: 2\r\n\r\nx");
    EXPECT_EQ(wire.said, Said{});
    pass(1ms);
    EXPECT_EQ(wire.said, Said{"shutting_down"});
}

TEST_F(ConnectionTest, draining_cuts_a_client_that_reads_nothing) {
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

TEST_F(ConnectionTest, one_that_lingers_when_draining_begins_lingers_no_longer_than_the_others) {
    send("rubbish\r\n");
    answer();
    connection.drain(now);
    pass(limits.drain_linger);
    EXPECT_EQ(wire.said.back(), "close");
}

TEST_F(ConnectionTest, a_client_that_keeps_sending_after_a_refusal_is_cut) {
    send("rubbish\r\n");
    EXPECT_EQ(wire.said, Said{"bad_request_line"});
    answer();
    for (int i = 0; i < 9; ++i) send(std::string(1'000'000, 'x'));
    EXPECT_EQ(wire.said.back(), "close");
}

}  // namespace
}  // namespace pawl::http
