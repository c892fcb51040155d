// Every statement of the product, planned while every table was empty, reads as much for what it
// takes when ten times as much waits: neither its plan nor its text may read a backlog for each
// row, or all of it for a few. PAWL_PLANS=whole does it at a million rows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "access/sql.hpp"
#include "intents/sql.hpp"
#include "jobs/sql.hpp"
#include "ledger/sql.hpp"
#include "payments/sql.hpp"
#include "tests/integration/scale_rows.hpp"
#include "tests/support/database.hpp"
#include "workflows/sql.hpp"

namespace pawl {
namespace {

// What a statement is called with, as SQL. Others get a value of each parameter's type.
const std::map<const db::Query*, std::string> values_of{
    {&access::sql::list_audit, "0,50"},
    {&access::sql::insert_token, "'p','api',sha256('x'),'h',5"},
    {&access::sql::insert_audit, "'p','a','s','r','{}'"},
    {&ledger::sql::list_balances, "'','',50"},
    {&ledger::sql::transfers_of, "'user:5',0,50"},
    {&ledger::sql::transfers_of_clearing, "'demo:clearing',0,50"},
    {&ledger::sql::posted_effects, "'{demo/capture/5}'"},
    {&ledger::sql::lock_balances, "'{user:5}','{USD}'"},
    {&ledger::sql::read_streams, "'{demo}','{account:5}'"},
    {&ledger::sql::read_totals, "'{demo}','{o5}','{USD}'"},
    {&ledger::sql::write_balances, "'{user:5}','{USD}','{1}','{1}','{1}','{1}','{f}'"},
    {&ledger::sql::post_transfers,
     "'{new5}','{a}','{b}','{USD}','{1}','{demo}','{new5}','{1}',now(),'{p}'"},
    {&payments::sql::reap_keys, "now(),500"},
    {&payments::sql::find_answers, "'{shop}','{POST /}','{done5}'"},
    {&payments::sql::payments_of, "'o5'"},
    {&payments::sql::refunds_of, "'p5'"},
    {&payments::sql::live_payment, "'o5'"},
    {&payments::sql::sum_refunds, "'p5'"},
    {&payments::sql::insert_order, "'new','5','USD','x','x',now()"},
    {&payments::sql::insert_payment,
     "'newp','free',7,'pay:free:7','x','x',1,'USD','x',NULL,'c',now()"},
    {&payments::sql::insert_refund, "'newr','p5','o5',7,'refund:o5:7',1,'USD','c',now()"},
    {&payments::sql::insert_key, "'shop','POST /','new',sha256('x'),'s',now(),now(),now()"},
    {&payments::sql::save_payment,
     "'p5','succeeded','refunded',NULL,NULL,NULL,NULL,1,false,false,now()"},
    {&payments::sql::save_refund, "'r5','succeeded','failed',NULL,NULL,now()"},
    {&payments::sql::answer_key, "'shop','POST /','done5',200,NULL,'',now()"},
    {&payments::sql::answer_subject, "'p5',200,NULL,'',now()"},
    {&payments::sql::renew_key, "'shop','POST /','done5',sha256('x'),'s',now(),now(),now()"},
    {&workflows::sql::claim_runs, "'sandbox',now(),100,30"},
    {&workflows::sql::wake_signalled, "now(),'{charge_order}','{late}'"},
    {&workflows::sql::list_runs, "NULL,NULL,NULL,0,50"},
    {&workflows::sql::describe_run, "5"},
    {&workflows::sql::renew_leases, "'{5}','{0}',30"},
    {&workflows::sql::signal_keys, "'{pay:o5:1}'"},
    {&workflows::sql::new_signals, "'pay:w5:1'"},
    {&workflows::sql::wake_run, "'pay:w5:1',now()"},
    {&workflows::sql::insert_signals, "'{pay:w5:1}','{t}',NULL,NULL,NULL,'{demo}','{x}',now()"},
    {&workflows::sql::start_run, "'charge_order','new','k','sandbox','a','{}',now(),'c'"},
    {&workflows::sql::move_run, "5,0,'a','running',NULL,NULL,now()"},
    {&workflows::sql::record_answer,
     "'pay:o5:1','succeeded',false,200,NULL,NULL,NULL,NULL,NULL,1,now()"},
    {&workflows::sql::redirect_run, "5,'a','done',NULL,now()"},
    {&jobs::sql::move_jobs,
     "0,500,now(),'{notify}','{notify}','{credit.applied}','{t}','{shop}','{f}'"},
    {&jobs::sql::adopt_jobs, "'{notify}','{shop}','{t}',100"},
    {&jobs::sql::bring_forward_jobs, "'notify','shop',now() - interval '2 hours',100"},
    {&jobs::sql::claim_jobs, "now(),30,'{notify}','{shop}','{100}','{2000-01-01}'"},
    {&jobs::sql::claim_jobs_in_order, "now(),30,'notify','shop',8,'',256,1"},
    {&jobs::sql::claim_suspects, "now(),30,'{notify}','{shop}','{100}',100"},
    {&jobs::sql::count_jobs, "500"},
    {&jobs::sql::finish_jobs, "'{10000003}','{shop}','{0}','{done}','{NULL}','{NULL}','{f}',now()"},
    {&jobs::sql::keep_jobs, "'{10000003}','{shop}','{0}',30"},
    {&jobs::sql::list_jobs, "NULL,NULL,NULL,NULL,NULL,NULL,50"},
    {&jobs::sql::reap_jobs, "now() - interval '7 days',1000"},
    {&jobs::sql::find_job, "10000003,'shop'"},
    {&jobs::sql::lock_job, "10000003,'shop'"},
    {&jobs::sql::discard_job, "10000003,'shop',now(),'x'"},
    {&jobs::sql::retry_job, "50000005,'shop',now(),'x'"},
    {&jobs::sql::stage_jobs, "'{notify}','{\"{}\"}','{c}',now()"},
    {&intents::sql::claim_unfinished, "now(), 100, 30, 0, 100"},
    {&intents::sql::finish_intents,
     "'{demo}','{wait5}','{t}','{done}','{applied}','{n}','{a}','{o}','{1}','{k}','{1}','{USD}',"
     "NULL,NULL,now(),'{0}'"},
    {&intents::sql::count_redeliveries, "'{demo}','{done5}','{1}'"},
    {&intents::sql::delete_effect_waits, "'{demo/capture/w5}','{demo}','{wait5}'"},
    {&intents::sql::delete_turn_waits, "'{waits}','{account:1}','{13}','{demo}','{wait10}'"},
    {&intents::sql::read_effect_waits, "'{demo/capture/w5}', 256"},
    {&intents::sql::read_turn_waits, "'{waits}','{account:1}','{1}','{1}',64"},
    {&intents::sql::read_intents, "'{demo,demo}','{done5,wait5}',30"},
    {&intents::sql::read_stored, "'demo','done5'"},
    {&intents::sql::list_intents, "NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,50"},
    {&intents::sql::list_rejections, "NULL,NULL,NULL,NULL,50"},
    {&intents::sql::overdue_gaps, "now(),10"},
    {&intents::sql::wake_effect_waiters, "'{demo/capture/w5}',now()"},
    {&intents::sql::wake_next_turns, "'{waits}','{account:1}',now()"},
    {&intents::sql::locked_balances, "'{user:5}','{USD}'"},
    {&intents::sql::lock, "'{5}'"},
    {&intents::sql::locked_keys, "'{5}'"},
    {&intents::sql::insert_intents,
     "'{demo}','{new5}','{t}','{pending}','{pending}','{n}','{1}','{\"\\\\x00\"}','{f}','{a}','{o}'"
     ",'{1}','{k}','{1}','{USD}','{c}','{2026-01-01}',NULL,'{2026-01-01}',now()"},
    {&intents::sql::write_deliveries,
     "'{2026-01-01}','{demo}','{new5}','{authentic}',NULL,'{POST}','{/"
     "}','{\"\\\\x00\"}','{\"\\\\x00\"}',NULL,NULL"},
    {&intents::sql::insert_turn_waits, "'{waits}','{account:1}','{1}','{demo}','{wait10}','{f}'"},
};

// Lists, and an operator's questions and acts: planned for their values, by other sessions.
const std::set<const db::Query*> planned_for_their_values{
    &access::sql::list_audit,   &access::sql::list_tokens,     &ledger::sql::list_balances,
    &workflows::sql::list_runs, &workflows::sql::describe_run, &jobs::sql::list_jobs,
    &jobs::sql::find_job,       &jobs::sql::lock_job,          &jobs::sql::discard_job,
    &jobs::sql::retry_job,      &intents::sql::list_intents,   &intents::sql::list_rejections,
};

// These read all that there is of something, and say how much or how old that is.
const std::map<const db::Query*, const char*> reads_all{
    {&ledger::sql::sum_clearing, "the sum of a clearing account is made of all its transfers"},
    {&workflows::sql::oldest_runs, "a gauge of all unfinished runs"},
    {&workflows::sql::steps_in_flight, "at start: are there steps that this program lacks?"},
    {&intents::sql::oldest_unfinished, "a gauge of all unfinished events"},
    {&intents::sql::describe_intent, "an operator's question; the outbox has no index for it"},
    {&intents::sql::make_partitions, "a function that makes tables"},
    {&intents::sql::analyze_deliveries, "a function over partitions"},
    {&intents::sql::drop_delivery_partition, "a function over partitions"},
    {&intents::sql::expired_deliveries, "a function over partitions"},
    {&intents::sql::purge_intents, "a function over the events of a provider, in steps"},
    {&intents::sql::keep_deliveries, "a function over partitions, in steps"},
    {&intents::sql::kept_deliveries, "a function over partitions"},
    {&intents::sql::reap_kept_deliveries, "a function over partitions, in steps"},
};

std::vector<const db::Query*> statements() {
    std::vector<const db::Query*> all;
    const auto add = [&all](const auto& list) {
        for (const db::Query* query : list) {
            const bool proves = query->name.starts_with("verify");  // reads the whole journal
            if (!proves && !reads_all.contains(query)) all.push_back(query);
        }
    };
    add(access::sql::all);
    add(ledger::sql::all);
    add(payments::sql::all);
    add(workflows::sql::all);
    add(jobs::sql::all);
    add(intents::sql::all);
    return all;
}

std::string value_of_type(const std::string& type) {
    static const std::map<std::string, std::string> known{
        {"text", "'x5'"},         {"bigint", "5"},
        {"integer", "5"},         {"boolean", "false"},
        {"bytea", "sha256('x')"}, {"jsonb", "'{}'"},
        {"text[]", "'{x5}'"},     {"bigint[]", "'{5}'"},
        {"boolean[]", "'{f}'"},   {"timestamp with time zone", "now()"}};
    const auto found = known.find(type);
    return found == known.end() ? "NULL" : found->second;
}

// What one execution has read: pages, and rows that any part of the plan made or threw away.
struct Cost {
    double pages = 0;
    double rows = 0;
    std::string plan;
};

double number_after(const std::string& line, std::string_view mark) {
    const std::size_t at = line.find(mark);
    return at == line.npos ? 0 : std::atof(line.c_str() + at + mark.size());
}

Cost cost_of(std::vector<std::string> plan) {
    Cost cost;
    double loops = 1;
    bool counted = false;  // the first line with pages is the whole statement's
    for (const std::string& line : plan) {
        cost.plan += line + "\n";
        if (line.find("Buffers: shared") != line.npos && !counted) {
            cost.pages = number_after(line, "hit=") + number_after(line, "read=");
            counted = true;
        }
        if (line.find(" loops=") != line.npos) {
            loops = number_after(line, " loops=");
            cost.rows += number_after(line, "actual rows=") * loops;
        }
        if (line.find("Rows Removed by") != line.npos)
            cost.rows += number_after(line, ": ") * loops;
    }
    return cost;
}

struct Scale {
    int over, waiting, ten_times_waiting;
};
Scale scale() {
    const char* set = std::getenv("PAWL_PLANS");
    if (set != nullptr && std::string_view(set) == "whole") return {1'000'000, 10'000, 100'000};
    return {20'000, 1'000, 10'000};
}

class ScalePlans : public ::testing::Test {
  protected:
    ScalePlans() {
        // Statistics that say "empty" stay until the end; the outbox once held rows, and its file
        // has their room.
        database.run(R"(DO $$ DECLARE t regclass; BEGIN
            FOR t IN SELECT oid FROM pg_class WHERE relkind = 'r'
                     AND relnamespace = 'pawl'::regnamespace LOOP
                EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off, '
                               'vacuum_truncate = off)', t);
            END LOOP; END $$;
            INSERT INTO staged_jobs (kind, payload, correlation_id, staged_at)
            SELECT 'notify', '{}', 'c', now() FROM generate_series(1, 3000);
            DELETE FROM staged_jobs;
            INSERT INTO orders (order_id, amount, currency, account, gateway, created_at,
                                updated_at) VALUES ('new order', 1, 'USD', 'a', 'g', now(), now()))");
        database.run("VACUUM ANALYZE");
        for (const db::Query* query : statements()) prepare(*query);
    }

    db::Session& session_for(const db::Query& query) {
        return planned_for_their_values.contains(&query) ? planning_ : by_key_;
    }

    void prepare(const db::Query& query) {
        db::Session& session = session_for(query);
        const std::string name(query.name);
        db::Statement::run_script(session, "PREPARE " + name + " AS " + std::string(query.text));
        std::string values;
        if (const auto given = values_of.find(&query); given != values_of.end()) {
            values = given->second;
        } else {
            const std::string asks =
                "SELECT unnest(parameter_types)::text FROM "
                "pg_prepared_statements WHERE name = '" +
                name + "'";
            for (const db::Row row : ask(session, "types_of_" + name, asks)) {
                values += (values.empty() ? "" : ", ") + value_of_type(row.str(0));
            }
        }
        calls_[&query] = "EXECUTE " + name + (values.empty() ? "" : "(" + values + ")");
        measure(query);  // the plan is made here, and kept
    }

    // Rolled back: the next one finds what this one found.
    Cost measure(const db::Query& query) {
        SCOPED_TRACE(query.name);
        std::vector<std::string> plan;
        const std::string explain = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) " + calls_[&query];
        try {
            for (const db::Row row :
                 ask(session_for(query), "explain_" + std::string(query.name), explain)) {
                plan.push_back(row.str(0));
            }
        } catch (const db::Failure& failure) {
            ADD_FAILURE() << query.name << ": " << failure.what();
        }
        return cost_of(std::move(plan));
    }

