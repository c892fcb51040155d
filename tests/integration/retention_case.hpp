// Fixture of the retention tests: events that came long ago, maintenance until no task has work
// left, and the rows that a step reads. One thread, one database a test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "intents/retention/partitions.hpp"
#include "intents/retention/retention.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {

using std::chrono::days;
using std::chrono::hours;

inline testing::Said in_order(const char* id, std::int64_t sequence) {
    return {.id = id,
            .effect = std::string("capture/") + id,
            .sequence = sequence,
            .order = providers::OrderingPolicy::hold};
}

class RetentionCase : public ::testing::Test {
  protected:
    // As if it had come so long ago.
    void deliver_at(Duration ago, const std::vector<testing::Said>& said) {
        std::vector<providers::Event> events;
        for (const testing::Said& one : said) events.push_back(testing::event(one));
        auto submission = testing::deliver(std::move(events));
        submission.delivery.received_at = now - ago;
        testing::commit(session, {submission});
        for (const testing::Said& one : said) {
            database.run("UPDATE webhook_intents SET done_at = done_at - interval '" +
                         std::to_string(std::chrono::duration_cast<hours>(ago).count()) +
                         " hours' WHERE event_id = '" + one.id +
                         "'; UPDATE transfers SET posted_at = posted_at - interval '" +
                         std::to_string(std::chrono::duration_cast<hours>(ago).count()) +
                         " hours' WHERE event_id = '" + one.id + "'");
        }
    }
    void forget() { keep_up(expiry_chores({{"demo", days(30), days(3)}})); }
    std::string ids(const std::string& where = "true") {
        return database.value(
            "SELECT string_agg(event_id, ' ' ORDER BY event_id) FROM webhook_intents WHERE " +
            where);
    }
    // Runs every maintenance task until it has no work left.
    void keep_up(const std::vector<jobs::Chore>& chores, Duration later = {}) {
        for (const jobs::Chore& chore : chores) {
            for (int step = 0; chore.step(session, now + later); ++step) ASSERT_LT(step, 1000);
        }
    }
    void drop_old(Duration later = {}) { keep_up(delivery_chores(days(30), days(30)), later); }
    // The events whose bytes can be found.
    std::string kept() {
        return database.value(
            "SELECT string_agg(event_id, ' ' ORDER BY event_id) FROM webhook_intents JOIN "
            "webhook_deliveries USING (delivery_id)");
    }
    // By this transaction, however they were found.
    std::int64_t rows_read(db::Transaction& transaction, const std::string& table) {
        const std::string sql =
            "SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint FROM "
            "pg_stat_xact_user_tables WHERE relname LIKE '" +
            table + "'";
        const std::string name = "rows_read " + table;
        return transaction.run(db::Query{name, sql}).number();
    }
    std::string count(const std::string& table, const std::string& where = "true") {
        return database.value("SELECT count(*) FROM " + table + " WHERE " + where);
    }

    testing::TestDatabase database;
    db::Session session = database.session();
    const Time now = SystemClock().now();
};

}  // namespace pawl::intents
