#include "app/database.hpp"

#include <fmt/core.h>

#include "base/log.hpp"

namespace pawl::app {
namespace {

db::EmbeddedOptions embedded_options(const Settings& settings, const Clock& clock,
                                     const std::string& purpose) {
    db::EmbeddedOptions options;
    options.data_dir = settings.database.data_dir.string();
    options.clock = &clock;
    options.purpose = purpose;
    return options;
}

std::chrono::milliseconds to_ms(Duration duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration);
}

}  // namespace

Database::Database(const Settings& settings, std::unique_ptr<db::EmbeddedCluster> cluster)
    : url_(cluster ? cluster->url() : settings.database.url),
      settings_(settings.database),
      cluster_(std::move(cluster)) {}

Result<Database> Database::start(const Settings& settings, const Clock& clock) {
    if (!settings.embedded()) return Database(settings, nullptr);
    auto cluster = db::EmbeddedCluster::start(embedded_options(settings, clock, "serve"));
    // A directory that another server has is a mistake of the configuration, not an answer.
    if (!cluster && cluster.error().kind == ErrorKind::refused) {
        return invalid(cluster.error().message);
    }
    if (!cluster) return cluster.error();
    return Database(settings, std::make_unique<db::EmbeddedCluster>(std::move(*cluster)));
}

Result<Database> Database::use(const Settings& settings, const Clock& clock,
                               const std::string& purpose, bool migrated) {
    if (!settings.embedded()) return Database(settings, nullptr);
    auto cluster = db::EmbeddedCluster::use(embedded_options(settings, clock, purpose));
    if (!cluster) return cluster.error();
    Database database(settings, std::make_unique<db::EmbeddedCluster>(std::move(*cluster)));
    if (migrated) {
        if (auto ready = bring_schema(database, true); !ready) return ready.error();
    }
    return database;
}

db::SessionOptions Database::as_owner() const {
    db::SessionOptions options;
    options.url = url_;
    options.name = "owner";
    options.connect_timeout = to_ms(settings_.connect_timeout);
    // A migration may take as long as it takes; waiting for a lock on a busy table may not.
    options.statement_timeout = std::chrono::milliseconds(0);
    options.lock_timeout = std::chrono::seconds(5);
    return options;
}

db::SessionOptions Database::as_runtime() const {
    db::SessionOptions options;
    options.url = url_;
    options.name = "server";
    options.role = "pawl_runtime";
    options.finds_by_key = true;
    options.connect_timeout = to_ms(settings_.connect_timeout);
    options.statement_timeout = to_ms(settings_.statement_timeout);
    options.lock_timeout = to_ms(settings_.lock_timeout);
    options.watchdog = watchdog_;
    return options;
}

db::SessionOptions Database::as_reader() const {
    return for_reports(as_runtime());
}

std::string Database::described() const {
    if (!embedded()) return "the database of PAWL_DATABASE_URL";
    return fmt::format("its own PostgreSQL below {}", settings_.data_dir.string());
}

void Database::stop() {
    if (cluster_) cluster_->stop();
}

Result<void> bring_schema(const Database& database, bool may_migrate) {
    try {
        db::Session session(database.as_owner());
        if (!may_migrate) return db::check(session, db::embedded());
        const auto applied = db::migrate_up(session, db::embedded());
        if (!applied) return applied.error();
        return {};
    } catch (const db::Failure& failure) {
        return explained(failure);
    }
}

Error explained(const db::Failure& failure) {
    // libpq adds questions of its own, on lines that begin with a tab; ours ends with an answer.
    std::string what = failure.what();
    if (const std::size_t asks = what.find("\n\t"); asks != std::string::npos) what.resize(asks);
    while (!what.empty() && what.back() == '\n') what.pop_back();
    for (char& c : what) c = c == '\n' ? ' ' : c;
    if (failure.kind == db::FailureKind::unreachable) {
        return unreachable(fmt::format(
            "the database could not be reached: {}; check PAWL_DATABASE_URL and that the server "
            "accepts connections (pawl doctor tells more)",
            what));
    }
    return {ErrorKind::internal, fmt::format("the database refused: {}", what)};
}

}  // namespace pawl::app
