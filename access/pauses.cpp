#include "access/pauses.hpp"

#include "access/audit.hpp"
#include "access/sql.hpp"
#include "base/json.hpp"

namespace pawl::access {
namespace {

template <db::TypedStatement S>
bool change(db::Session& session, const S& statement, AuditEntry entry) {
    bool changed = false;
    const std::string act_id = new_act_id();
    json::Writer details;
    entry.details = details.begin_object().member("act_id", act_id).end_object().take();
    db::in_transaction(session, [&](db::Transaction& transaction) {
        changed = transaction.run(statement).affected() == 1;
        if (changed) {
            record(transaction, entry);
        } else {
            changed = find_act(transaction, entry.subject, act_id).has_value();
        }
    });
    return changed;
}

}  // namespace

std::vector<Pause> list_pauses(db::Session& session) {
    std::vector<Pause> all;
    for (const auto row : db::Statement::run(session, sql::ListPauses{})) {
        all.push_back({.provider = std::string(row.provider()),
                       .paused_at = row.paused_at(),
                       .paused_by = std::string(row.paused_by()),
                       .reason = std::string(row.reason()),
                       .waiting = row.waiting()});
    }
    return all;
}

bool is_paused(db::Transaction& transaction, const std::string& provider) {
    return !transaction.run(sql::FindPause{.provider = provider}).empty();
}

bool pause(db::Session& session, const std::string& provider, const std::string& principal,
           const std::string& reason) {
    return change(
        session, sql::PauseProvider{.provider = provider, .paused_by = principal, .reason = reason},
        {principal, "provider.pause", provider, reason});
}

bool resume(db::Session& session, const std::string& provider, const std::string& principal,
            const std::string& reason) {
    return change(session, sql::ResumeProvider{.provider = provider},
                  {principal, "provider.resume", provider, reason});
}

}  // namespace pawl::access
