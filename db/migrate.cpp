#include "db/migrate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/crypto.hpp"
#include "base/fault.hpp"
#include "base/log.hpp"
#include "db/sql.hpp"

namespace pawl::db {
namespace {

// CREATE INDEX CONCURRENTLY and its like cannot run in a transaction. Such a file is marked in its
// first line, holds one statement, and can be run again after an interruption.
constexpr std::string_view not_transactional = "-- pawl: not transactional";

struct Recorded {
    std::string checksum;
    std::string applied_at;
};

struct FoundSchema {
    bool current = false;
    bool unreleased = false;  // the tables of an unreleased version, outside the schema `pawl`
};

FoundSchema find_schema(Session& session) {
    const auto rows = Statement::run(session, sql::FindSchema{});
    return {rows.only().current(), rows.only().unreleased()};
}

std::map<std::string, Recorded> recorded(Session& session) {
    std::map<std::string, Recorded> found;
    if (!find_schema(session).current) return found;
    for (const auto row : Statement::run(session, sql::ListMigrations{})) {
        found[std::string(row.name())] = {std::string(row.checksum()),
                                          std::string(row.applied_at())};
    }
    return found;
}

void apply(Session& session, const Migration& migration) {
    PAWL_FAULT_POINT(before_migration);
    const sql::RecordMigration record{.name = migration.name, .checksum = checksum(migration)};
    if (migration.text.starts_with(not_transactional)) {
        Statement::run_script(session, migration.text);
        Statement::run(session, record);
        return;
    }
    Transaction transaction(session);
    transaction.run_script(migration.text);
    transaction.run(record);
    transaction.commit();
}

// Held by the session, not by a transaction: files that are not transactional need it too.
class MigrationLock {
  public:
    explicit MigrationLock(Session& session) : session_(session) {
        Statement::run(session_, sql::LockMigrations{});
    }
    ~MigrationLock() {
        try {
            Statement::run(session_, sql::UnlockMigrations{});
        } catch (const Failure&) {
            session_.disconnect();  // the lock goes with the connection
        }
    }
    MigrationLock(const MigrationLock&) = delete;
    MigrationLock& operator=(const MigrationLock&) = delete;

