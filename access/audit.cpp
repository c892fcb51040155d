#include "access/audit.hpp"

#include "access/sql.hpp"
#include "base/json.hpp"
#include "base/rng.hpp"
#include "db/chain/writer.hpp"

namespace pawl::access {

void record(db::Transaction& transaction, const AuditEntry& entry) {
    db::Params params;
    params.text(entry.principal).text(entry.action).text(entry.subject).text(entry.reason);
    params.text(entry.details);
    db::ChainAppender* chain = transaction.chain_of(chain::Table::audit_log);
    if (chain != nullptr) {
        chain::Rows row;  // in the order of intents/sql/verify_audit.sql
        row.text(entry.principal).text(entry.action).text(entry.subject).text(entry.reason);
        row.text(entry.details).end_row();
        const auto written = chain->append(row);
        params.bytes(written.mark).bytes(written.link);
    } else {
        params.null().null();
    }
    const db::Rows rows = transaction.run(sql::insert_audit, params);
    const db::Row placed = rows.only();
    // The database's clock stamps the entry: its time is chained like its number, by the next link.
    if (chain != nullptr)
        chain->placed("{" + placed.str(0) + "@" + placed.str(1) + "}", placed.number(0));
}

std::string new_act_id() {
    SecureRng rng;
    return uuid_v4(rng);
}

std::optional<std::string> find_act(db::Transaction& transaction, const std::string& subject,
                                    const std::string& act_id) {
    const auto rows = transaction.run(sql::find_act, db::Params().text(subject).text(act_id));
    return rows.empty() ? std::nullopt : std::optional(rows[0].str(0));
}

std::string detail(const std::string& details, const std::string& name) {
    const auto document = json::Document::parse(details);
    if (!document) return "";
    const auto value = document->root().at(json::Pointer::parse("/" + name).value());
    return value ? value->text().value_or("") : "";
}

std::vector<AuditRow> list_audit(db::Session& session, const db::TimeRange& range,
                                 std::int64_t before_id, std::int64_t limit) {
    std::vector<AuditRow> all;
    db::Params params;
    db::add(params, range);
    params.number(before_id).number(limit);
    for (const db::Row row : db::Statement::run(session, sql::list_audit, params)) {
        all.push_back({row.number(0),
                       to_rfc3339(row.time(1)),
                       {row.str(2), row.str(3), row.str(4), row.str(5), row.str(6)}});
    }
    return all;
}

}  // namespace pawl::access
