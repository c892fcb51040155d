#include "access/audit.hpp"

#include "access/sql.hpp"
#include "base/json.hpp"
#include "base/rng.hpp"
#include "db/chain/writer.hpp"

namespace pawl::access {

void record(db::Transaction& transaction, const AuditEntry& entry) {
    sql::InsertAudit insertion{.principal = entry.principal,
                               .action = entry.action,
                               .subject = entry.subject,
                               .reason = entry.reason,
                               .details = entry.details,
                               .chain_mark = std::nullopt,
                               .chain_link = std::nullopt};
    db::ChainAppender* chain = transaction.chain_of(chain::Table::audit_log);
    if (chain != nullptr) {
        chain::Rows row;  // in the order of intents/sql/verify_audit.sql
        row.text(entry.principal).text(entry.action).text(entry.subject).text(entry.reason);
        row.text(entry.details).end_row();
        const auto written = chain->append(row);
        insertion.chain_mark = written.mark;
        insertion.chain_link = written.link;
    }
    const auto rows = transaction.run(insertion);
    const auto placed = rows.only();
    // The database's clock stamps the entry: its time is chained like its number, by the next link.
    if (chain == nullptr) return;
    chain->placed(
        "{" + std::to_string(placed.id()) + "@" + std::to_string(placed.microseconds()) + "}",
        placed.id());
}

std::string new_act_id() {
    SecureRng rng;
    return uuid_v4(rng);
}

std::optional<std::string> find_act(db::Transaction& transaction, const std::string& subject,
                                    const std::string& act_id) {
    const auto rows = transaction.run(sql::FindAct{.subject = subject, .act_id = act_id});
    return rows.empty() ? std::nullopt : std::optional(std::string(rows[0].details()));
}

std::string detail(const std::string& details, const std::string& name) {
    const auto document = json::Document::parse(details);
    if (!document) return "";
    const auto value = document->root().at(json::Pointer::parse("/" + name).value());
    return value ? value->text().value_or("") : "";
}

std::optional<AuditRow> last_act(db::Transaction& transaction, const std::string& subject) {
    const auto rows = transaction.run(sql::LastAct{.subject = subject});
    if (rows.empty()) return std::nullopt;
    AuditRow last;
    last.at = to_rfc3339(rows[0].at());
    last.entry = {.principal = std::string(rows[0].principal()),
                  .action = std::string(rows[0].action()),
                  .subject = subject,
                  .reason = "",
                  .details = std::string(rows[0].details())};
    return last;
}

std::vector<AuditRow> list_audit(db::Session& session, const db::TimeRange& range,
                                 std::int64_t before_id, std::int64_t limit) {
    std::vector<AuditRow> all;
    const auto rows = db::Statement::run(session, sql::ListAudit{.from_time = range.from,
                                                                 .to_time = range.to,
                                                                 .before_id = before_id,
                                                                 .limit_rows = limit});
    for (const auto row : rows) {
        all.push_back({row.audit_id(),
                       to_rfc3339(row.at()),
                       {.principal = std::string(row.principal()),
                        .action = std::string(row.action()),
                        .subject = std::string(row.subject()),
                        .reason = std::string(row.reason()),
                        .details = std::string(row.details())}});
    }
    return all;
}

}  // namespace pawl::access
