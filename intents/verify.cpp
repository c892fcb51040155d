#include "intents/verify.hpp"

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

struct Check {
    const char* name;
    const char* says;
    const db::Query& query;  // answers (subject, what) for each breach
    bool for_attention = false;
};

const std::array<Check, 15>& checks() {
    static const std::array<Check, 15> all{{
        {"balance_is_sum_of_transfers", "every stored balance is the sum of its transfers",
         sql::verify_balances},
        {"applied_has_its_transfer",
         "every applied event with an amount above zero has its transfer", sql::verify_applied},
        {"transfer_has_its_cause",
         "every transfer was caused by an event or a payment that is stored", sql::verify_causes},
        {"effect_posted_once", "no effect key stands twice in the journal", sql::verify_effects},
        {"duplicate_effect_names_its_twin",
         "every duplicate effect has a transfer of the same account, amount and currency",
         sql::verify_duplicate_effects},
        {"running_total_is_sum_of_transfers",
         "every running total is the sum of the transfers that brought it there",
         sql::verify_totals},
        {"event_has_one_row", "no event stands in two segments", sql::verify_segments},
        {"received_is_sum_of_outcomes",
         "every event has exactly one outcome, and it fits its status", sql::verify_outcomes},
        {"parked_need_is_unmet", "no event waits for an effect that has been posted",
         sql::verify_parked},
        {"unfinished_has_its_bytes", "every unfinished event still has the very bytes it came in",
         sql::verify_bytes},
        {"unfinished_will_wake", "every unfinished event has a time at which it is looked at again",
         sql::verify_wake},
        {"payment_credited_once", "every payment that succeeded has exactly one credit",
         sql::verify_payments},
        {"refunds_within_captures", "no payment has refunds above what was captured",
         sql::verify_refunds},
        {"unfinished_payment_will_wake",
         "every unfinished payment and refund has a run that goes on with it", sql::verify_runs},
        {"order_paid_once", "no order was paid by two attempts", sql::verify_paid_twice, true},
    }};
    return all;
}

}  // namespace

std::vector<Invariant> verify(db::Session& session, Depth depth) {
    std::vector<Invariant> invariants;
    db::Transaction transaction(session);
    transaction.run_script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    if (depth == Depth::deep) transaction.run_script("SET LOCAL pawl.verify_deep = on");
    for (const Check& check : checks()) {
        Invariant& invariant =
            invariants.emplace_back(Invariant{check.name, check.says, {}, check.for_attention});
        for (const db::Row row :
             transaction.run(check.query, db::Params().number(std::int64_t{breaches_max}))) {
            invariant.breaches.push_back({row.str(0), row.str(1)});
        }
    }
    return invariants;
}

bool holds(const std::vector<Invariant>& invariants) {
    return std::all_of(invariants.begin(), invariants.end(), [](const Invariant& one) {
        return one.for_attention || one.breaches.empty();
    });
}

std::string to_json(const std::vector<Invariant>& invariants) {
    json::Writer out;
    out.begin_object().member("holds", holds(invariants)).key("invariants").begin_array();
    for (const Invariant& one : invariants) {
        out.begin_object().member("name", one.name).member("says", one.says);
        out.member("holds", one.breaches.empty())
            .member("for_attention", one.for_attention)
            .key("breaches")
            .begin_array();
        for (const Breach& breach : one.breaches) {
            out.begin_object().member("subject", breach.subject).member("what", breach.what);
            out.end_object();
        }
        out.end_array().end_object();
    }
    out.end_array().end_object();
    return out.take();
}

}  // namespace pawl::intents
