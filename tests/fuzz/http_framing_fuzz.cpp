// Any bytes through Pawl's reader of HTTP and through a connection's life, with nothing else around
// them: small enough to be compiled with sanitizers in every build.
#include <deque>

#include "controllers/http/connection.hpp"
#include "tests/fuzz/framing_oracle.hpp"

namespace {

using namespace pawl::http;
using pawl::fuzz::Expected;
using pawl::fuzz::must;

// Compares what the connection does with what must come of its bytes.
struct Judge final : Wire {
    explicit Judge(const Expected& e) : expected(e) {}

    void hand_over(FramedRequest request) override {
        const auto& due = next();
        must(!due.refused(), "a request was handed over that must be refused");
        must(due.request.body == request.body, "a body changes on a connection");
        must(due.request.target == request.target, "a target changes on a connection");
        must(due.request.headers == request.headers, "headers change on a connection");
    }
    void refuse(const FramingRefusal& refusal) override {
        const auto& due = next();
        must(due.refused(), "a good request was refused");
        must(std::string_view(due.refusal.code) == refusal.code, "the refusal says something else");
    }
    void send_continue() override {
        must(unanswered == 0, "an interim answer overtakes a final one");
        must(!continued, "a client gets 100 Continue twice");
        const bool last = begun == expected.answers.size();
        must(last ? expected.may_continue : expected.answers[begun].may_continue,
             "a client that did not wait gets 100 Continue");
        continued = true;
    }
    void finish() override {
        must(expected.ends && unanswered == 0, "a connection ends before its time");
        must(!finished, "a connection ends twice");
        finished = true;
    }
    void close() override { must(false, "a connection is cut"); }
    std::size_t unsent() const override { return 0; }

    const pawl::fuzz::Due& next() {
        must(begun < expected.answers.size(), "more was begun than was sent");
        continued = false;
        ++unanswered;
        return expected.answers[begun++];
    }

    const Expected& expected;
    std::size_t begun = 0;
    std::size_t unanswered = 0;
    bool continued = false;
    bool finished = false;
};

// Bytes come in pieces and answers are made at moments that both follow from `chance`.
void check_connection(std::string_view bytes, const Expected& expected, std::uint64_t chance) {
    static const ConnectionLimits limits;
    const Steady now{};
    Judge judge(expected);
    Budget budget(64 * 1024 * 1024);
    {
        Connection connection(limits, budget, judge, now);
        while (!bytes.empty() || judge.unanswered > 0) {
            chance = chance * 6364136223846793005U + 1442695040888963407U;
            const std::size_t piece = 1 + (chance >> 33) % (bytes.size() % 97 + 40);
            if (!bytes.empty() && (judge.unanswered == 0 || (chance >> 60) % 2 == 0)) {
                connection.received(bytes.substr(0, piece), now);
                bytes.remove_prefix(std::min(piece, bytes.size()));
            } else if (judge.unanswered > 0) {
                --judge.unanswered;
                connection.answered(now);
            }
        }
        must(judge.begun == expected.answers.size(), "less was begun than was sent");
        must(judge.finished == expected.ends, "a connection does not end where it must");
        must(!expected.waits_to_continue || judge.continued,
             "a waiting client gets no 100 Continue");
    }
    must(budget.used() == 0, "a connection keeps memory after its end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    pawl::fuzz::check_framing(bytes);
    const Expected expected = pawl::fuzz::expected_answers(bytes);
    const std::uint64_t hash = pawl::fuzz::hash_of(bytes);
    check_connection(bytes, expected, hash);
    check_connection(bytes, expected, hash + 1);
    return 0;
}
