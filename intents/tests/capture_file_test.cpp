// The file of captures: what is read, and each fault with its line, its column and a remedy.
#include "intents/import/capture_file.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "intents/import/standing.hpp"

namespace pawl::intents {
namespace {

const std::string header = "books,payment,account,currency,captured,returned,time\n";
const BooksByName books = {{"demo", {"demo", CaptureShape::one}},
                           {"stripe", {"stripe-test", CaptureShape::total}}};

Time now() {
    return parse_rfc3339("2026-12-01T00:00:00Z").value();
}

// The payments that the text has, as "line root account minor currency returned"; then the faults.
std::string read(const std::string& text) {
    std::istringstream in(text);
    CaptureFile file(in, books, now());
    std::string all;
    while (auto line = file.next()) {
        if (const auto* bad = std::get_if<LineFaults>(&*line)) {
            for (const LineFault& one : *bad) all += to_text(one) + "\n";
            continue;
        }
        const auto& one = std::get<ImportedPayment>(*line);
        all += std::to_string(one.line) + " " + one.root().str() + " " + one.account.str() + " " +
               std::to_string(one.captured.minor) + " " + one.captured.currency.str() + " " +
               std::to_string(one.returned) + " " + to_rfc3339(one.time).substr(0, 19) + "\n";
    }
    return all;
}

// The faults of one line below the header.
std::string faults(const std::string& line) {
    return read(header + line + "\n");
}

FileSummary summary_of(const std::string& text) {
    std::istringstream in(text);
    CaptureFile file(in, books, now());
    return check_file(file);
}

TEST(CaptureFile, PaymentsAreReadAsTheyAreWritten) {
    EXPECT_EQ(read(header + "stripe,pi_1,user:1,USD,5000,0,2026-11-30T23:00:00Z\n"
                            "demo,p/1:a,user:2,jpy,1,1,2026-11-30T23:00:00+01:00\n"),
              "2 stripe-test/capture/pi_1 user:1 5000 USD 0 2026-11-30T23:00:00\n"
              "3 demo/capture/p%2F1%3Aa user:2 1 JPY 1 2026-11-30T22:00:00\n");
}

TEST(CaptureFile, QuotesOtherEndsOfLinesAndOtherOrdersOfColumnsAreRead) {
    EXPECT_EQ(read("\xef\xbb\xbftime,returned,captured,currency,account,payment,books\r\n"
                   "\r\n"
                   "2026-11-30T23:00:00Z,0,7,EUR,\"Smith, \"\"J\"\"\",\"p\",demo"),
              "3 demo/capture/p Smith, \"J\" 7 EUR 0 2026-11-30T23:00:00\n");
}

struct Faulty {
    const char* line;
    const char* fault;
};

const Faulty faulty[] = {
    {"dem,p,u,USD,5,0,2026-11-30T00:00:00Z",
     "line 2, books: unknown (\"dem\"); write the books of a provider file: demo, stripe\n"},
    {"demo,,u,USD,5,0,2026-11-30T00:00:00Z", "line 2, payment: empty; write it\n"},
    {"demo,p ,u,USD,5,0,2026-11-30T00:00:00Z",
     "line 2, payment: begins or ends with a blank (\"p \"); remove it\n"},
    {"demo,p\tq,u,USD,5,0,2026-11-30T00:00:00Z",
     "line 2, payment: has a control character; remove it\n"},
    {"demo,p,,USD,5,0,2026-11-30T00:00:00Z", "line 2, account: empty; write it\n"},
    {"demo,p,demo:clearing,USD,5,0,2026-11-30T00:00:00Z",
     "line 2, account: an account of the system (\"demo:clearing\"); write the account that "
     "was credited with the payment\n"},
    {"demo,p,fees:x,USD,5,0,2026-11-30T00:00:00Z",
     "line 2, account: an account of the system (\"fees:x\"); write the account that was "
     "credited with the payment\n"},
    {"demo,p,u,USDC,5,0,2026-11-30T00:00:00Z",
     "line 2, currency: unknown (\"USDC\"); write a code of ISO 4217, like USD\n"},
    {"demo,p,u,USD,5.00,0,2026-11-30T00:00:00Z",
     "line 2, captured: not a whole number of 64 bits (\"5.00\"); write minor units, like 1250 "
     "for 12.50 USD\n"},
    {"demo,p,u,USD,99999999999999999999,0,2026-11-30T00:00:00Z",
     "line 2, captured: not a whole number of 64 bits (\"99999999999999999999\"); write minor "
     "units, like 1250 for 12.50 USD\n"},
    {"demo,p,u,USD,0,0,2026-11-30T00:00:00Z",
     "line 2, captured: 0, which is below 1; remove the line: nothing was captured\n"},
    {"demo,p,u,USD,5,-1,2026-11-30T00:00:00Z",
     "line 2, returned: -1, which is below 0; write the amount that was returned, or 0\n"},
    {"demo,p,u,USD,5,,2026-11-30T00:00:00Z", "line 2, returned: empty; write 0 if nothing was\n"},
    {"demo,p,u,USD,5,0,2026-11-30",
     "line 2, time: not a time with an offset (\"2026-11-30\"); write it like "
     "2026-01-31T12:00:00Z\n"},
    {"demo,p,u,USD,5,0,2026-12-01T00:00:01Z",
     "line 2, time: in the future (2026-12-01T00:00:01Z); write the time as of which captured "
     "and returned hold\n"},
    {"demo,p,u,USD,5,0", "line 2: 6 fields, and the header has 7; write a field for each column\n"},
    {"demo,\"p,u,USD,5,0,2026-11-30T00:00:00Z",
     "line 2: a quote that is not closed on its line; put a field with a comma or a quote into "
     "quotes, and double the quotes inside it\n"},
    {"demo,p\"q,u,USD,5,0,2026-11-30T00:00:00Z",
     "line 2: a quote inside a field without quotes; put a field with a comma or a quote into "
     "quotes, and double the quotes inside it\n"},
    {"demo,\"p\"q,u,USD,5,0,2026-11-30T00:00:00Z",
     "line 2: text between a closing quote and the next comma; put a field with a comma or a "
     "quote into quotes, and double the quotes inside it\n"},
    {"demo,p\xff,u,USD,5,0,2026-11-30T00:00:00Z",
     "line 2: not UTF-8 text; save the file as UTF-8\n"},
};

TEST(CaptureFile, EachFaultNamesLineColumnConditionAndRemedy) {
    for (const Faulty& one : faulty) EXPECT_EQ(faults(one.line), one.fault);
    EXPECT_EQ(faults("demo," + std::string(256, 'p') + ",u,USD,5,0,2026-11-30T00:00:00Z"),
              "line 2, payment: 256 bytes; write at most 255\n");
    EXPECT_EQ(faults(std::string(csv_line_bytes_max, 'x')),
              "line 2: longer than 16384 bytes; write one payment on each line\n");
    EXPECT_EQ(faults("x,,,,,,"),
              "line 2, books: unknown (\"x\"); write the books of a provider file: demo, stripe\n"
              "line 2, payment: empty; write it\nline 2, account: empty; write it\n"
              "line 2, currency: unknown (\"\"); write a code of ISO 4217, like USD\n"
              "line 2, captured: empty; write minor units\n"
              "line 2, returned: empty; write 0 if nothing was\n"
              "line 2, time: not a time with an offset (\"\"); write it like "
              "2026-01-31T12:00:00Z\n");
}

TEST(CaptureFile, HeaderWithoutTheSevenColumnsIsAFault) {
    const std::string begin =
        "; begin the file with the line books,payment,account,currency,captured,returned,time\n";
    EXPECT_EQ(read(""), "line 1: an empty file" + begin);
    EXPECT_EQ(read("demo,p,u,USD,5,0,2026-11-30T00:00:00Z\n"),
              "line 1: unknown column \"demo\"" + begin);
    EXPECT_EQ(read("books,payment,account,currency,captured,time\n"),
              "line 1, returned: missing" + begin);
    EXPECT_EQ(read("books,payment,account,currency,captured,returned,time,time\n"),
              "line 1: names a column twice" + begin);
    EXPECT_EQ(
        read("books;payment;account;currency;captured;returned;time\n"),
        "line 1: unknown column \"books;payment;account;currency;captured;returned;time\"" + begin);
}

// The lines after a fault are read: an operator gets all faults at once.
TEST(CaptureFile, SummaryHasTheSumsAndEveryFault) {
    const auto good = summary_of(header +
                                 "demo,p,u,USD,500,0,2026-11-30T00:00:00Z\n"
                                 "demo,q,u,USD,100,150,2026-11-30T00:00:00Z\n"
                                 "stripe,p,u,EUR,7,7,2026-11-30T00:00:00Z\n");
    EXPECT_EQ(good.all_faults, 0);
    EXPECT_EQ(good.payments, 3);
    const auto& usd = good.sums.at({"demo", Currency::parse("USD").value()});
    EXPECT_EQ(usd.payments, 2);
    EXPECT_EQ(usd.captured, 600);
    EXPECT_EQ(usd.returned, 150);
    EXPECT_EQ(good.beyond, std::vector<std::int64_t>{3});

    const auto bad = summary_of(header +
                                "demo,p,u,USD,x,0,2026-11-30T00:00:00Z\n"
                                "demo,p,u,USD,5,0,2026-11-30T00:00:00Z\n"
                                "demo,q,u,,5,0,x\n");
    EXPECT_EQ(bad.all_faults, 3);
    ASSERT_EQ(bad.faults.size(), 3U);
    EXPECT_EQ(bad.faults[2].line, 4);
}

TEST(CaptureFile, PaymentThatTheFileHasTwiceIsAFault) {
    const auto twice = summary_of(header +
                                  "demo,p,u,USD,5,0,2026-11-30T00:00:00Z\n"
                                  "stripe,p,u,USD,5,0,2026-11-30T00:00:00Z\n"
                                  "demo,p,v,USD,6,0,2026-11-30T00:00:00Z\n");
    ASSERT_EQ(twice.faults.size(), 1U);
    EXPECT_EQ(to_text(twice.faults[0]),
              "line 4, payment: a payment that line 2 has already; write each payment once, with "
              "the sums of what was captured and returned");
}

TEST(CaptureFile, FaultsBeyondTheFirstHundredAreCountedOnly) {
    std::string text = header;
    for (int i = 0; i < 150; ++i) text += "x\n";
    const auto bad = summary_of(text);
    EXPECT_EQ(bad.all_faults, 150);
    EXPECT_EQ(bad.faults.size(), faults_max);
}

TEST(CaptureFile, SumBeyondSixtyFourBitsIsAFault) {
    const std::string most = std::to_string(INT64_MAX);
    const auto bad = summary_of(header + "demo,p,u,USD," + most + ",0,2026-11-30T00:00:00Z\n" +
                                "demo,q,u,USD,1,0,2026-11-30T00:00:00Z\n");
    ASSERT_EQ(bad.faults.size(), 1U);
    EXPECT_EQ(to_text(bad.faults[0]),
              "line 3, captured: the sum of its books and currency exceeds 64 bits; correct the "
              "amounts");
}

class Standings : public ::testing::Test {
  protected:
    Standings() {
        line.books = "demo";
        line.payment = "p";
        line.account = AccountId("u");
        line.captured = {100, Currency::parse("USD").value()};
        line.returned = 20;
        line.time = now();
    }
    RootTransfer capture(const std::string& entry_id) const {
        return {1,        line.root(), AccountId("demo:clearing"), line.account, line.captured,
                entry_id, line.time};
    }
    RootTransfer back(const std::string& entry_id) const {
        return {2,
                total_key(line.refund_total(), 20),
                line.account,
                AccountId("demo:clearing"),
                {20, line.captured.currency},
                entry_id,
                line.time};
    }
    std::string judged(const RootState& state) const { return judge_line(line, state).code; }
    ImportedPayment line;
};

TEST_F(Standings, LineIsImportedOnlyWhereItsRootHasNothing) {
    EXPECT_EQ(judged({}), "");
    EXPECT_EQ(judged({{}, "pay_1", false, false}), "own_payment");
    EXPECT_EQ(judged({{}, "", true, false}), "refund_total_known");
    EXPECT_EQ(judged({{}, "", false, true}), "account_is_absolute");
    EXPECT_EQ(judged({{capture("")}, "", false, false}), "has_movements");
    EXPECT_EQ(judged({{back("T-1")}, "", false, false}), "has_movements");
}

TEST_F(Standings, LineThatWasImportedIsKnownByItsWholeContent) {
    const RootState whole{{capture("import/x/2"), back("import/x/2")}, "", true, false};
    EXPECT_EQ(judged(whole), "imported");
    EXPECT_TRUE(is_posted_by("import/x/2", line, whole));
    EXPECT_FALSE(is_posted_by("import/y/2", line, whole));
    // A refund since then changes nothing about it.
    RootState later = whole;
    later.transfers.push_back(capture(""));
    EXPECT_EQ(judged(later), "imported");
    EXPECT_EQ(judged({{capture("import/x/2")}, "", false, false}), "has_movements");
    RootState other = whole;
    other.transfers[0].amount.minor = 101;
    EXPECT_EQ(judged(other), "has_movements");
    other = whole;
    other.transfers[1].amount.minor = 21;
    EXPECT_EQ(judged(other), "has_movements");
    other = whole;
    other.transfers[0].occurred_at.reset();
    EXPECT_EQ(judged(other), "has_movements");
    line.returned = 0;
    EXPECT_EQ(judged(whole), "has_movements");
    EXPECT_EQ(judged({{capture("import/x/2")}, "", false, false}), "imported");
    line.captures = CaptureShape::total;
    EXPECT_EQ(judged({{capture("import/x/2")}, "", false, false}), "has_movements");
}

TEST_F(Standings, WebhookThatCameBeforeTheEntriesIsNoticed) {
    const RootState raced{{back(""), capture("import/x/2"), back("import/x/2")}, "", true, false};
    EXPECT_FALSE(is_posted_by("import/x/2", line, raced));
}

}  // namespace
}  // namespace pawl::intents
