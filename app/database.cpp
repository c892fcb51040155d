#include "app/database.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "base/log.hpp"
#include "db/chain/keys.hpp"
#include "intents/queries/installation.hpp"
#include "intents/verify/chain_began.hpp"
#include "settings/database_url.hpp"

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

// Failures of a database that did answer, by SQLSTATE or its two-letter class.
struct Advice {
    std::string_view prefix;
    const char* problem;
    const char* remedy;
};

constexpr std::array<Advice, 8> advices{{
    {"57014", "the database canceled a statement",
     "try again; if it always takes that long, raise statement_timeout in [database] of pawl.toml"},
    {"55P03", "a lock in the database was not free in time", "try again in a moment"},
    {"25006", "the database is read-only", "name its primary in PAWL_DATABASE_URL"},
    {"42501", "the database login lacks a right",
     "use a login that has the role pawl_runtime, or the owner's for `pawl migrate` "
     "(migrations/README.md)"},
    {"53100", "the disk of the database is full", "free some space on it"},
    {"53", "the database is short of a resource", "look into the database server's log"},
    {"58", "the database reported an error of its own", "look into the database server's log"},
    {"XX", "the database reported an error of its own", "look into the database server's log"},
}};

// libpq adds hints of its own on lines that begin with a tab; this text ends with an answer.
// libpqxx puts the name of the statement before the server's text.
std::string one_line(std::string what) {
    if (what.starts_with("Failure during '")) {
        const std::size_t error = what.find("ERROR:");
        const std::size_t text = what.find_first_not_of(' ', error + 6);
        if (error != std::string::npos && text != std::string::npos) what.erase(0, text);
    }
    if (const std::size_t asks = what.find("\n\t"); asks != std::string::npos) what.resize(asks);
    while (!what.empty() && what.back() == '\n') what.pop_back();
    std::replace(what.begin(), what.end(), '\n', ' ');
    return what;
}

// Needed for `doctor`, which continues with a configuration that has errors.
Result<void> check_url(const Settings& settings) {
    if (settings.embedded()) return {};
    const auto fault = fault_of_database_url(settings.database.url);
    if (!fault) return {};
    return invalid(fmt::format("the database's URL is {}; {}", fault->condition, fault->remedy));
}

// A schema or a directory that this program cannot use is an error of the configuration, and not
// the "no" that a command like `verify` answers with.
Error unusable(const Error& error) {
    return error.kind == ErrorKind::refused ? invalid(error.message) : error;
}

}  // namespace

Database::Database(const Settings& settings, std::unique_ptr<db::EmbeddedCluster> cluster)
    : url_(cluster ? cluster->url() : settings.database.url),
      server_url_(cluster ? cluster->url_as(db::server_login) : settings.database.url),
      settings_(settings.database),
      cluster_(std::move(cluster)) {}

// The database never sees the key: it makes none, and is given none.
Result<void> Database::open_chain(const Settings& settings) {
    const std::vector<std::string>& given = settings.server.chain_keys;
    if (!settings.embedded() && given.empty()) return {};
    const auto folder = db::make_chain_folder(settings_.data_dir.string());
    if (!folder) return unusable(folder.error());
    auto keys = given.empty() ? db::keys_in(*folder) : chain::Keys::from(given);
    if (!keys) return unusable(keys.error());
    chain_ = std::make_shared<db::ChainWriter>(*folder, std::move(*keys));
    return {};
}

Result<void> Database::begin_chain() const {
    if (!chain_) return {};
    db::Session session(as_owner());
    name_in_heads(session);
    return intents::note_began(chain_->folder(), chain_->keys(), session);
}

void Database::name_in_heads(db::Session& session) const {
    if (chain_) chain_->set_database(intents::installation_id(session));
}

Result<Database> Database::start(const Settings& settings, const Clock& clock) {
    if (auto fits = check_url(settings); !fits) return fits.error();
    std::unique_ptr<db::EmbeddedCluster> own;
    if (settings.embedded()) {
        auto cluster = db::EmbeddedCluster::start(embedded_options(settings, clock, "serve"));
        if (!cluster) return unusable(cluster.error());
        own = std::make_unique<db::EmbeddedCluster>(std::move(*cluster));
    }
    Database database(settings, std::move(own));
    if (auto opened = database.open_chain(settings); !opened) return opened.error();
    return database;
}

