// Plans of the periodic queries about jobs, in the presence of very many finished ones: with real
// values, on analysed tables, as the querying session makes them.
#include <gtest/gtest.h>

#include <string>

#include "jobs/sql.hpp"
#include "tests/support/database.hpp"

namespace pawl::jobs {
namespace {

constexpr int over = 30000;

class JobPlans : public ::testing::Test {
  protected:
    void fill_all() {
        fill("done", over, "NULL", 1);
        fill("ready", 50, "NULL", over + 1);
        fill("ready", 50, "'user:' || n", over + 101);
        fill("dead", 20, "NULL", over + 201);
    }
    void fill_and_analyze() {
        fill_all();
        database.run("ANALYZE jobs; ANALYZE jobs_done; ANALYZE staged_jobs");
    }
    void fill(const std::string& state, int count, const std::string& key, int from) {
        const std::string numbers = "generate_series(" + std::to_string(from) + ", " +
                                    std::to_string(from + count - 1) + ") n";
        if (state == "done") {
            database.run(
                "INSERT INTO jobs_done (id, kind, target, payload, correlation_id, state, run_at, "
                "staged_at, done_at, lease, attempts) SELECT n, 'notify', 'shop', '{}', 'c', "
                "'done', now(), now(), now(), 1, 1 FROM " +
                numbers);
            return;
        }
        const std::string ended = state == "ready" ? "NULL" : "now()";
        database.run(
            "INSERT INTO jobs (id, kind, target, ordering_key, payload, correlation_id, state, "
            "run_at, staged_at, done_at, last_error) SELECT n, 'notify', 'shop', " +
            key + ", '{}', 'c', '" + state + "', now(), now(), " + ended + ", 'why' FROM " +
            numbers);
    }
    // `values`: what a worker would send, as SQL.
    std::string plan_of(const db::Query& query, const std::string& values, bool by_key) {
        db::SessionOptions options = database.options();
        options.finds_by_key = by_key;
        db::Session session(options);
        prepare(session, query);
        return explain(session, query, values);
    }
    static void prepare(db::Session& session, const db::Query& query) {
        db::Statement::run_script(
            session, "PREPARE " + std::string(query.name) + " AS " + std::string(query.text));
    }
    static std::string explain(db::Session& session, const db::Query& query,
                               const std::string& values) {
        const std::string name(query.name);
        const std::string explain_name = "explain_" + name;
        const std::string explain =
            "EXPLAIN (ANALYZE, TIMING OFF) EXECUTE " + name + "(" + values + ")";
        db::Transaction transaction(session);
        std::string plan;
        for (const auto& row : transaction.run(db::Query{explain_name, explain}).named()) {
            plan += row.at("QUERY PLAN") + "\n";
        }
        return plan;
    }
    // The most rows that any part of the plan has read or thrown away.
    static double most_rows(const std::string& plan) {
        double most = 0;
        for (const std::string mark : {"actual rows=", "Removed by Filter: ",
                                       "Removed by Join Filter: ", "Heap Fetches: "}) {
            for (std::size_t at = plan.find(mark); at != plan.npos; at = plan.find(mark, at + 1)) {
                most = std::max(most, std::atof(plan.c_str() + at + mark.size()));
            }
        }
        return most;
    }
    void expect_narrow(const db::Query& query, const std::string& values, bool by_key) {
        const std::string plan = plan_of(query, values, by_key);
        EXPECT_EQ(plan.find("Seq Scan on jobs"), plan.npos) << plan;
        EXPECT_LT(most_rows(plan), 200) << plan;
    }

    testing::TestDatabase database;
};

TEST_F(JobPlans, CountingReadsNoMoreThanItCounts) {
    fill_and_analyze();
    const std::string plan = plan_of(sql::count_jobs, "100000", false);
    EXPECT_EQ(plan.find("Seq Scan on jobs"), plan.npos) << plan;
    EXPECT_LE(most_rows(plan), over) << plan;
    expect_narrow(sql::count_jobs, "100", false);
}

TEST_F(JobPlans, BringingForwardReadsThoseThatWait) {
    fill_and_analyze();
    expect_narrow(sql::bring_forward_jobs, "'notify', 'shop', now() + interval '1 second', 100",
                  true);
}

TEST_F(JobPlans, ClaimingReadsThoseThatAreReady) {
    fill_and_analyze();
    expect_narrow(sql::claim_jobs_in_order,
                  "now() + interval '1 second', 30, 'notify', 'shop', 8, '', 256, 1", true);
    expect_narrow(sql::claim_jobs,
                  "now() + interval '1 second', 30, '{notify}', '{shop}', '{8}', '{2000-01-01}'",
                  true);
    expect_narrow(sql::claim_suspects,
                  "now() + interval '1 second', 30, '{notify}', '{shop}', '{1}', 100", true);
    expect_narrow(sql::adopt_jobs, "'{notify}', '{shop}', '{t}', 10", true);
    expect_narrow(sql::adopt_jobs, "'{notify}', '{shop}', '{f}', 10", true);
}

// A plan that a session made and kept while there were no jobs.
TEST_F(JobPlans, APlanFromTheFirstMinuteIsStillAGoodOne) {
    database.run("VACUUM ANALYZE jobs");
    db::SessionOptions options = database.options();
    options.finds_by_key = true;
    db::Session session(options);
    const std::string ids = "'{" + std::to_string(over + 1) + "}', '{shop}', '{0}'";
    const std::vector<std::pair<db::Query, std::string>> asked{
        {sql::claim_jobs,
         "now() + interval '1 second', 30, '{notify}', '{shop}', '{8}', '{2000-01-01}'"},
        {sql::claim_suspects, "now() + interval '1 second', 30, '{notify}', '{shop}', '{1}', 100"},
        {sql::claim_jobs_in_order,
         "now() + interval '1 second', 30, 'notify', 'shop', 8, '', 256, 1"},
        {sql::keep_jobs, ids + ", 30"},
        {sql::finish_jobs, ids + ", '{done}', '{NULL}', '{NULL}', '{f}', now()"},
        {sql::bring_forward_jobs, "'notify', 'shop', now() + interval '1 second', 100"},
        {sql::adopt_jobs, "'{notify}', '{shop}', '{t}', 10"},
    };
    for (const auto& [query, values] : asked) {
        prepare(session, query);
        explain(session, query, values);
    }
    fill_all();
    for (const auto& [query, values] : asked) {
        const std::string plan = explain(session, query, values);
        EXPECT_LT(most_rows(plan), 200) << query.name << "\n" << plan;
    }
}

// A staged job that is stuck, and a long backlog behind it.
TEST_F(JobPlans, ABacklogOfStagedJobsIsNotReadForEveryAccount) {
    fill_and_analyze();
    database.run(
        "INSERT INTO staged_jobs (id, kind, payload, correlation_id, staged_at) "
        "OVERRIDING SYSTEM VALUE SELECT 1000000 + n, 'notify', '{\"account\": \"user:1\"}',"
        " 'c', now() FROM generate_series(1, 30000) n; ANALYZE staged_jobs");
    expect_narrow(sql::claim_jobs_in_order,
                  "now() + interval '1 second', 30, 'notify', 'shop', 8, '', 256, 1", true);
}

}  // namespace
}  // namespace pawl::jobs
