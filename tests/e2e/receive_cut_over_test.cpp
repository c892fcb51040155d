// The steps of docs/cut-over.md with Stripe's events: another receiver and Pawl in parallel, the
// import, and what is delivered again afterwards. No credit and no debit is in the books twice.
#include "tests/e2e/import_case.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/stripe_events.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

// The first block of TOML in the document.
std::string rule_of_the_page() {
    const std::string page = read_text(PAWL_SOURCE_DIR "/docs/cut-over.md");
    const std::string opening = "```toml\n";
    const auto from = page.find(opening) + opening.size();
    return page.substr(from, page.find("```", from) - from);
}

std::string config_with_the_rule(const Folder& folder) {
    const std::string config = copied_config(folder);
    const std::string file = config + "/providers/stripe.toml";
    std::string text = read_text(file);
    text.insert(text.find("[[rule]]"), rule_of_the_page() + "\n");
    write_text(file, text);
    return config;
}

class ReceiveCutOver : public ::testing::Test {
  protected:
    ReceiveCutOver() { server.start(); }

    // An event that Stripe made `seconds` after the moment of the file.
    static std::string event(const std::string& id, const std::string& type, int seconds,
                             const std::string& object, const std::string& previous = "") {
        return R"({"id":"evt_)" + id + R"(","object":"event","type":")" + type +
               R"(","livemode":true,"created":)" +
               std::to_string(std::stoll(seconds_of(moment())) + seconds) +
               R"(,"data":{"object":)" + object +
               (previous.empty() ? "" : R"(,"previous_attributes":)" + previous) + "}}";
    }
    static std::string capture(const std::string& id, const std::string& payment, int seconds,
                               int amount, const std::string& account) {
        return event(id, "payment_intent.succeeded", seconds,
                     R"({"id":")" + payment + R"(","object":"payment_intent","currency":"usd",)" +
                         R"("amount_received":)" + std::to_string(amount) +
                         R"(,"metadata":{"account":")" + account + R"("}})");
    }
    static std::string refund(const std::string& id, const std::string& type,
                              const std::string& refund, const std::string& payment, int seconds,
                              int amount, const std::string& previous = "") {
        return event(id, type, seconds,
                     R"({"id":")" + refund +
                         R"(","object":"refund","status":"succeeded","currency":"usd","amount":)" +
                         std::to_string(amount) + R"(,"payment_intent":")" + payment +
                         R"(","metadata":{}})",
                     previous);
    }
    static std::string dispute(const std::string& id, const std::string& payment, int seconds,
                               int amount, int fee) {
        return event(id, "charge.dispute.funds_withdrawn", seconds,
                     R"({"id":"du_)" + id + R"(","object":"dispute","payment_intent":")" + payment +
                         R"(","balance_transactions":[{"id":"txn_)" + id +
                         R"(","currency":"usd","amount":-)" + std::to_string(amount) +
                         R"(,"fee":)" + std::to_string(fee) + "}]}");
    }
    // Outcome and note, and "again" for an event that was known.
    std::string deliver(const std::string& body) {
        const Response answer = post_to_stripe(server.port(), body);
        EXPECT_EQ(answer.status, 200) << answer.body;
        const auto from = body.find("evt_");
        const std::string id = body.substr(from, body.find('"', from) - from);
        return database.value(
                   "SELECT outcome || ' ' || coalesce(note, '') FROM webhook_intents WHERE "
                   "event_id "
                   "= '" +
                   id + "'") +
               (answer.body.find(R"("duplicate":true)") == std::string::npos ? "" : "again");
    }
    Ended pawl(std::vector<std::string> arguments) {
        return run_pawl(
            PAWL_PROGRAM, std::move(arguments),
            {"PAWL_DATABASE_URL=" + database.url(), "PAWL_DATA_DIR=" + server.options().data_dir,
             "PAWL_CONFIG=" + server.options().config,
             "STRIPE_WEBHOOK_SECRET=" + std::string(stripe_secret)});
    }
    std::string balances() {
        return database.value(
            "SELECT string_agg(account || ' ' || amount, ', ' ORDER BY account) "
            "FROM balances");
    }
    void receive_in_parallel();
    void import_the_file();
    void deliver_old_and_new();
    static Time moment() {
        static const Time one = now() - std::chrono::hours(1);
        return one;
    }

    const std::string conflict = "quarantined effect_conflict";
    const std::string was_pending = R"({"status":"pending"})";
    Folder folder;
    const std::string file = folder / "captures.csv";
    TestDatabase database;
    Server server{
        {.data_dir = folder / "data",
         .database_url = database.url(),
         .config = config_with_the_rule(folder),
         .dev = false,
         .variables = {"PAWL_MODE=live", "STRIPE_WEBHOOK_SECRET=" + std::string(stripe_secret)}}};
};

