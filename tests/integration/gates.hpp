// Statements that take several locks take them one after the other, and another session's may fall
// in between. A gate stands before each such lock, within the statement, and opens when the test
// says so: a function of the same name as PostgreSQL's own before each advisory lock, a row
// security policy before each row of a balance. Owned by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/database.hpp"

namespace pawl::testing {

class Gates {
  public:
    static void build(const TestDatabase& database);

    // A session that has run this takes its advisory locks through the gates.
    static constexpr std::string_view passing =
        "SET search_path = gates, pg_catalog, pawl, pg_temp";

    // Keeps the gates of this backend shut until `open`; `keeper` is a session of the role that
    // owns the tables. Gates without a keeper are open.
    Gates(db::Session& keeper, std::int64_t backend);

    struct Wait {
        int gate = 0;            // 0: at none
        bool for_rival = false;  // for a lock that the other backend holds
        std::string what;        // it is going to lock behind the gate
    };
    // Returns the lock that the backend waits for at this moment.
    Wait look(std::int64_t rival);
    void open(int gate);  // lets the backend pass that waits there

  private:
    db::Session& keeper_;
    const std::int64_t backend_;
};

}  // namespace pawl::testing
