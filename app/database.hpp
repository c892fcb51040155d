// The database that the settings name: the one at PAWL_DATABASE_URL, or an embedded server below
// the data directory, kept running for as long as this object lives. Owned by a command.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/timer.hpp"
#include "db/chain/writer.hpp"
#include "db/embedded/embedded.hpp"
#include "db/migrate.hpp"
#include "db/session.hpp"
#include "intents/queries/installation.hpp"
#include "intents/verify/loss_watch.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

class Database {
  public:
    // For the one process that serves; refuses a data directory in use by another server.
    static Result<Database> start(const Settings& settings, const Clock& clock);
    // For the other commands: uses a running server, or runs one as long as it is needed. An
    // embedded database that does not exist is an error, unless the command creates installations.
    struct Use {
        bool migrated = true;  // the schema is the program's: an embedded database is migrated, as
                               // `serve` would; another's that is behind or ahead is an error that
                               // names the remedy
        bool create = false;   // an embedded database that does not exist is made
        bool heads = false;    // what this machine has recorded is read also without `migrated`
    };
    static Result<Database> use(const Settings& settings, const Clock& clock,
                                const std::string& purpose, Use how);
    static Result<Database> use(const Settings& settings, const Clock& clock,
                                const std::string& purpose) {
        return use(settings, clock, purpose, {true, false});
    }

    db::SessionOptions as_owner() const;    // migrates
    db::SessionOptions as_runtime() const;  // everything else: can neither alter nor delete
    db::SessionOptions as_reader() const;   // the same, for lists and reports
    bool embedded() const { return cluster_ != nullptr; }
    bool chained() const { return chain_ != nullptr; }
    // Records the rows from before the chain; called once the schema fits.
    Result<void> begin_chain() const;
    // The heads name the database from here on; it has no name before its mode is claimed.
    void name_in_heads(db::Session& session) const;
    std::string described() const;  // for display; without password
    // Sessions made from here on compare what this machine has recorded with each new connection.
    void watch_losses() { on_connect_ = intents::recover_if_lost; }
    // Sessions as_runtime: statements are canceled by then, and new connections fail.
    void end_statements_at(std::chrono::steady_clock::time_point time) const;
    const std::shared_ptr<Timer>& timer() const { return timer_; }  // shared by the whole program
    void stop();

  private:
    Database(const Settings& settings, std::unique_ptr<db::EmbeddedCluster> cluster);
    Result<void> open_chain(const Settings& settings);
    std::string url_;         // login that migrates; an operator's own URL serves both
    std::string server_url_;  // a login that has pawl_runtime and no more; embedded database only
    DatabaseSettings settings_;
    std::unique_ptr<db::EmbeddedCluster> cluster_;
    std::shared_ptr<db::ChainWriter> chain_;  // none: the rows are not chained
    std::function<void(db::Session&)> on_connect_{};
    std::shared_ptr<Timer> timer_ = std::make_shared<Timer>();
    std::shared_ptr<db::Watchdog> watchdog_ = std::make_shared<db::Watchdog>(timer_);
};

// An embedded database is brought to this program's schema; another's is only compared with it,
// because its owner decides when it changes. A schema that this program cannot use is an error of
// the configuration, whichever command finds it.
Result<void> bring_schema(const Database& database, bool may_migrate);

// One database holds the money of one mode. Every command that may post checks it here first.
Result<void> check_mode(const Settings& settings, db::Session& session,
                        intents::ModeChange change = intents::ModeChange::refused);

// Formats a failure for the operator, with the remedy.
Error explained(const db::Failure& failure);

}  // namespace pawl::app
