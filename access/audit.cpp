#include "access/audit.hpp"

#include "access/sql.hpp"

namespace pawl::access {

void record(db::Transaction& transaction, const AuditEntry& entry) {
    transaction.run(sql::insert_audit, db::Params()
                                           .text(entry.principal)
                                           .text(entry.action)
                                           .text(entry.subject)
                                           .text(entry.reason)
                                           .text(entry.details));
}

std::vector<AuditRow> list_audit(db::Session& session, std::int64_t before_id, std::int64_t limit) {
    std::vector<AuditRow> all;
    const auto params = db::Params().number(before_id).number(limit);
    for (const db::Row row : db::Statement::run(session, sql::list_audit, params)) {
        all.push_back({row.number(0),
                       to_rfc3339(row.time(1)),
                       {row.str(2), row.str(3), row.str(4), row.str(5), row.str(6)}});
    }
    return all;
}

}  // namespace pawl::access
