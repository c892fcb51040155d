#include "intents/accept/posted_shapes.hpp"

#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

ProviderShapes shapes_in(const BatchContext& context) {
    std::set<const providers::KeyShape*> seen;  // the events of a rule share one
    ProviderShapes shapes;
    for (const auto& [key, intent] : context.intents) {
        const bool posted = intent.outcome == ledger::Outcome::applied ||
                            intent.outcome == ledger::Outcome::applied_late;
        if (!intent.decided || !posted) continue;
        for (const providers::Movement& movement : intent.event->movements) {
            if (!movement.shape || !seen.insert(movement.shape.get()).second) continue;
            shapes.insert({key.first, *movement.shape});
        }
    }
    return shapes;
}

}  // namespace

void record_shapes(db::Transaction& transaction, const BatchContext& context, ShapeRecord& into,
                   Time now) {
    into.recorded = shapes_in(context);
    if (into.known != nullptr) into.known->subtract_from(into.recorded);
    if (into.recorded.empty()) return;
    db::Texts providers, keys, readings;
    for (const auto& [provider, shape] : into.recorded) {
        providers.add(provider.str());
        keys.add(shape.key);
        readings.add(shape.reading);
    }
    transaction.run(sql::InsertPostedShapes{.provider = std::move(providers),
                                            .key = std::move(keys),
                                            .reading = std::move(readings),
                                            .now = now});
}

}  // namespace pawl::intents
