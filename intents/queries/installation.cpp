#include "intents/queries/installation.hpp"

#include "intents/sql.hpp"

namespace pawl::intents {

std::optional<BoundMode> adopt_mode(db::Session& session, Mode wanted, ModeChange change) {
    std::optional<BoundMode> bound;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        bound.reset();
        transaction.run(sql::ClaimMode{.mode = to_text(wanted)});
        // Two servers that start at once decide one after the other.
        const std::string held(transaction.run(sql::LockMode{}).only().mode());
        if (held == to_text(wanted)) return;
        std::optional<std::string> because = "it was served last";
        if (change != ModeChange::refused) {
            because = transaction.run(sql::ModeBoundBy{}).only().reason();
        }
        if (because) {
            bound = {parse_mode(held).value(), *because};
        } else {
            transaction.run(sql::SetMode{.mode = to_text(wanted)});
        }
    });
    return bound;
}

std::string installation_id(db::Session& session) {
    const auto rows = db::Statement::run(session, sql::InstallationId{});
    return rows.empty() ? std::string() : rows[0].id();
}

std::vector<PostedShape> posted_shapes(db::Session& session) {
    std::vector<PostedShape> shapes;
    for (const auto row : db::Statement::run(session, sql::ListPostedShapes{})) {
        shapes.emplace_back(
            std::string(row.provider()),
            providers::KeyShape{std::string(row.key()), std::string(row.reading())});
    }
    return shapes;
}

std::vector<std::string> providers_with_events(db::Session& session,
                                               const std::vector<std::string>& names) {
    std::vector<std::string> found;
    const sql::ProvidersWithEvents question{.name = db::Texts(names)};
    for (const auto row : db::Statement::run(session, question)) found.emplace_back(row.name());
    return found;
}

}  // namespace pawl::intents
