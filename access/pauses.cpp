#include "access/pauses.hpp"

#include "access/audit.hpp"
#include "access/sql.hpp"

namespace pawl::access {
namespace {

bool change(db::Session& session, const db::Query& query, const db::Params& params,
            const AuditEntry& entry) {
    bool changed = false;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        changed = transaction.run(query, params).affected() == 1;
        if (changed) record(transaction, entry);
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