  private:
    Session& session_;
};

bool never_migrated(const std::vector<MigrationStatus>& all) {
    return std::all_of(all.begin(), all.end(), [](const MigrationStatus& one) {
        return one.state == MigrationState::pending;
    });
}

Error made_by_unreleased(std::string_view found) {
    return refused(fmt::format(
        "the database was made by an unreleased version of pawl ({}), whose schema is not "
        "migrated. Save what you need with pg_dump; then drop the database and create it again "
        "(of an embedded one, move PAWL_DATA_DIR away), and run `pawl migrate`",
        found));
}

// One and the same for the database and for the program, of different text: either may be the one
// that was changed.
Error edited_unreleased(std::string_view name) {
    return refused(fmt::format(
        "migration {} was applied with another text than this program has: its checksum differs. "
        "It is in no release yet, and was edited since: the database was made by an unreleased "
        "version of pawl. Use the build that applied it, or restore the file; to continue with "
        "this "
        "one, save what you need with pg_dump, then drop the database and create it again (of an "
        "embedded one, move PAWL_DATA_DIR away), and run `pawl migrate`",
        name));
}

// An edited file that no release contains, or an unknown one together with missing files.
std::optional<Error> find_unreleased(const std::vector<MigrationStatus>& all,
                                     std::span<const Migration> known, std::size_t released) {
    bool missing = false;
    for (std::size_t i = 0; i < known.size(); ++i) {
        missing = missing || all[i].state == MigrationState::pending;
        if (i >= released && all[i].state == MigrationState::edited) {
            return edited_unreleased(all[i].name);
        }
    }
    for (const MigrationStatus& one : all) {
        if (missing && one.state == MigrationState::unknown) {
            return made_by_unreleased("it has a migration " + one.name +
                                      ", which is unknown to this program");
        }
    }
    return std::nullopt;
}

// Reasons why this program cannot use the schema, other than pending migrations.
Result<void> refuse_foreign(Session& session, const std::vector<MigrationStatus>& all,
                            std::span<const Migration> known, std::size_t released) {
    const FoundSchema found = find_schema(session);
    if (!found.current && found.unreleased) {
        return made_by_unreleased("its tables are outside the schema pawl");
    }
    if (auto unreleased = find_unreleased(all, known, released)) return *unreleased;
    for (const MigrationStatus& one : all) {
        if (one.state == MigrationState::unknown) {
            return refused(
                fmt::format("the database has migration {}, which this program does not know: it "
                            "was migrated by a newer pawl. Run that version, or a newer one",
                            one.name));
        }
        if (one.state == MigrationState::edited) {
            return refused(fmt::format(
                "migration {} was applied with another text than this program has: its checksum "
                "differs. Use the pawl that applied it, or restore the file; write changes as a "
                "new migration",
                one.name));
        }
    }
    return {};
}

}  // namespace

std::string checksum(const Migration& migration) {
    return crypto::sha256_hex(migration.text);
}

std::vector<MigrationStatus> status(Session& session, std::span<const Migration> known) {
    auto in_database = recorded(session);
    std::vector<MigrationStatus> all;
    for (const Migration& migration : known) {
        MigrationStatus one{std::string(migration.name), MigrationState::pending, std::nullopt};
        const auto found = in_database.find(one.name);
        if (found != in_database.end()) {
            const bool same = found->second.checksum == checksum(migration);
            one.state = same ? MigrationState::applied : MigrationState::edited;
            one.applied_at = found->second.applied_at;
            in_database.erase(found);
        }
        all.push_back(std::move(one));
    }
    for (const auto& [name, record] : in_database) {
        all.push_back({name, MigrationState::unknown, record.applied_at});
    }
    return all;
}

Result<void> check(Session& session, std::span<const Migration> known, std::size_t released) {
    const auto all = status(session, known);
    if (auto foreign = refuse_foreign(session, all, known, released); !foreign) return foreign;
    if (!all.empty() && never_migrated(all)) {
        return refused("the database has not been migrated; run `pawl migrate`");
    }
    for (const MigrationStatus& one : all) {
        if (one.state == MigrationState::pending) {
            return refused(
                fmt::format("the database schema is behind: migration {} has not been applied; run "
                            "`pawl migrate`",
                            one.name));
        }
    }
    return {};
}

Result<std::vector<std::string>> migrate_up(Session& session, std::span<const Migration> known,
                                            std::size_t released) {
    const MigrationLock lock(session);
    const auto all = status(session, known);
    if (auto foreign = refuse_foreign(session, all, known, released); !foreign) {
        return foreign.error();
    }
    // In an upgrade each file is logged as it begins: on a large table one may take long. A new
    // database takes all of them at once, in a moment.
    const bool fresh = never_migrated(all);
    std::vector<std::string> applied;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (all[i].state != MigrationState::pending) continue;
        if (!fresh) log::info("applying a migration", {{"name", all[i].name}});
        apply(session, known[i]);
        applied.push_back(all[i].name);
    }
    if (fresh && !applied.empty()) {
        log::info("the schema was created",
                  {{"migrations", applied.size()}, {"newest", applied.back()}});
    }
    return applied;
}

Result<std::string> as_psql_script(Session& session, std::span<const Migration> known,
                                   std::size_t released) {
    const auto all = status(session, known);
    if (auto foreign = refuse_foreign(session, all, known, released); !foreign) {
        return foreign.error();
    }
    std::string script = "\\set ON_ERROR_STOP on\n";
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (all[i].state != MigrationState::pending) continue;
        const bool plain = known[i].text.starts_with(not_transactional);
        script += fmt::format("\n\\echo applying {}\n{}{}\n", known[i].name,
                              plain ? "" : "BEGIN;\n", known[i].text);
        std::string record(sql::record_migration.text);
        const auto fill = [&record](std::string_view hole, std::string_view value) {
            record.replace(record.find(hole), hole.size(), fmt::format("'{}'", value));
        };
        fill("$1", known[i].name);
        fill("$2", checksum(known[i]));
        script += record + (plain ? ";\n" : ";\nCOMMIT;\n");
    }
    return script;
}

}  // namespace pawl::db
