#include "access/pauses.hpp"

#include "access/audit.hpp"
#include "access/sql.hpp"
#include "base/json.hpp"

namespace pawl::access {
namespace {

bool change(db::Session& session, const db::Query& query, const db::Params& params,
            AuditEntry entry) {
    bool changed = false;
    const std::string act_id = new_act_id();
    json::Writer details;
    entry.details = details.begin_object().member("act_id", act_id).end_object().take();
    db::in_transaction(session, [&](db::Transaction& transaction) {
        changed = transaction.run(query, params).affected() == 1;
        if (changed) {
            record(transaction, entry);
        } else {
            changed = find_act(transaction, entry.subject, act_id).has_value();
        }
    });
    return changed;
}

}  // namespace

bool pause(db::Session& session, const std::string& provider, const std::string& principal,
           const std::string& reason) {
    return change(session, sql::pause_provider,
                  db::Params().text(provider).text(principal).text(reason),
                  {principal, "provider.pause", provider, reason});
}

bool resume(db::Session& session, const std::string& provider, const std::string& principal,
            const std::string& reason) {
    return change(session, sql::resume_provider, db::Params().text(provider),
                  {principal, "provider.resume", provider, reason});
}

}  // namespace pawl::access
