// The table of endings: that it leaves none out, what it says of the cases that cost money, and
// that docs/calls.md says the same.
#include "workflows/call/endings.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace pawl::workflows {
namespace {

using outbound::GatewayOutcome;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr GatewayOutcome endings[] = {
    GatewayOutcome::succeeded,  GatewayOutcome::declined,  GatewayOutcome::requires_action,
    GatewayOutcome::processing, GatewayOutcome::canceled,  GatewayOutcome::failed,
    GatewayOutcome::refused,    GatewayOutcome::not_found, GatewayOutcome::foreign,
    GatewayOutcome::unknown,    GatewayOutcome::authorized};
constexpr AnswerTo kinds[] = {AnswerTo::send, AnswerTo::cancel, AnswerTo::lookup};

const char* name_of(AnswerTo kind) {
    return kind == AnswerTo::send ? "send" : kind == AnswerTo::cancel ? "cancel" : "lookup";
}
const char* name_of(Act act) {
    constexpr const char* names[] = {"settle",  "close",  "send",
                                     "look up", "cancel", "`needs_review`"};
    return names[static_cast<std::size_t>(act)];
}
const char* name_of(When when) {
    constexpr const char* names[] = {"",
                                     "the answer permits a retry",
                                     "the answer permits a retry, the key is inside its horizon",
                                     "the key is inside its horizon",
                                     "\"not found\" is final at the gateway",
                                     "unless it is canceled there, it may yet be executed",
                                     "a part of it has moved"};
    return names[static_cast<std::size_t>(when)];
}

std::string text_of(Duration time) {
    const auto s = std::chrono::duration_cast<seconds>(time).count();
    if (s % 3600 == 0) return fmt::format("{} h", s / 3600);
    return s % 60 == 0 ? fmt::format("{} min", s / 60) : fmt::format("{} s", s);
}

std::string counted(Pause::By by) {
    return by == Pause::By::sends       ? "sends"
           : by == Pause::By::not_found ? "lookups that did not find it"
                                        : "lookups in a row without an answer";
}

std::string text_of(const Pause& pause) {
    if (pause.by == Pause::By::none) return "";
    const std::string range = text_of(pause.first) + " to " + text_of(pause.longest);
    if (pause.by == Pause::By::age) return range + ", as long as it has lasted";
    return range + ", doubling with " + counted(pause.by);
}

std::string printed() {
    std::string table =
        "| ending | in the answer to a | where | leads to | after | at most |\n"
        "|---|---|---|---|---|---|\n";
    for (const EndingRule& rule : ending_rules()) {
        std::string answered;
        for (const AnswerTo kind : kinds) {
            if (!answers(rule, kind)) continue;
            answered += (answered.empty() ? "" : ", ") + std::string(name_of(kind));
        }
        const std::string ending = !rule.ending                                ? "any other"
                                   : *rule.ending == GatewayOutcome::not_found ? "`not_found`"
                                   : *rule.ending == GatewayOutcome::foreign
                                       ? "`foreign`"
                                       : fmt::format("`{}`", to_text(*rule.ending));
        table += fmt::format("| {} | {} | {} | {} | {} | {} |\n", ending, answered,
                             name_of(rule.when), name_of(rule.act), text_of(rule.pause),
                             rule.most == 0 ? ""
                                            : fmt::format("{} {}, then `needs_review`", rule.most,
                                                          counted(rule.pause.by)));
    }
    return table;
}

const outbound::GatewayConfig config;
const outbound::GatewayConfig final_at_once = [] {
    outbound::GatewayConfig authoritative;
    authoritative.not_found_final_after = Duration{};
    return authoritative;
}();
PinnedCall call_of(std::int64_t sends, std::int64_t not_found = 0, std::int64_t unanswered = 0) {
    PinnedCall call;
    call.key = "pay:o1:1";
    call.sends = sends;
    call.not_found = not_found;
    call.unanswered = unanswered;
    call.age = Duration{};
    return call;
}

outbound::GatewayResult answer_of(GatewayOutcome ending, bool may_retry = true) {
    outbound::GatewayResult answer;
    answer.ending = ending;
    answer.may_retry = may_retry;
    return answer;
}

outbound::GatewayResult open_there() {
    outbound::GatewayResult answer = answer_of(GatewayOutcome::declined);
    answer.open_there = true;
    return answer;
}

TEST(Endings, EachHasARuleWhateverWasAsked) {
    for (const AnswerTo kind : kinds) {
        for (const GatewayOutcome ending : endings) {
            for (const bool may_retry : {false, true}) {
                for (const bool final_there : {false, true}) {
                    EXPECT_NO_THROW(judge(call_of(1), answer_of(ending, may_retry), kind,
                                          {final_there ? final_at_once : config}))
                        << to_text(ending) << " of a " << name_of(kind);
                }
            }
        }
    }
}

constexpr Duration inside = hours(1);
constexpr Duration after = hours(25);

const struct {
    const char* name;
    AnswerTo kind;
    outbound::GatewayResult answer;
    PinnedCall call;
    Duration age;
    Act act;
    bool final_there = false;
    bool may_send = true;
} safe_ways[] = {
    {"unknown after an accepted cancel", AnswerTo::send, answer_of(GatewayOutcome::unknown),
     call_of(1), inside, Act::look_up, false, false},
    {"refused after an accepted cancel", AnswerTo::send, answer_of(GatewayOutcome::refused),
     call_of(1), inside, Act::close, false, false},
    {"not found after an accepted cancel", AnswerTo::lookup, answer_of(GatewayOutcome::not_found),
     call_of(1, 1), inside, Act::look_up, false, false},
    {"declined for good", AnswerTo::send, answer_of(GatewayOutcome::declined), call_of(1), inside,
     Act::close},
    {"declined, and open there", AnswerTo::send, open_there(), call_of(1), inside, Act::cancel},
    {"another order's object", AnswerTo::send, answer_of(GatewayOutcome::foreign), call_of(1),
     inside, Act::review},
    {"unknown within the horizon", AnswerTo::send, answer_of(GatewayOutcome::unknown), call_of(1),
     inside, Act::send},
    {"unknown past it", AnswerTo::send, answer_of(GatewayOutcome::unknown), call_of(1), after,
     Act::look_up},
    {"unknown, and a retry tells nothing", AnswerTo::send,
     answer_of(GatewayOutcome::unknown, false), call_of(1), inside, Act::look_up},
    {"refused, after a remedy", AnswerTo::send, answer_of(GatewayOutcome::refused), call_of(49),
     inside, Act::send},
    {"refused too often", AnswerTo::send, answer_of(GatewayOutcome::refused), call_of(50), inside,
     Act::review},
    {"refused without a retry", AnswerTo::send, answer_of(GatewayOutcome::refused, false),
     call_of(1), inside, Act::close},
    {"a cancel refused too often", AnswerTo::cancel, answer_of(GatewayOutcome::refused),
     call_of(50), inside, Act::review},
    {"a cancel that came too late", AnswerTo::cancel, answer_of(GatewayOutcome::refused, false),
     call_of(1), inside, Act::look_up},
    {"a cancel that came too late for the twentieth time", AnswerTo::cancel,
     answer_of(GatewayOutcome::refused, false), call_of(20), inside, Act::review},
    {"a cancel that meets a success", AnswerTo::cancel, answer_of(GatewayOutcome::succeeded),
     call_of(1), inside, Act::look_up},
    {"a cancel that meets a success late", AnswerTo::cancel, answer_of(GatewayOutcome::succeeded),
     call_of(50), inside, Act::look_up},
    {"a cancel without an answer", AnswerTo::cancel, answer_of(GatewayOutcome::unknown), call_of(1),
     inside, Act::send},
    {"a cancel whose stored answer says nothing", AnswerTo::cancel,
     answer_of(GatewayOutcome::unknown, false), call_of(1), inside, Act::look_up},
    {"not found within the horizon", AnswerTo::lookup, answer_of(GatewayOutcome::not_found),
     call_of(1, 1), inside, Act::send},
    {"not found past it", AnswerTo::lookup, answer_of(GatewayOutcome::not_found), call_of(1, 1),
     after, Act::look_up},
    {"not found five times past it", AnswerTo::lookup, answer_of(GatewayOutcome::not_found),
     call_of(1, 5), after, Act::review},
    {"not found where that is final", AnswerTo::lookup, answer_of(GatewayOutcome::not_found),
     call_of(1, 1), after, Act::close, true},
    {"a lookup without an answer", AnswerTo::lookup, answer_of(GatewayOutcome::unknown),
     call_of(1, 0, 99), inside, Act::look_up},
    {"a hundred of them", AnswerTo::lookup, answer_of(GatewayOutcome::unknown), call_of(1, 0, 100),
     inside, Act::review},
};

TEST(Endings, LeadWhereTheMoneyIsSafe) {
    for (const auto& row : safe_ways) {
        PinnedCall call = row.call;
        call.age = row.age;
        const Verdict verdict = judge(call, row.answer, row.kind,
                                      {row.final_there ? final_at_once : config, row.may_send});
        EXPECT_EQ(verdict.act, row.act) << row.name;
        EXPECT_EQ(verdict.why.empty(), row.act != Act::review) << row.name;
    }
}

TEST(Endings, NothingIsResentWhereOnlySuccessesAreReplayed) {
    outbound::GatewayConfig gateway;
    gateway.replays = outbound::Replays::success;
    EXPECT_EQ(judge(call_of(1), answer_of(GatewayOutcome::unknown), AnswerTo::send, {gateway}).act,
              Act::look_up);
    EXPECT_EQ(
        judge(call_of(1, 1), answer_of(GatewayOutcome::not_found), AnswerTo::lookup, {gateway}).act,
        Act::look_up);
}

TEST(Endings, PausesGrowAndAreNoShorterThanTheGatewayAsks) {
    const auto pause = [](GatewayOutcome ending, AnswerTo kind, const PinnedCall& call,
                          Duration age, std::optional<seconds> retry_after = {}) {
        outbound::GatewayResult answer = answer_of(ending);
        answer.retry_after = retry_after;
        PinnedCall aged = call;
        aged.age = age;
        return judge(aged, answer, kind, {config}).pause;
    };
    const auto lookup = [&](std::int64_t unanswered, std::optional<seconds> retry_after = {}) {
        return pause(GatewayOutcome::unknown, AnswerTo::lookup, call_of(1, 0, unanswered), {},
                     retry_after);
    };
    EXPECT_GE(lookup(8), seconds(64));
    EXPECT_LE(lookup(8), seconds(128));
    EXPECT_GE(lookup(50), seconds(450));
    EXPECT_LE(lookup(50), minutes(15));
    EXPECT_EQ(lookup(1, seconds(700)), seconds(700));
    EXPECT_GE(lookup(50, seconds(1)), seconds(450));
    EXPECT_EQ(lookup(1, hours(1000)), hours(24)) << "no header stops a payment for weeks";
    const auto open = [&](Duration age) {
        return pause(GatewayOutcome::processing, AnswerTo::lookup, call_of(1), age);
    };
    EXPECT_EQ(open({}), hours(1));
    EXPECT_EQ(open(hours(5)), hours(5));
    EXPECT_EQ(open(hours(100)), hours(24));
}

TEST(Endings, AreThoseOfTheDocuments) {
    std::ifstream file(PAWL_SOURCE_DIR "/docs/calls.md");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_NE(text.str().find(printed()), std::string::npos)
        << "docs/calls.md has another table than workflows/call/endings.cpp, which is:\n"
        << printed();
}

}  // namespace
}  // namespace pawl::workflows
