// An answer of the admin API as an operator reads it in a terminal: lists as tables, amounts with
// their currency's decimals, times in UTC with their age. One thread.
#pragma once

#include <string>

#include "app/cli.hpp"
#include "app/commands/admin_table.hpp"
#include "controllers/http/http.hpp"

namespace pawl::app {

struct AnswerView {
    bool as_json = false;
    Time now;
};

// Prints the answer and returns the exit code: 0 done, 1 refused or an event not done, 2 a request
// that does not fit, 3 the database unreachable.
int show_answer(const Verb& verb, const http::Reply& reply, const AnswerView& view,
                const Context& context);

// Formats "2026-11-19 23:49:20 (3m ago)"; returns the text itself if it is not a time.
std::string time_and_age(const std::string& text, Time now);

}  // namespace pawl::app
