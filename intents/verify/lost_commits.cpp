#include "intents/verify/lost_commits.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "db/chain/writer.hpp"
#include "intents/queries/installation.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// Hashes of the links at the rows that the heads of this table name.
template <class Statement>
void add_links(db::Session& session, const std::vector<db::FoundHead>& heads, chain::Table table,
               std::set<std::string>& links) {
    db::Numbers rows;
    for (const db::FoundHead& one : heads) {
        if (one.stored && one.stored->table == table) rows.add(one.stored->head.row);
    }
    if (rows.empty()) return;
    for (const auto row : db::Statement::run(session, Statement{std::move(rows)})) {
        const auto link = chain::Link::parse(row.chain_hash().value_or(""));
        if (link) links.insert(link->hash);
    }
}

}  // namespace

std::vector<LostCommit> judge_heads(const std::vector<db::FoundHead>& heads,
                                    const RecordedFacts& facts) {
    std::vector<LostCommit> lost;
    if (facts.database.empty()) return lost;
    for (const db::FoundHead& one : heads) {
        if (!one.stored || one.stored->database != facts.database) continue;
        if (facts.links.contains(one.stored->head.hash)) continue;
        // A database that has the recovery's row has every commit before it that is not lost.
        if (facts.covered_to && one.stored->written_at <= *facts.covered_to) continue;
        lost.push_back({one.place, *one.stored});
    }
    return lost;
}

std::vector<db::FoundHead> recorded_heads(const db::Session& session) {
    const db::ChainWriter* chain = session.options().chain.get();
    if (chain == nullptr) return {};
    return db::read_heads(chain->folder(), chain->keys());
}

std::vector<LostCommit> find_lost_commits(db::Session& session,
                                          const std::vector<db::FoundHead>& heads,
                                          const std::optional<Time>& covered_to) {
    if (heads.empty()) return {};
    RecordedFacts facts{installation_id(session), covered_to, {}};
    add_links<sql::VerifyTransferLinks>(session, heads, chain::Table::transfers, facts.links);
    add_links<sql::VerifyAuditLinks>(session, heads, chain::Table::audit_log, facts.links);
    return judge_heads(heads, facts);
}

std::string to_text(const LostCommit& lost) {
    return fmt::format("link {} of chain {} at row {} of {}, committed {} ({})", lost.head.head.seq,
                       chain::name_of(lost.head.head.chain), lost.head.head.row,
                       chain::to_text(lost.head.table), to_rfc3339(lost.head.written_at),
                       lost.place);
}

}  // namespace pawl::intents
