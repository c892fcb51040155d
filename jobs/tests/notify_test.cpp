#include "jobs/notify.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "jobs/retry_after.hpp"

namespace pawl::jobs {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time now = parse_rfc3339("2026-01-31T12:00:00Z").value();

struct Asked {
    const char* name;
    const char* value;
    const char* date;  // the answer's own, or nothing
    std::optional<Duration> wait;
};

TEST(RetryAfter, IsReadInEachOfItsFormsAndBounded) {
    const Asked table[] = {
        {"seconds", "90", nullptr, seconds(90)},
        {"nothing", "0", nullptr, seconds(0)},
        {"a year is a mistake", "31536000", nullptr, hours(1)},
        {"more than 64 bits hold", "99999999999999999999999", nullptr, hours(1)},
        {"the largest number of 64 bits", "9223372036854775807", nullptr, hours(1)},
        {"a date", "Sat, 31 Jan 2026 12:05:00 GMT", nullptr, minutes(5)},
        {"a date of the old form", "Saturday, 31-Jan-26 12:05:00 GMT", nullptr, minutes(5)},
        {"a date of C's form", "Sat Jan 31 12:05:00 2026", nullptr, minutes(5)},
        {"a date far away", "Sat, 31 Jan 2099 12:00:00 GMT", nullptr, hours(1)},
        {"a date that is over", "Sat, 31 Jan 2026 11:00:00 GMT", nullptr, seconds(0)},
        {"a clock that is an hour behind", "Sat, 31 Jan 2026 11:05:00 GMT",
         "Sat, 31 Jan 2026 11:00:00 GMT", minutes(5)},
        {"an answer whose own date is invalid", "Sat, 31 Jan 2026 12:05:00 GMT", "soon",
         minutes(5)},
        {"below zero", "-1", nullptr, std::nullopt},
        {"a fraction", "1.5", nullptr, std::nullopt},
        {"a word", "soon", nullptr, std::nullopt},
        {"empty", "", nullptr, std::nullopt},
    };
    for (const Asked& one : table) {
        outbound::HttpReply reply;
        reply.headers.emplace_back("Retry-After", one.value);
        if (one.date != nullptr) reply.headers.emplace_back("Date", one.date);
        EXPECT_EQ(retry_after(reply, now), one.wait) << one.name;
    }
    EXPECT_EQ(retry_after({}, now), std::nullopt);
}

enum class Meaning { done, again_target, again_message, hopeless };

Meaning meaning_of(int status) {
    outbound::HttpReply reply;
    reply.status = status;
    const JobResult ending = judge(reply, now);
    if (std::holds_alternative<Done>(ending)) return Meaning::done;
    if (std::holds_alternative<DeadLetter>(ending)) return Meaning::hopeless;
    return std::get<Retry>(ending).counts_against_target ? Meaning::again_target
                                                         : Meaning::again_message;
}

TEST(Judge, AnAnswerIsAboutTheMessageOrAboutTheSubscriber) {
    for (const int status : {200, 201, 204, 299}) EXPECT_EQ(meaning_of(status), Meaning::done);
    EXPECT_EQ(meaning_of(410), Meaning::hopeless);
    for (const int status : {301, 302, 307, 401, 402, 403, 404, 405, 407, 408,
                             421, 425, 426, 429, 500, 501, 502, 503, 504, 599}) {
        EXPECT_EQ(meaning_of(status), Meaning::again_target) << status;
    }
    for (const int status :
         {400, 406, 409, 411, 412, 413, 414, 415, 416, 418, 422, 424, 428, 431, 451, 499}) {
        EXPECT_EQ(meaning_of(status), Meaning::again_message) << status;
    }
}

TEST(Judge, NoAnswerCountsAgainstTheSubscriber) {
    const JobResult ending = judge(outbound::HttpFailure{"timed out"}, now);
    EXPECT_TRUE(std::get<Retry>(ending).counts_against_target);
}

TEST(Judge, ItWaitsForAsLongAsTheSubscriberAsksWhereThatIsItsBusiness) {
    for (const int status : {429, 503, 500, 400}) {
        outbound::HttpReply reply;
        reply.status = status;
        reply.headers.emplace_back("retry-after", "90");
        const auto again = std::get<Retry>(judge(reply, now));
        EXPECT_EQ(again.wait.has_value(), status == 429 || status == 503) << status;
    }
}

}  // namespace
}  // namespace pawl::jobs