// Step 2: both receive. `both` was captured since then, `old` before.
void ReceiveCutOver::receive_in_parallel() {
    EXPECT_EQ(deliver(capture("c_both", "pi_both", -100, 2000, "user:both")), "applied ");
    EXPECT_EQ(deliver(refund("r_both", "refund.created", "re_both", "pi_both", -90, 500)),
              "applied ");
    const std::string parked = "parked waiting for stripe/capture/pi_old";
    EXPECT_EQ(deliver(refund("r_in", "refund.created", "re_in", "pi_old", -50, 400)), parked);
    EXPECT_EQ(deliver(refund("r_after", "refund.created", "re_after", "pi_old", 30, 300)), parked);
}

// Steps 3 to 5: the snapshot of the other receiver has all three payments, re_in and re_both
// included.
void ReceiveCutOver::import_the_file() {
    const std::string at = to_rfc3339(moment());
    write_text(file, capture_header + ("stripe,pi_old,user:old,USD,5000,1400," + at + "\n") +
                         "stripe,pi_both,user:both,USD,2000,500," + at + "\n" +
                         "stripe,pi_disputed,user:disputed,USD,4500,0," + at + "\n");
    const Ended preview = pawl({"import", "captures", file});
    EXPECT_EQ(preview.how, "exited with 0") << preview.said;
    EXPECT_NE(preview.said.find("would import 2, skipped 1, refused 0"), std::string::npos)
        << preview.said;
    EXPECT_EQ(balances(), "user:both 1500");
    const Ended applied = pawl({"import", "captures", file, "--apply", "--reason", "cut-over"});
    EXPECT_EQ(applied.how, "exited with 0") << applied.said;
    EXPECT_NE(applied.said.find("skipped line 3, stripe/capture/pi_both: has 2 movements already, "
                                "1500 USD in all; the file has 2000 captured and 500 returned"),
              std::string::npos)
        << applied.said;
    EXPECT_NE(applied.said.find("imported 2, skipped 1, refused 0"), std::string::npos)
        << applied.said;
}

// Events that the file contains arrive again, and newer ones once and again.
void ReceiveCutOver::deliver_old_and_new() {
    EXPECT_TRUE(deliver(capture("c_old", "pi_old", -5000, 5000, "user:old"))
                    .starts_with("duplicate_effect posted by import/"));
    EXPECT_EQ(deliver(refund("r_old", "refund.created", "re_old", "pi_old", -4000, 1000)),
              conflict);
    EXPECT_EQ(deliver(refund("r_in2", "refund.updated", "re_in", "pi_old", -49, 400, was_pending)),
              conflict);
    const std::string newer = refund("r_new", "refund.created", "re_new", "pi_old", 60, 700);
    EXPECT_EQ(deliver(newer), "applied ");
    EXPECT_EQ(deliver(newer), "applied again");
    EXPECT_EQ(deliver(refund("r_new2", "refund.updated", "re_new", "pi_old", 61, 700, was_pending)),
              "duplicate_effect posted by evt_r_new");
    // The reference of a refund of the past becomes known: newer than the file, and no movement.
    EXPECT_EQ(deliver(refund("r_old2", "refund.updated", "re_old", "pi_old", 90, 1000,
                             R"({"destination_details":{"card":{"reference_status":"pending"}}})")),
              "ignored ");
    EXPECT_EQ(deliver(dispute("d_before", "pi_disputed", -10, 4500, 1500)), conflict);
    EXPECT_EQ(deliver(dispute("d_after", "pi_disputed", 10, 4500, 1500)), "applied ");
}

TEST_F(ReceiveCutOver, BothReceiversInParallelPostEachMovementOnce) {
    receive_in_parallel();
    import_the_file();
    EXPECT_EQ(balances(), "user:both 1500, user:disputed 4500, user:old 3300");
    EXPECT_EQ(database.value(
                  "SELECT string_agg(event_id || ' ' || outcome || ' ' || coalesce(note, ''), ', ' "
                  "ORDER BY event_id) FROM webhook_intents WHERE event_id IN "
                  "('evt_r_in', 'evt_r_after')"),
              "evt_r_after applied , evt_r_in " + conflict);
    deliver_old_and_new();
    const std::string in_the_end =
        "fees:stripe -1500, user:both 1500, user:disputed 0, user:old 2600";
    EXPECT_EQ(balances(), in_the_end);
    // Step 7: the file contains them.
    for (const char* id : {"evt_r_in", "evt_r_in2", "evt_r_old", "evt_d_before"}) {
        EXPECT_EQ(pawl({"intents", "dismiss", "stripe", id, "--reason", "in the file"}).how,
                  "exited with 0");
    }
    const Ended again = pawl({"import", "captures", file, "--apply", "--reason", "cut-over"});
    EXPECT_NE(again.said.find("imported 0, skipped 3, refused 0"), std::string::npos) << again.said;
    EXPECT_EQ(balances(), in_the_end);
    const Ended proof = pawl({"verify", "--deep"});
    EXPECT_EQ(proof.how, "exited with 0") << proof.said;
    EXPECT_EQ(proof.said.find("LOOK"), std::string::npos) << proof.said;
}

}  // namespace
}  // namespace pawl::testing
