#include "intents/verify/verify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "intents/sql.hpp"
#include "intents/verify/accepted.hpp"
#include "intents/verify/journal_proof.hpp"

namespace pawl::intents {
namespace {

using Breaches = db::RowsOf<sql::BreachRow>;

struct Check {
    const char* name;
    const char* description;
    Breaches (*find)(db::Transaction& transaction, const Since& since);
    bool for_attention = false;
};

// A check that reads the whole table.
template <class Statement>
Breaches all(db::Transaction& transaction, const Since&) {
    return transaction.run(Statement{.limit_rows = breaches_max});
}

// A check that leaves out the rows of earlier proofs.
template <class Statement>
Breaches transfers_since(db::Transaction& transaction, const Since& since) {
    return transaction.run(Statement{.limit_rows = breaches_max, .after_id = since.transfer});
}

template <class Statement>
Breaches events_since(db::Transaction& transaction, const Since& since) {
    return transaction.run(Statement{.limit_rows = breaches_max, .since = since.done_at});
}

// Skipped where the journal is chained: JournalProof proves it while it walks the chain.
constexpr const char* walked_invariant = "balance_is_sum_of_transfers";

const std::array<Check, 24>& checks() {
    static const std::array<Check, 24> known{{
        {walked_invariant, "every stored balance is the sum of its transfers",
         all<sql::VerifyBalances>},
        {"applied_has_its_transfer",
         "every applied event with an amount above zero has its transfer",
         events_since<sql::VerifyApplied>},
        {"transfer_has_its_cause",
         "every transfer was caused by an event or a payment that is stored",
         transfers_since<sql::VerifyCauses>},
        {"entry_has_its_act", "every operator's entry was posted by an act in the audit log",
         transfers_since<sql::VerifyEntries>},
        {"import_is_as_recorded", "every import has the entries that its act recorded, unchanged",
         transfers_since<sql::VerifyImports>},
        {"effect_posted_once", "no effect key stands twice in the journal",
         all<sql::VerifyEffects>},
        {"duplicate_effect_names_its_twin",
         "every duplicate effect has a transfer of the same account, amount and currency",
         events_since<sql::VerifyDuplicateEffects>},
        {"payment_has_one_shape", "the captures of a payment are one, under ids, or totals",
         transfers_since<sql::VerifyShapes>},
        {"movement_has_its_payment", "every movement names its payment, and no two share one",
         transfers_since<sql::VerifyRoots>},
        {"returned_within_captures",
         "no payment has returned more than it captured, or a negative amount",
         transfers_since<sql::VerifyReturned>, true},
        {"running_total_is_sum_of_transfers",
         "every running total is the sum of the transfers that brought it there",
         all<sql::VerifyTotals>},
        {"event_has_one_row", "no event stands in two segments", all<sql::VerifySegments>},
        {"received_is_sum_of_outcomes",
         "every event has exactly one outcome, and it fits its status", all<sql::VerifyOutcomes>},
        {"parked_need_is_unmet", "no event waits for an effect that has been posted",
         all<sql::VerifyParked>},
        {"unfinished_has_its_bytes", "every unfinished event still has the very bytes it came in",
         all<sql::VerifyBytes>},
        {"unfinished_will_wake", "every unfinished event has a time at which it is evaluated again",
         all<sql::VerifyWake>},
        {"payment_credited_once", "every payment that succeeded has exactly one credit",
         all<sql::VerifyPayments>},
        {"capture_was_credited", "every capture that succeeded is among its payment's credits",
         all<sql::VerifyCaptures>},
        {"refunds_within_captures", "no payment has refunds above what was captured",
         all<sql::VerifyRefunds>},
        {"refund_has_its_debit",
         "every refund that succeeded has one debit of its amount that was not returned",
         all<sql::VerifyRefundDebits>},
        {"call_has_one_row", "no key of a call has two results", all<sql::VerifyCalls>},
        {"unfinished_payment_will_wake",
         "every unfinished payment, capture and refund has a run that will resume it",
         all<sql::VerifyRuns>},
        {"resolved_by_force", "no call was resolved by force and has not been confirmed",
         all<sql::VerifyForced>, true},
        {"order_paid_once", "no order was paid by two attempts", all<sql::VerifyPaidTwice>, true},
    }};
    return known;
}

// Moves the breaches that an operator has accepted into an invariant of their own, which fails
// nothing.
Invariant move_accepted(const db::ChainWriter& chain, std::vector<Invariant>& invariants) {
    Invariant accepted{
        "chain_break_accepted", "no break of a chain had to be accepted by an operator", {}, true};
    for (Invariant& one : invariants) {
        for (Breach& breach : take_accepted(chain, one.breaches)) {
            accepted.breaches.push_back(std::move(breach));
        }
    }
    return accepted;
}

Invariant outcome_of(db::Session& session, const Check& check, Depth depth, const Since& since) {
    Invariant invariant{check.name, check.description, {}, check.for_attention};
    db::Transaction transaction(session);
    transaction.run_script("SET TRANSACTION READ ONLY");
    if (depth == Depth::deep) transaction.run_script("SET LOCAL pawl.verify_deep = on");
    for (const auto row : check.find(transaction, since)) {
        invariant.breaches.push_back({std::string(row.subject()), std::string(row.what())});
    }
    return invariant;
}

}  // namespace

Proof prove(db::Session& session, Depth depth, const Progress& progress) {
    Proof proof{depth, session.options().chain != nullptr, {}, {}};
    std::optional<JournalProof> journal;
    Since since;
    if (proof.chained) {
        journal.emplace(session, depth, progress);
        journal->run();
        proof.invariants = journal->invariants();
        proof.invariants.push_back(move_accepted(*session.options().chain, proof.invariants));
        proof.ranges = journal->ranges();
        since = journal->since();
    }
    for (const Check& check : checks()) {
        if (proof.chained && check.name == std::string_view(walked_invariant)) continue;
        if (progress) progress(check.name, 0, 0);
        proof.invariants.push_back(outcome_of(session, check, depth, since));
    }
    if (journal && holds(proof.invariants)) journal->store_point();
    return proof;
}

std::vector<Invariant> verify(db::Session& session, Depth depth) {
    return prove(session, depth).invariants;
}

bool holds(const std::vector<Invariant>& invariants) {
    return std::all_of(invariants.begin(), invariants.end(), [](const Invariant& one) {
        return one.for_attention || one.breaches.empty();
    });
}

std::string to_text(const Range& range) {
    if (range.through == 0) return range.table + ": none";
    std::string text = range.through > range.after
                           ? fmt::format("{} {} to {} ({} rows)", range.table, range.after + 1,
                                         range.through, range.rows)
                           : fmt::format("{}: none since {}", range.table, range.through);
    if (range.proven_at && range.after > 0) {
        text += fmt::format("; 1 to {} were proven at {}", range.after,
                            to_rfc3339(*range.proven_at).substr(0, 19));
    }
    return text;
}

namespace {

void write(json::Writer& out, const Range& range) {
    out.begin_object().member("table", range.table).member("after", range.after);
    out.member("through", range.through).member("rows", range.rows);
    out.member("proven_at",
               range.proven_at ? std::optional(to_rfc3339(*range.proven_at)) : std::nullopt);
    out.end_object();
}

void write(json::Writer& out, const Invariant& one) {
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

}  // namespace

std::string to_json(const Proof& proof) {
    json::Writer out;
    out.begin_object().member("holds", holds(proof.invariants));
    out.member("deep", proof.depth == Depth::deep).member("chained", proof.chained);
    out.key("ranges").begin_array();
    for (const Range& range : proof.ranges) write(out, range);
    out.end_array().key("invariants").begin_array();
    for (const Invariant& one : proof.invariants) write(out, one);
    out.end_array().end_object();
    return out.take();
}

}  // namespace pawl::intents
