#include "tests/integration/footprints.hpp"

#include <algorithm>

namespace pawl::testing {
namespace {

using enum Use;

const std::map<std::string_view, Uses> declared = {
    {"access_find_pause", {{"provider_pauses", reads}}},
    {"access_insert_audit", {{"audit_log", appends}}},
    {"intents_circumstances", {{"provider_pauses", reads}, {"segments", reads}}},
    {"intents_count_redeliveries", {{"webhook_intents", writes}}},
    {"intents_delete_effect_waits", {{"effect_waits", writes}}},
    {"intents_delete_turn_waits", {{"sequence_waits", writes}}},
    {"intents_finish_intents", {{"webhook_intents", writes}}},
    {"intents_insert_effect_waits", {{"effect_waits", writes}}},
    {"intents_insert_intents", {{"webhook_intents", writes}}},
    {"intents_insert_redeliveries", {{"redeliveries", writes}}},
    {"intents_insert_turn_waits", {{"sequence_waits", writes}}},
    {"intents_keep_open_deliveries", {{"open_deliveries", writes}}},
    {"intents_lock", {}},  // its locks are steps of their own
    {"intents_read_effect_waits", {{"effect_waits", reads}, {"webhook_intents", reads}}},
    {"intents_read_intents",
     {{"effect_waits", reads}, {"segments", reads}, {"webhook_intents", reads}}},
    {"intents_read_redeliveries", {{"redeliveries", reads}}},
    {"intents_read_stored",
     {{"open_deliveries", reads}, {"segments", reads}, {"webhook_intents", reads}}},
    {"intents_read_turn_waits",
     {{"sequence_waits", reads}, {"sequences", reads}, {"webhook_intents", reads}}},
    {"intents_write_delivery_block", {{"delivery_blocks", appends}}},
    {"jobs_stage_jobs", {{"staged_jobs", appends}}},
    {"ledger_effects_of_one_hash", {}},
    {"ledger_insert_reports", {{"effect_reports", writes}}},
    {"ledger_insert_returned_effects", {{"returned_effects", writes}}},
    {"ledger_lock_balances", {{"balances", writes}}},
    {"ledger_post_transfers", {{"transfers", writes}, {"balances", writes}}},
    {"ledger_posted_effects", {{"transfers", reads}}},
    {"ledger_read_corrections", {{"transfers", reads}}},
    {"ledger_read_reports", {{"effect_reports", reads}}},
    {"ledger_read_returns", {{"returned_effects", reads}, {"transfers", reads}}},
    {"ledger_read_sequences", {{"sequences", reads}}},
    {"ledger_read_totals", {{"running_totals", reads}}},
    {"ledger_write_sequences", {{"sequences", writes}}},
    {"ledger_write_totals", {{"running_totals", writes}}},
    {"the next balance", {{"balances", writes}}},  // within a statement: gates.hpp
};

// Whether two uses of one thing conflict. A write is invisible before its commit: reading and
// writing commute, reading and committing do not. Two writers may wait for each other.
bool clash(Use one, bool one_commits, Use other, bool other_commits) {
    if (one == appends && other == appends) return false;
    if (one == reads) return other_commits;
    if (other == reads) return one_commits;
    return true;
}

}  // namespace

const std::map<std::string_view, Uses>& declared_uses() {
    return declared;
}

Footprint footprint_of(std::string_view statement) {
    // One advisory lock, within a statement: gates.hpp.
    if (statement.starts_with("lock ")) return {{{std::string(statement), writes}}, false, false};
    const auto known = declared.find(statement);
    if (known == declared.end()) return {{}, true, false};
    return {known->second, false, false};
}

// Schedules that differ only in the order of two commuting steps may be left out, because neither
// step sees the other's effect: at most one of them writes the things that both touch, and without
// committing. Neither waits for the other, as neither takes a lock that the other wants. Whether a
// step waits for an older lock of the other session does not depend on the order either: only a
// commit or a rollback releases it. A commit is a separate step. A rollback belongs to the step
// that failed; its only effect on others is the release of locks, so a waiting session continues,
// with the same end as if it had come later. A statement that skips locked rows (SKIP LOCKED) would
// notice: such a statement is never declared.
bool commute(const Footprint& one, const Footprint& other) {
    if (one.everything || other.everything) return false;
    return std::none_of(one.uses.begin(), one.uses.end(), [&](const auto& use) {
        const auto both = other.uses.find(use.first);
        return both != other.uses.end() &&
               clash(use.second, one.commits, both->second, other.commits);
    });
}

Footprint Trail::next(std::string_view statement) const {
    if (statement != "commit") return footprint_of(statement);
    return {written_, everything_, true};
}

void Trail::add(const Footprint& ran) {
    everything_ = everything_ || ran.everything;
    for (const auto& [thing, use] : ran.uses) {
        if (use == reads) continue;
        Use& so_far = written_.try_emplace(thing, use).first->second;
        if (use == writes) so_far = writes;
    }
}

}  // namespace pawl::testing
