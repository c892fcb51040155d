// What a sender must be told while we have trouble of our own, and ways to make that trouble in a
// test's database. One thread.
#pragma once

#include "tests/e2e/http_client.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {

// 503 with Retry-After, within the two seconds that the contract gives it.
void expect_unavailable(const Response& answer);

// A database that lets nobody in, as long as this lives; who was in is thrown out.
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
