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

}  // namespace pawl::access
