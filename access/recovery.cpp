#include "access/recovery.hpp"

#include "access/audit.hpp"
#include "access/sql.hpp"
#include "base/json.hpp"

namespace pawl::access {
namespace {

constexpr const char* subject = "recovery";

// `change` returns nullopt if there was nothing to change. A change whose COMMIT was in doubt is
// entered again: then its audit row shows that it was made, and with which result.
template <class Change>
bool audited(db::Session& session, AuditEntry entry, const std::string& evidence, Change change) {
    const std::string act_id = new_act_id();
    bool result = false;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        if (const auto done = find_act(transaction, subject, act_id)) {
            result = detail(*done, "result") == "true";
            return;
        }
        const std::optional<bool> changed = change(transaction);
        result = changed.value_or(false);
        if (!changed) return;
        json::Writer details;
        details.begin_object().member("act_id", act_id).member("evidence", evidence);
        details.member("result", result ? "true" : "false").end_object();
        entry.details = details.take();
        record(transaction, entry);
    });
    return result;
}

}  // namespace

std::optional<Recovery> last_recovery(db::Session& session) {
    const auto rows = db::Statement::run(session, sql::LastRecovery{});
    if (rows.empty()) return std::nullopt;
    const auto row = rows[0];
    return Recovery{.id = row.recovery_id(),
                    .began_at = row.began_at(),
                    .began_by = std::string(row.began_by()),
                    .reason = std::string(row.reason()),
                    .recorded_to = row.recorded_to(),
                    .covers_to = row.covers_to(),
                    .ended_at = row.ended_at()};
}

bool begin_recovery(db::Session& session, const NewRecovery& begun) {
    return audited(session, {begun.principal, "recovery.begin", subject, begun.reason},
                   begun.evidence, [&](db::Transaction& transaction) {
                       const sql::BeginRecovery statement{.principal = begun.principal,
                                                          .reason = begun.reason,
                                                          .covers_to = begun.lost_to,
                                                          .lost_from = begun.lost_from};
                       return std::optional<bool>(transaction.run(statement).only().is_new());
                   });
}

bool end_recovery(db::Session& session, const std::string& principal, const std::string& reason) {
    return audited(session, {principal, "recovery.end", subject, reason}, "",
                   [&](db::Transaction& transaction) {
                       const sql::EndRecovery ended{.ended_by = principal, .end_reason = reason};
                       const bool done = transaction.run(ended).affected() == 1;
                       return done ? std::optional(true) : std::nullopt;
                   });
}

}  // namespace pawl::access
