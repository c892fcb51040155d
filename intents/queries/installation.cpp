#include "intents/queries/installation.hpp"

#include "intents/sql.hpp"

namespace pawl::intents {

std::optional<BoundMode> adopt_mode(db::Session& session, Mode wanted, ModeChange change) {
    std::optional<BoundMode> bound;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        bound.reset();
        const auto mode = db::Params().text(to_text(wanted));
        transaction.run(sql::claim_mode, mode);
        // Two servers that start at once decide one after the other.
        const std::string held = transaction.run(sql::lock_mode).only().str(0);
        if (held == to_text(wanted)) return;
        const auto because = change == ModeChange::refused
                                 ? std::optional<std::string>("it was served last")
                                 : transaction.run(sql::mode_bound_by).only().maybe_text(0);
        if (because) {
            bound = {parse_mode(held).value(), *because};
        } else {
            transaction.run(sql::set_mode, mode);
        }
    });
    return bound;
}

std::vector<std::string> providers_with_events(db::Session& session,
                                               const std::vector<std::string>& names) {
    std::vector<std::string> found;
    const auto params = db::Params().texts(names);
    for (const db::Row row : db::Statement::run(session, sql::providers_with_events, params)) {
        found.push_back(row.str(0));
    }
    return found;
}

}  // namespace pawl::intents
