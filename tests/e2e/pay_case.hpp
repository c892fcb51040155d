// Fixture of the payment tests: an order and its first attempt, as the API would make them.
#pragma once

#include <cstdint>
#include <string>

#include "db/session.hpp"
#include "tests/e2e/server.hpp"

namespace pawl::testing {

inline constexpr std::int64_t order_amount = 5000;  // USD cents, for account user:<order>

void begin_payment(db::Session& session, const std::string& order, bool manual_capture = false);

// Every invariant of `verify` holds, and the server stops when it is asked to.
void expect_proven_end(db::Session& session, Server& server);

// A lease that ends while a test can wait for it.
void shorten_leases(const std::string& config_folder, const std::string& lease);

}  // namespace pawl::testing
