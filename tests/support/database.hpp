// A real PostgreSQL for a test binary: one cluster a process, started when first asked for, gone
// with the process; and a fresh, migrated database for each test that wants one.
#pragma once

#include <string>

#include "db/session.hpp"

namespace pawl::testing {

class TestDatabase {
  public:
    TestDatabase();   // migrated, empty
    ~TestDatabase();  // dropped
    TestDatabase(const TestDatabase&) = delete;
    TestDatabase& operator=(const TestDatabase&) = delete;

    const std::string& url() const { return url_; }  // as the owner of everything
    db::SessionOptions options() const;              // as the server runs: pawl_runtime
    db::Session session() const { return db::Session(options()); }
    db::Session owner() const;

    // For assertions: the first column of the first row of a query written in the test.
    std::string value(std::string_view sql) const;
    void run(std::string_view sql) const;

    // As if its server were gone, for as long as it takes.
    void take_away() const;
    void bring_back() const;

  private:
    std::string name_;
    std::string url_;
};

// Jobs wherever they are, as something to select from: in the queue, or finished.
inline const std::string every_job =
    "(SELECT id, target, kind, ordering_key, state, payload, correlation_id, run_at, staged_at, "
    "done_at, locked_until, lease, attempts, crashes, last_error FROM jobs UNION ALL "
    "SELECT id, target, kind, ordering_key, state, payload, correlation_id, run_at, staged_at, "
    "done_at, NULL, lease, attempts, 0, last_error FROM jobs_done) AS every_job ";

// Returns the URL of a database without migrations.
std::string empty_database_url();

}  // namespace pawl::testing