    static db::Rows ask(db::Session& session, const std::string& name, const std::string& sql) {
        db::Transaction transaction(session);
        transaction.run_script("SET LOCAL session_replication_role = replica");  // no foreign keys
        return transaction.run(db::Query{name, sql});
    }

    void fill(std::string sql, int first, int last) {
        for (const auto& [mark, number] : {std::pair("{first}", first), {"{last}", last}}) {
            for (std::size_t at = sql.find(mark); at != sql.npos; at = sql.find(mark, at)) {
                sql.replace(at, std::string_view(mark).size(), std::to_string(number));
            }
        }
        db::Session session = patient(false);
        db::Statement::run_script(session, sql);
    }

    std::map<const db::Query*, Cost> measure_all() {
        std::map<const db::Query*, Cost> all;
        for (const db::Query* query : statements()) all[query] = measure(*query);
        return all;
    }

    testing::TestDatabase database;

  private:
    db::Session patient(bool by_key) const {
        db::SessionOptions options = database.owner().options();
        options.finds_by_key = by_key;
        options.statement_timeout = std::chrono::minutes(10);
        return db::Session(options);
    }

    db::Session by_key_ = patient(true);
    db::Session planning_ = patient(false);
    std::map<const db::Query*, std::string> calls_;
};

TEST_F(ScalePlans, ATenfoldBacklogCostsNoStatementMoreThanTwiceAsMuch) {
    constexpr double in_passing = 20;  // an index grows by a level, a row moves to another page
    const Scale rows = scale();
    fill(testing::rows_that_are_over, 1, rows.over);
    fill(testing::rows_that_wait, 1, rows.waiting);
    auto before = measure_all();
    fill(testing::rows_that_wait, rows.waiting + 1, rows.ten_times_waiting);
    for (const auto& [query, after] : measure_all()) {
        const Cost& was = before[query];
        EXPECT_LE(after.pages, 2 * was.pages + in_passing) << query->name << "\n" << after.plan;
        EXPECT_LE(after.rows, 2 * was.rows + in_passing) << query->name << "\n" << after.plan;
        // Nor does it read all that is over.
        EXPECT_LT(after.rows, rows.over / 2) << query->name << "\n" << after.plan;
    }
}

}  // namespace
}  // namespace pawl
