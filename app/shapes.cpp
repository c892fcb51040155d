#include "app/shapes.hpp"

#include <algorithm>

#include "app/database.hpp"
#include "base/log.hpp"
#include "intents/queries/installation.hpp"
#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

Findings found_in(const Settings& settings, db::Session& session) {
    return lint_shapes(settings, intents::posted_shapes(session));
}

}  // namespace

Result<void> check_shapes_of_posted(const Settings& settings, db::Session& session) {
    for (const Finding& one : found_in(settings, session)) {
        if (one.severity == Severity::error) return invalid(sentence(one));
        log::warn("rule changed its reading of amounts", {{"finding", sentence(one)}});
    }
    return {};
}

Check check_posted_keys(const Settings& settings, db::Session& session) {
    const Findings findings = found_in(settings, session);
    if (findings.empty()) {
        return {"posted keys", Health::good, "as the provider files have them", ""};
    }
    const auto error = std::find_if(findings.begin(), findings.end(), [](const Finding& one) {
        return one.severity == Severity::error;
    });
    const bool bad = error != findings.end();
    const Finding& worst = bad ? *error : findings.front();
    return {"posted keys", bad ? Health::bad : Health::doubtful,
            to_text(worst.place) + ": " + worst.what, worst.remedy};
}

Result<Findings> find_changed_shapes(const Settings& settings) {
    const SystemClock clock;
    const auto database = Database::use(settings, clock, "lint");
    if (!database) return database.error();
    try {
        db::Session session(database->as_runtime());
        return found_in(settings, session);
    } catch (const db::Failure& failure) {
        return explained(failure);
    }
}

}  // namespace pawl::app
