#include "app/database_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "access/pauses.hpp"
#include "app/recovering.hpp"
#include "app/shapes.hpp"
#include "base/log.hpp"
#include "db/inspect.hpp"
#include "intents/verify/chain_keys.hpp"

namespace pawl::app {
namespace {

// The oldest major version that Debian 12 and its neighbours still support.
constexpr int oldest_version = 140000;
constexpr std::chrono::milliseconds clock_apart_max{1000};

Check check_version(std::map<std::string, std::string>& settings) {
    const int number = std::stoi(settings["server_version_num"]);
    const std::string shown = fmt::format("PostgreSQL {}.{}", number / 10000, number % 10000);
    if (number >= oldest_version) return {"database version", Health::good, shown, ""};
    return {"database version", Health::bad, shown, "use PostgreSQL 14 or newer"};
}

// The settings without which a crash loses or tears committed data. synchronous_commit is not among
// them: each session sets its own.
std::optional<std::string> setting_off(std::map<std::string, std::string>& settings) {
    for (const char* name : {"fsync", "full_page_writes"}) {
        if (settings[name] == "off") return name;
    }
    return std::nullopt;
}

std::string turn_on(const std::string& name) {
    return fmt::format("set {} = on in its postgresql.conf, and reload it", name);
}

Check check_durability(std::map<std::string, std::string>& settings) {
    if (const auto off = setting_off(settings)) {
        return {"durability", Health::bad,
                *off + " is off: a crash of the machine could lose answered events", turn_on(*off)};
    }
    return {"durability", Health::good,
            "fsync, full_page_writes on; synchronous_commit " + settings["synchronous_commit"], ""};
}

// The server takes on pawl_runtime; what its login has besides is an attacker's after RESET ROLE.
std::string joined(const std::vector<std::string>& rights) {
    std::string text;
    for (const std::string& right : rights) text += (text.empty() ? "" : ", ") + right;
    return text;
}

constexpr const char* narrower_login =
    "let the server log in as a role that has pawl_runtime and no more (migrations/README.md)";

Check check_login(const Database& database) {
    db::SessionOptions server = database.as_runtime();
    server.role.clear();  // its own rights; and before the first migration there is no such role
    try {
        db::Session session(server);
        const auto rights = db::rights_beyond_runtime(session);
        if (rights.empty()) return {"database login", Health::good, "has pawl_runtime only", ""};
        return {"database login", Health::doubtful, joined(rights), narrower_login};
    } catch (const db::Failure& failure) {
        return {"database login", Health::doubtful, failure.what(), "pawl migrate makes it"};
    }
}

// An event takes a lock for itself, its effect, its sequence and a need: most take two or three.
constexpr std::int64_t locks_of_an_event = 4;

// The most events that one delivery of a configured provider can hold.
std::int64_t items_max_of(const Settings& settings) {
    std::int64_t most = 1;
    for (const auto& file : settings.providers) {
        if (!file.config.read.items.empty()) most = std::max(most, file.config.read.items_max);
    }
    return most;
}

Check check_clocks(db::Session& session) {
    const SystemClock clock;
    const auto apart = db::clock_difference(session, clock);
    const std::string found = fmt::format("{} ms ahead of this machine's", apart.count());
    const bool close = apart < clock_apart_max && -apart < clock_apart_max;
    return {"database clock", close ? Health::good : Health::doubtful, found,
            close ? "" : "run an NTP client on both machines"};
}

// Keys are ordered by bytes (COLLATE "C") whatever the database's collation is; an index that an
// operator added may not be.
Check check_collations(db::Session& session, std::map<std::string, std::string>& settings) {
    if (std::stoi(settings["server_version_num"]) < 150000) {
        return {"collations", Health::good, "keys do not depend on them", ""};
    }
    std::string found;
    bool indexes = false;
    for (const db::ChangedCollation& one : db::changed_collations(session)) {
        indexes = indexes || !one.indexes.empty();
        found += fmt::format("{}{}: recorded version {}, actual {}{}{}", found.empty() ? "" : "; ",
                             one.name, one.recorded, one.actual,
                             one.indexes.empty() ? "" : ", used by ", one.indexes);
    }
    if (found.empty()) return {"collations", Health::good, "as recorded; keys use none", ""};
    const char* remedy = "REINDEX what uses it, then ALTER DATABASE ... REFRESH COLLATION VERSION";
    return {"collations", indexes ? Health::bad : Health::doubtful, found, remedy};
}

constexpr const char* chain_key_remedy =
    "set PAWL_CHAIN_KEY, for example to what `openssl rand -hex 32` prints (docs/verify.md)";

Check check_chain(const Settings& settings) {
    if (settings.embedded() || !settings.server.chain_keys.empty()) {
        return {"hash chain", Health::good, "movements and audit entries are chained", ""};
    }
    return {"hash chain", Health::doubtful, "no key is set: edited and deleted rows are not found",
            chain_key_remedy};
}

// Only where the schema is there.
Check check_pauses(db::Session& session) {
    const auto pauses = access::list_pauses(session);
    if (pauses.empty()) return {"paused providers", Health::good, "none", ""};
    std::string found;
    for (const access::Pause& one : pauses) {
        found += fmt::format("{}{} since {} ({}), {} events wait", found.empty() ? "" : "; ",
                             one.provider, to_rfc3339(one.paused_at), one.reason, one.waiting);
    }
    return {"paused providers", Health::doubtful, found,
            "when its cause is removed: pawl providers resume " + pauses.front().provider};
}

Check check_schema(db::Session& session) {
    const auto checked = db::check(session, db::embedded());
    if (checked) return {"schema", Health::good, "as this program wants it", ""};
    return {"schema", Health::bad, checked.error().message, "pawl migrate status"};
}

}  // namespace

Result<void> require_durable(const Database& database) {
    db::Session session(database.as_owner());
    auto settings = db::durability(session);
    const auto off = setting_off(settings);
    if (!off) return {};
    return invalid(
        fmt::format("{}: {} is off, and a crash of the machine could lose answered events; {}",
                    database.described(), *off, turn_on(*off)));
}

void report_login(const Database& database) {
    db::Session session(database.as_runtime());
    const auto rights = db::rights_beyond_runtime(session);
    if (rights.empty()) return;
    log::warn("database login has more rights than the server needs",
              {{"rights", joined(rights)}, {"remedy", narrower_login}});
}

void report_chain(const Database& database) {
    db::Session session(database.as_runtime());
    std::string keys;
    for (const std::string& key : intents::unknown_chain_keys(session)) {
        keys += (keys.empty() ? "" : ", ") + key;
    }
    if (!database.chained()) {
        log::warn(keys.empty()
                      ? "hash chain switched off: no key is set"
                      : "hash chain switched off: no key is set, and earlier rows have one",
                  {{"keys", keys}, {"remedy", chain_key_remedy}});
    } else if (!keys.empty()) {
        log::warn("chain key unknown: `pawl verify` cannot prove the rows that it signed",
                  {{"keys", keys},
                   {"remedy",
                    "put it behind the current key: PAWL_CHAIN_KEY=CURRENT,FORMER "
                    "(docs/verify.md)"}});
    }
}

std::size_t locks_of_a_batch(std::int64_t lock_table_size, const ReceiveSettings& settings) {
    constexpr std::int64_t least = 64;  // a batch of a few events fits everywhere
    return static_cast<std::size_t>(
        std::max<std::int64_t>(least, lock_table_size / 2 / settings.committers));
}

Check check_locks(std::int64_t lock_table_size, const Settings& settings) {
    const std::int64_t half = lock_table_size / 2;
    const std::int64_t largest =
        items_max_of(settings) * locks_of_an_event * settings.receive.committers;
    const std::string found =
        fmt::format("{} for all users of the server; the largest deliveries take up to {}",
                    lock_table_size, largest);
    if (largest <= half) return {"lock table", Health::good, found, ""};
    return {"lock table", Health::doubtful, found,
            fmt::format("raise max_locks_per_transaction to {} times its value, or lower items_max "
                        "or committers",
                        (largest + half - 1) / half)};
}

Checks check_database(const Settings& settings) {
    const SystemClock clock;
    const auto database =
        Database::use(settings, clock, "doctor", {.migrated = false, .heads = true});
    if (!database) {
        const bool wrong = database.error().kind == ErrorKind::invalid;
        return {{"database", wrong ? Health::wrong : Health::unreachable, database.error().message,
                 "see the message"}};
    }
    try {
        db::Session session(database->as_owner());
        auto found = db::durability(session);
        Checks checks = {{"database", Health::good, database->described(), ""},
                         check_version(found),
                         check_durability(found),
                         check_login(*database),
                         check_locks(db::lock_table_size(found), settings),
                         check_clocks(session),
                         check_collations(session, found),
                         check_schema(session),
                         check_chain(settings)};
        if (!db::check(session, db::embedded())) return checks;
        checks.push_back(check_pauses(session));
        checks.push_back(check_recovery(session));
        checks.push_back(check_posted_keys(settings, session));
        return checks;
    } catch (const db::Failure& failure) {
        return {{"database", Health::unreachable, explained(failure).message, ""}};
    }
}

}  // namespace pawl::app
