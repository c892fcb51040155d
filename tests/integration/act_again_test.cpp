// An operator's act whose COMMIT landed and whose answer was lost: entered again, it is answered as
// it was done, and is not done a second time.
#include <gtest/gtest.h>

#include "access/pauses.hpp"
#include "controllers/admin/jobs.hpp"
#include "intents/operator/operating.hpp"
#include "intents/operator/transfer_acts.hpp"
#include "jobs/views.hpp"
#include "tests/integration/jobs_case.hpp"
#include "tests/integration/paying.hpp"
#include "workflows/operating.hpp"

namespace pawl {
namespace {

// The next COMMIT that writes the audit log is done, and answered with a warning: whether it is
// durable is not known, as if the answer had been lost.
void doubt_next_act(const testing::TestDatabase& database) {
    database.run(
        "CREATE SEQUENCE doubts; CREATE FUNCTION doubt() RETURNS trigger LANGUAGE plpgsql "
        "SECURITY DEFINER SET search_path = pawl, public, pg_temp AS $$ BEGIN "
        "IF nextval('doubts') = 1 THEN RAISE WARNING 'the answer is lost'; END IF; "
        "RETURN NULL; END $$; "
        "CREATE CONSTRAINT TRIGGER doubt AFTER INSERT ON audit_log DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION doubt()");
}

std::string entries(const testing::TestDatabase& database) {
    EXPECT_EQ(database.value("SELECT last_value FROM doubts"), "1") << "nothing was in doubt";
    return database.value("SELECT count(*) FROM audit_log");
}

class ActAgain : public ::testing::Test {
  protected:
    testing::TestDatabase database;
    db::Session session = database.session();
};

TEST_F(ActAgain, APostIsAnsweredAsItWasDone) {
    providers::ProviderConfig config;
    config.name = "demo";
    config.preset = "standard-webhooks";
    config.secrets = {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLJSw"};
    config.read.event_id = {{"/id"}};
    config.read.type = {{"/type"}};
    const auto provider = providers::Provider::create(config).value();
    testing::commit(session, {testing::deliver({testing::event(
                                 {.id = "r1", .effect = "refund/1", .needs = {"capture/1"}})})});
    doubt_next_act(database);
    const auto posted = intents::apply_operator_action(
        session, provider, {intents::Act::post, "r1", "ana", "because"}, SystemClock().now());
    ASSERT_TRUE(posted) << posted.error().message;
    EXPECT_EQ(posted->outcome, ledger::Outcome::applied);
    EXPECT_EQ(posted->event_id.str(), "r1");
    EXPECT_EQ(entries(database), "1");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "1");
    // Another act on it is another act.
    EXPECT_FALSE(intents::apply_operator_action(
        session, provider, {intents::Act::post, "r1", "bob", "too"}, SystemClock().now()));
}

// The transfers and the duplicate mark of an act that was done.
std::string told(const intents::TransferActResult& result) {
    const auto* done = std::get_if<intents::TransferActDone>(&result);
    if (done == nullptr) return std::get<intents::TransferActRefused>(result).code;
    return std::to_string(done->transfers.size()) + (done->duplicate ? " again" : "");
}

TEST_F(ActAgain, AReversalACorrectionAndAnEntryAreAnsweredAsTheyWereDone) {
    testing::commit(session, {testing::deliver({testing::event({.id = "c1", .effect = "c1"})}),
                              testing::deliver({testing::event({.id = "c2", .effect = "c2"})})});
    const auto id = [&](const std::string& key) {
        return std::stoll(
            database.value("SELECT id FROM transfers WHERE effect_key = 'demo/" + key + "'"));
    };
    const std::pair<intents::TransferAct, const char*> acts[] = {
        {intents::ReverseTransfer{id("c1")}, "1"},
        {intents::CorrectTransfer{id("c2"), "K-1", AccountId("user:2")}, "2"},
        {intents::PostEntry{
             "T-1", AccountId("a"), AccountId("b"), {5, Currency::parse("USD").value()}},
         "1"}};
    doubt_next_act(database);
    int n = 0;
    for (const auto& [act, answer] : acts) {
        database.run("ALTER SEQUENCE doubts RESTART");
        EXPECT_EQ(told(intents::apply_transfer_act(session, act, {"ana", "because"},
                                                   SystemClock().now())),
                  answer);
        EXPECT_EQ(entries(database), std::to_string(++n));
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "6");
    EXPECT_EQ(
        database.value("SELECT string_agg(account || amount, ' ' ORDER BY account) FROM balances"),
        "a-5 b5 user:10 user:2100");
}

TEST_F(ActAgain, APauseAndItsEndAreAnsweredAsDone) {
    doubt_next_act(database);
    EXPECT_TRUE(access::pause(session, "demo", "ana", "because"));
    EXPECT_EQ(entries(database), "1");
    EXPECT_FALSE(access::pause(session, "demo", "bob", "too"));
    database.run("ALTER SEQUENCE doubts RESTART");
    EXPECT_TRUE(access::resume(session, "demo", "ana", "because"));
    EXPECT_FALSE(access::resume(session, "demo", "bob", "too"));
    EXPECT_EQ(entries(database), "2");
}

class ActAgainOnRuns : public workflows::Paying {};

TEST_F(ActAgainOnRuns, ANewAttemptIsBegunOnce) {
    gateway->faults = {testing::Fault::timeout_before};
    gateway->down = true;
    begin("o1");
    rounds();
    workflows::RunInstruction instruction;
    instruction.act = workflows::RunAct::new_attempt;
    instruction.run_id = std::stoll(value("SELECT run_id FROM workflow_runs"));
    instruction.principal = "ana";
    instruction.reason = "because";
    doubt_next_act(database);
    const auto begun = workflows::apply_operator_action(session, instruction, clock.now());
    ASSERT_TRUE(begun) << begun.error().message;
    EXPECT_EQ(begun->status, "done");
    EXPECT_EQ(begun->new_payment, value("SELECT payment_id FROM payments WHERE attempt = 2"));
    EXPECT_EQ(value("SELECT count(*) FROM payments"), "2");
    EXPECT_EQ(entries(database), "1");
    EXPECT_FALSE(workflows::apply_operator_action(session, instruction, clock.now()))
        << "it is final by now";
}

class ActAgainOnJobs : public testing::JobsCase {
  protected:
    http::Reply act(jobs::Act act, const std::string& id) {
        http::Request request;
        request.params = {{"id", id}};
        request.body = R"({"reason":"because"})";
        request.principal = access::TokenIdentity{"ana", access::TokenRole::operating};
        db::Session session = database.session();
        return http::act_on_job(act, system_clock, [] {})(request, session);
    }
};

TEST_F(ActAgainOnJobs, ADiscardedJobIsAnsweredAsDiscarded) {
    stage_and_move("test");
    db::Session session = database.session();
    const std::string id = jobs::to_text(jobs::list_jobs(session, {}).rows.at(0).key);
    doubt_next_act(database);
    const auto discarded = act(jobs::Act::discard, id);
    EXPECT_EQ(discarded.status, 200) << discarded.body;
    EXPECT_NE(discarded.body.find("discarded"), std::string::npos);
    EXPECT_EQ(entries(database), "1");
    EXPECT_EQ(act(jobs::Act::discard, id).status, 409) << "a second act";
}

}  // namespace
}  // namespace pawl