Result<Database> Database::use(const Settings& settings, const Clock& clock,
                               const std::string& purpose, Use how) {
    if (auto fits = check_url(settings); !fits) return fits.error();
    std::unique_ptr<db::EmbeddedCluster> own;
    if (settings.embedded()) {
        db::EmbeddedOptions options = embedded_options(settings, clock, purpose);
        options.create = how.create;
        auto cluster = db::EmbeddedCluster::use(options);
        if (!cluster) return unusable(cluster.error());
        own = std::make_unique<db::EmbeddedCluster>(std::move(*cluster));
    }
    Database database(settings, std::move(own));
    if (how.migrated) {
        if (auto opened = database.open_chain(settings); !opened) return opened.error();
        const auto ready = bring_schema(database, settings.embedded());
        if (!ready) return ready.error();
    } else if (how.heads && std::filesystem::exists(settings.database.data_dir / "chain")) {
        if (auto opened = database.open_chain(settings); !opened) return opened.error();
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
    options.url = server_url_;
    options.name = "server";
    options.role = "pawl_runtime";
    options.finds_by_key = true;
    options.connect_timeout = to_ms(settings_.connect_timeout);
    options.statement_timeout = to_ms(settings_.statement_timeout);
    options.lock_timeout = to_ms(settings_.lock_timeout);
    options.watchdog = watchdog_;
    options.chain = chain_;
    options.on_connect = on_connect_;
    return options;
}

db::SessionOptions Database::as_reader() const {
    return for_reports(as_runtime());
}

std::string Database::described() const {
    if (!embedded()) return "the database of PAWL_DATABASE_URL";
    return fmt::format("its own PostgreSQL below {}", settings_.data_dir.string());
}

void Database::end_statements_at(std::chrono::steady_clock::time_point time) const {
    watchdog_->end_at(time);
}

void Database::stop() {
    if (cluster_) cluster_->stop();
}

Result<void> bring_schema(const Database& database, bool may_migrate) {
    try {
        db::Session session(database.as_owner());
        if (may_migrate) {
            const auto applied = db::migrate_up(session, db::embedded());
            if (!applied) return unusable(applied.error());
        } else if (const auto fits = db::check(session, db::embedded()); !fits) {
            return unusable(fits.error());
        }
        return database.begin_chain();
    } catch (const db::Failure& failure) {
        return explained(failure);
    }
}

Result<void> check_mode(const Settings& settings, db::Session& session,
                        intents::ModeChange change) {
    const Mode wanted = settings.server.mode;
    auto bound = intents::adopt_mode(session, wanted, change);
    for (int tries = 0; bound && bound->may_pass() && tries < 20; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        bound = intents::adopt_mode(session, wanted, change);
    }
    if (!bound) return {};
    return invalid(fmt::format(
        "the database holds {} money ({}) and cannot serve {} mode; set PAWL_MODE={}, or name "
        "another database for {} mode with PAWL_DATA_DIR or PAWL_DATABASE_URL",
        to_text(bound->mode), bound->because, to_text(wanted), to_text(bound->mode),
        to_text(wanted)));
}

Error explained(const db::Failure& failure) {
    const std::string what = one_line(failure.what());
    for (const Advice& advice : advices) {
        if (!failure.sqlstate.starts_with(advice.prefix)) continue;
        return unreachable(fmt::format("{}: {}; {}", advice.problem, what, advice.remedy));
    }
    if (failure.kind == db::FailureKind::unreachable) {
        return unreachable(fmt::format(
            "the database could not be reached: {}; check PAWL_DATABASE_URL and that the server "
            "accepts connections (pawl doctor shows more)",
            what));
    }
    return {ErrorKind::internal, fmt::format("the database refused: {}", what)};
}

}  // namespace pawl::app
