// Every statement of the product, planned while every table was empty, reads as much for what it
// takes when ten times as much waits: neither its plan nor its text may read a backlog for each
// row, or all of it for a few. PAWL_PLANS=whole does it at a million rows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/integration/scale_rows.hpp"
#include "tests/integration/scale_statements.hpp"
#include "tests/support/database.hpp"

namespace pawl {
namespace {

using testing::planned_for_their_values;
using testing::reads_all;
using testing::values_of;

std::vector<const db::Query*> statements() {
    std::vector<const db::Query*> all;
    const auto add = [&all](const auto& list) {
        for (const db::Query* query : list) {
            const bool proves =
                query->name.find("_verify_") != query->name.npos;  // reads the whole journal
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

// Reads of one execution: pages, and rows that any part of the plan made or discarded.
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
            DELETE FROM staged_jobs;)");
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
                "SELECT unnest(parameter_types)::text AS type FROM "
                "pg_prepared_statements WHERE name = '" +
                name + "'";
            for (const auto& row : ask(session, "types_of_" + name, asks)) {
                values += (values.empty() ? "" : ", ") + value_of_type(row.at("type"));
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
            for (const auto& row :
                 ask(session_for(query), "explain_" + std::string(query.name), explain)) {
                plan.push_back(row.at("QUERY PLAN"));
            }
        } catch (const db::Failure& failure) {
            ADD_FAILURE() << query.name << ": " << failure.what();
        }
        return cost_of(std::move(plan));
    }

    static std::vector<db::NamedRow> ask(db::Session& session, const std::string& name,
                                         const std::string& sql) {
        db::Transaction transaction(session);
        transaction.run_script("SET LOCAL session_replication_role = replica");  // no foreign keys
        return transaction.run(db::Query{name, sql}).named();
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

    // The second execution counts: the first one marks dead rows of rolled back executions in an
    // index, so that no later scan reads them.
    std::map<const db::Query*, Cost> measure_all() {
        std::map<const db::Query*, Cost> all;
        for (const db::Query* query : statements()) {
            measure(*query);
            all[query] = measure(*query);
        }
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
