// The expected answer during errors of the server, and ways to cause them in a test's database. One
// thread.
#pragma once

#include "tests/e2e/http_client.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {

// 503 with Retry-After, within two seconds.
void expect_unavailable(const Response& answer);

// Locks a database against new sessions as long as this lives; existing ones are ended.
class Closed {
  public:
    explicit Closed(const TestDatabase& database);
    ~Closed();
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

  private:
    db::Session elsewhere_;
    std::string name_;
};

}  // namespace pawl::testing
