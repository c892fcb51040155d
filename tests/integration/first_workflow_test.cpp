// The workflow of docs/your-first-workflow.md, word for word, driven through a refusal and a crash.
#include "base/keys.hpp"
#include "jobs/stage.hpp"
#include "tests/integration/paying.hpp"
#include "workflows/engine/runs.hpp"

namespace pawl::workflows {
namespace {

// Stands for the partner's API: it grants one licence for each key.
struct Partner {
    mutable std::map<std::string, int> granted;
    mutable std::vector<int> answers;  // status of the next answers; then 200
    outbound::HttpResult send(const ForeignCall& call) const {
        if (!answers.empty()) {
            const int status = answers.front();
            answers.erase(answers.begin());
            return outbound::HttpReply{status, {}, ""};
        }
        granted[call.key_sent] = 1;
        return outbound::HttpReply{200, {}, "licence for " + call.call.body};
    }
};

// Where your own table would be.
void remember(db::Transaction& transaction, const std::string& licence) {
    jobs::stage(transaction, {{"licence", "\"" + licence + "\"", CorrelationId("c")}}, Time{});
}

Workflow grant_licence(const Partner& partner) {
    Workflow workflow;
    workflow.name = "grant_licence";
    workflow.steps = {
        {"ask",
         ForeignStep{
             // Committed before the call. The key is the run's and the step's own, so that asking
             // twice asks once: partner and retry see the same key.
             [](db::Transaction&, const StepContext& context) -> std::variant<ForeignCall, Next> {
                 return ForeignCall{"partner",
                                    {"POST", "/licences", "text/plain", context.run.key},
                                    step_key(context.run.key, "ask"),
                                    false};
             },
             // No transaction is open here.
             [&partner](const ForeignCall& call) { return partner.send(call); },
             // Evaluates the answer and commits. Any answer but a clear yes is retried.
             [](db::Transaction& transaction, const StepContext&, const ForeignCall&,
                const outbound::HttpResult& outcome) -> Next {
                 const auto* reply = std::get_if<outbound::HttpReply>(&outcome);
                 if (reply == nullptr || reply->status != 200) {
                     return Wait{"ask", std::chrono::seconds(5), "the partner did not answer"};
                 }
                 remember(transaction, reply->body);
                 return Go{"notify"};
             }}},
        {"notify", LocalStep([](db::Transaction& transaction, const StepContext& context) -> Next {
             jobs::stage(transaction,
                         {{"notify", R"({"type":"licence.granted"})", context.run.correlation_id}},
                         context.now);
             return Finish{"granted"};
         })}};
    return workflow;
}

void start_one(db::Session& session, Time now) {
    db::in_transaction(session, [&](db::Transaction& transaction) {
        start_run(transaction,
                  {"grant_licence", "shop/licence/7", "", "", "", "{}", CorrelationId("c")}, now);
    });
}

TEST(FirstWorkflow, GrantsOneLicenceWhateverHappensOnTheWay) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    db::Pool sessions(database.options(), 2);
    ManualClock clock(SystemClock().now());
    Metrics metrics;
    Partner partner;
    partner.answers = {503};
    Engine engine({}, {grant_licence(partner)}, sessions, clock, metrics);
    for (int i = 0; i < 2; ++i) start_one(session, clock.now());  // twice, under one key
    EXPECT_EQ(engine.run_once(), 1U);
    EXPECT_EQ(database.value("SELECT note FROM workflow_runs"), "the partner did not answer");
    clock.advance(std::chrono::seconds(5));
    EXPECT_EQ(engine.run_once(), 1U);
    EXPECT_EQ(partner.granted.size(), 1U);
    EXPECT_TRUE(partner.granted.contains("shop/licence/7:ask"));
    EXPECT_EQ(database.value("SELECT status || ' ' || note FROM workflow_runs"), "done granted");
    EXPECT_EQ(database.value("SELECT count(*) FROM staged_jobs"), "2");
}

// The answer to a COMMIT is taken for lost where it comes with a warning; the step has landed.
TEST(FirstWorkflow, StepWhoseCommitLandedWithoutAnAnswerIsNotDoneAgain) {
    const testing::TestDatabase database;
    database.run(
        "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE WARNING 'landed'; RETURN NULL; END $$;"
        "CREATE CONSTRAINT TRIGGER warn AFTER UPDATE ON workflow_runs INITIALLY DEFERRED "
        "FOR EACH ROW WHEN (OLD.step <> 'notify' AND NEW.step = 'notify') EXECUTE FUNCTION warn()");
    db::Session session = database.session();
    db::Pool sessions(database.options(), 2);
    ManualClock clock(SystemClock().now());
    Metrics metrics;
    Partner partner;
    Engine engine({}, {grant_licence(partner)}, sessions, clock, metrics);
    start_one(session, clock.now());
    EXPECT_EQ(engine.run_once(), 1U);
    EXPECT_EQ(database.value("SELECT status || ' ' || note FROM workflow_runs"), "done granted");
    EXPECT_EQ(database.value("SELECT string_agg(kind, ' ' ORDER BY id) FROM staged_jobs"),
              "licence notify");
    EXPECT_EQ(database.value("SELECT string_agg(went_to, ' ' ORDER BY went_to) FROM "
                             "workflow_steps"),
              "done notify");
}

}  // namespace
}  // namespace pawl::workflows
