// POST /admin/v1/transfers: an operator's entry, the reversal of a transfer, or its correction.
// Free of Drogon; called on a thread that may wait.
#pragma once

#include <functional>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "controllers/admin/admin.hpp"
#include "ledger/journal.hpp"

namespace pawl::http {

// A transfer as acts answer with it.
void write_posted(json::Writer& out, const ledger::Posted& one);

// `on_change`: jobs have been staged, and events may have been released.
SessionHandler post_transfer(const Clock& clock, std::function<void()> on_change);

}  // namespace pawl::http
