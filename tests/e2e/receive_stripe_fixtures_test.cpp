// Events as Stripe's types describe them, signed by Stripe's package, at the real program with the
// shipped stripe.toml: what each is answered, and what the books hold afterwards.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/e2e/foreign_clients.hpp"
#include "tests/e2e/notify_case.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/stripe_events.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

struct Answer {
    const char* file;
    const char* says;
};

const Answer answers[] = {
    {"01-capture", "applied"},
    {"02-partial-capture", "applied"},
    {"03-authorized", "ignored"},
    {"04-first-of-multiple-captures", "applied"},
    {"05-last-of-multiple-captures", "applied"},
    {"06-refund-with-metadata", "applied"},
    {"07-refund-without-metadata", "applied"},
    {"08-refund-pending", "ignored"},
    {"09-refund-failed-without-success", "ignored nothing_to_return"},
    {"10-refund-that-bounces", "applied"},
    {"11-refund-bounced", "applied"},
    {"12-dispute-to-be-won", "ignored"},
    {"13-dispute-to-be-won-withdrawn", "applied"},
    {"14-dispute-won", "ignored"},
    {"15-dispute-won-reinstated", "applied"},
    {"16-capture-to-be-lost", "applied"},
    {"17-dispute-to-be-lost", "ignored"},
    {"18-dispute-to-be-lost-withdrawn", "applied"},
    {"19-dispute-lost", "ignored"},
    {"20-capture-settled-in-euro", "applied"},
    {"21-dispute-withdrawn-in-euro", "quarantined currency_mismatch"},
    {"22-sepa-processing", "ignored"},
    {"23-sepa-succeeded", "applied"},
    {"24-sepa-failed-late", "ignored"},
    {"25-sepa-failed-late-withdrawn", "applied"},
    {"26-sepa-failed-late-closed", "ignored"},
    {"27-of-test-mode", "ignored test_mode"},
    {"28-foreign-payment", "quarantined bad_account"},
};

const std::vector<std::string> balances = {
    "fees:stripe -350 EUR", "fees:stripe -3000 USD", "user:euro 2000 USD", "user:full 3500 USD",
    "user:lost 0 USD",      "user:multi 4500 USD",   "user:part 3000 USD", "user:sepa 0 EUR"};

class ReceiveStripeFixtures : public ::testing::Test {
  protected:
    std::string deliver() {
        const auto sent =
            run_program({node_program(), PAWL_SOURCE_DIR "/tests/e2e/stripe_fixtures.mjs",
                         PAWL_SOURCE_DIR "/tests/e2e/stripe",
                         url_of(server.port()) + "/webhooks/stripe", std::string(stripe_secret)});
        EXPECT_TRUE(sent.succeeded) << "not of Stripe's shape:\n" << sent.output;
        return sent.output;
    }
    std::vector<std::string> balances_now() {
        std::istringstream rows(
            database.value("SELECT string_agg(account || ' ' || amount || ' ' || currency, E'\n' "
                           "ORDER BY account, currency) FROM balances"));
        std::vector<std::string> all;
        for (std::string row; std::getline(rows, row);) all.push_back(row);
        return all;
    }
    std::string verified() {
        process::Command command;
        command.argv = {PAWL_PROGRAM, "verify"};
        command.env = {"PATH=/usr/bin:/bin", "PAWL_DATABASE_URL=" + database.url(),
                       "PAWL_CONFIG=" PAWL_SOURCE_DIR "/config"};
        const auto finished = process::run(std::move(command), patience);
        return finished && finished->succeeded ? "" : finished ? finished->output : "failed";
    }

    Folder folder;
    TestDatabase database;
    Server server{
        {.data_dir = folder / "data",
         .database_url = database.url(),
         .config = copied_config(folder),
         .dev = false,
         .variables = {"PAWL_MODE=live", "STRIPE_WEBHOOK_SECRET=" + std::string(stripe_secret)}}};
};

TEST_F(ReceiveStripeFixtures, OnlyTheForeignCurrencyAndTheForeignPaymentEndQuarantined) {
    if (node_program().empty()) GTEST_SKIP() << "no JavaScript packages: run setup/node.sh";
    server.start();
    std::string expected;
    for (const Answer& one : answers) {
        expected += std::string(one.file) + ".json 200 " + one.says + "\n";
    }
    EXPECT_EQ(deliver(), expected);
    EXPECT_EQ(balances_now(), balances);
    EXPECT_EQ(database.value("SELECT string_agg(dispute_id || ' ' || state, ', ' "
                             "ORDER BY dispute_id) FROM disputes"),
              "du_lost lost, du_sepa lost, du_won won");
    EXPECT_EQ(verified(), "");
    // All of it once more, as after an outage of Stripe's.
    deliver();
    EXPECT_EQ(balances_now(), balances);
    EXPECT_EQ(verified(), "");
}

}  // namespace
}  // namespace pawl::testing
