// Plans of the commit path, as a committer's session makes them while every table is empty: each of
// them finds its rows by a key, so that it is still a good one when the tables are large.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "intents/sql.hpp"
#include "ledger/sql.hpp"
#include "tests/support/database.hpp"

namespace pawl {
namespace {

std::vector<const db::Query*> queries_of_a_batch() {
    return {&intents::sql::read_effect_waits,   &intents::sql::read_turn_waits,
            &intents::sql::read_intents,        &intents::sql::finish_intents,
            &intents::sql::read_redeliveries,   &intents::sql::count_redeliveries,
            &intents::sql::delete_effect_waits, &intents::sql::delete_turn_waits,
            &ledger::sql::posted_effects,       &ledger::sql::effects_of_one_hash,
            &ledger::sql::read_sequences,       &ledger::sql::read_totals,
            &ledger::sql::lock_balances};
}

// EXECUTE wants as many values as there are parameters; the plan is generic and sees none of them.
std::string nulls_for(std::string_view sql) {
    int most = 0;
    for (std::size_t at = sql.find('$'); at != sql.npos; at = sql.find('$', at + 1)) {
        most = std::max(most, std::atoi(std::string(sql.substr(at + 1, 2)).c_str()));
    }
    std::string nulls;
    for (int i = 0; i < most; ++i) nulls += i == 0 ? "NULL" : ", NULL";
    return nulls;
}

std::string plan_of(db::Session& session, const db::Query& query) {
    const std::string name(query.name);
    db::Statement::run_script(session, "PREPARE " + name + " AS " + std::string(query.text));
    db::Transaction transaction(session);
    std::string plan;
    const std::string explain =
        "EXPLAIN (COSTS OFF) EXECUTE " + name + "(" + nulls_for(query.text) + ")";
    const std::string explain_name = "explain_" + name;
    for (const auto& row : transaction.run(db::Query{explain_name, explain}).named()) {
        plan += row.at("QUERY PLAN") + "\n";
    }
    return plan;
}

// Whether every index scan has the whole key as its condition: none discards rows that it has read
// (only a row that was found by its place is compared with its key again).
bool every_scan_has_a_key(const std::string& plan) {
    for (std::size_t at = plan.find("Filter: "); at != plan.npos;
         at = plan.find("Filter: ", at + 1)) {
        const std::size_t before = plan.rfind('\n', plan.rfind('\n', at) - 1);
        const std::string two = plan.substr(before, at - before);
        const std::string filter = plan.substr(at, plan.find('\n', at) - at);
        const bool by_place = two.find("TID Cond") != two.npos;
        if (!by_place && filter.find("event_id") != filter.npos) return false;
    }
    constexpr std::string_view scans[] = {"Index Scan using", "Index Only Scan using",
                                          "Bitmap Index Scan on"};
    for (const std::string_view scan : scans) {
        for (std::size_t at = plan.find(scan); at != plan.npos; at = plan.find(scan, at + 1)) {
            const std::size_t next = plan.find('\n', at) + 1;
            const std::string line = plan.substr(next, plan.find('\n', next) - next);
            if (line.find("Index Cond:") == line.npos) return false;
        }
    }
    return true;
}

TEST(Plans, OfABatchUseKeysEvenIfPlannedOnEmptyTables) {
    const testing::TestDatabase database;
    db::SessionOptions options = database.options();
    db::Session session(options);
    for (const db::Query* query : queries_of_a_batch()) {
        const std::string plan = plan_of(session, *query);
        EXPECT_EQ(plan.find("Seq Scan on"), plan.npos) << query->name << "\n" << plan;
        EXPECT_TRUE(every_scan_has_a_key(plan)) << query->name << "\n" << plan;
    }
}

}  // namespace
}  // namespace pawl
