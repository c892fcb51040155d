#include "tests/integration/gates.hpp"

namespace pawl::testing {
namespace {

// A gate is an advisory lock, by number and backend, that its keeper holds. There are two of each
// kind, in turns: one is shut again before the backend can come back to it.
constexpr const char* built = R"sql(
CREATE SCHEMA gates;
GRANT USAGE ON SCHEMA gates TO pawl_runtime, pawl_owner;

CREATE FUNCTION gates.pass(kind integer, thing text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    turns regclass := to_regclass('gates.turns_' || pg_backend_pid());
    gate  integer;
BEGIN
    IF turns IS NULL THEN RETURN true; END IF;
    PERFORM set_config('application_name', thing, true);
    gate := 7000 + 2 * kind + (nextval(turns) % 2)::integer;
    PERFORM pg_advisory_lock(gate, pg_backend_pid());
    PERFORM pg_advisory_unlock(gate, pg_backend_pid());
    RETURN true;
END
$$;

CREATE FUNCTION gates.pg_advisory_xact_lock(key bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM gates.pass(0, 'lock ' || key);
    PERFORM pg_catalog.pg_advisory_xact_lock(key);
END
$$;

ALTER TABLE balances ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY every_role ON balances USING (true) WITH CHECK (true);
CREATE POLICY one_by_one ON balances AS RESTRICTIVE FOR SELECT
    USING (gates.pass(1, 'the next balance'));
)sql";

// The numbers in the text are in the name, too: one for another session is another statement.
db::Rows ask(db::Session& session, const std::string& name, const std::string& sql) {
    return db::Statement::run(session, db::Query{name, sql});
}

// Reads the table of locks, not the view of waits: it changes with the very release of a lock. A
// wait for another session than the rival, such as a vacuum, ends without the test's help.
std::string waits_of(const std::string& backend, const std::string& rival) {
    return "SELECT CASE WHEN locktype = 'advisory' AND objsubid = 2 THEN classid::bigint ELSE 0 "
           "END AS gate, " +
           rival + " = ANY (pg_blocking_pids(" + backend +
           ")) AS for_rival, (SELECT application_name FROM pg_stat_get_activity(" + backend +
           ")) AS what FROM pg_locks WHERE pid = " + backend + " AND NOT granted";
}

}  // namespace

void Gates::build(const TestDatabase& database) {
    database.run(built);
}

Gates::Gates(db::Session& keeper, std::int64_t backend) : keeper_(keeper), backend_(backend) {
    const std::string own = std::to_string(backend);
    db::Statement::run_script(keeper_, "CREATE SEQUENCE gates.turns_" + own);
    ask(keeper_, "test_shut " + own,
        "SELECT pg_catalog.pg_advisory_lock(gate, " + own +
            ") FROM generate_series(7000, 7003) AS gate");
}

Gates::Wait Gates::look(std::int64_t rival) {
    const std::string own = std::to_string(backend_), other = std::to_string(rival);
    const auto rows = ask(keeper_, "test_waits " + own + " " + other, waits_of(own, other)).named();
    if (rows.empty()) return {};
    const int gate = std::stoi(rows[0].at("gate"));
    return {gate, gate == 0 && rows[0].at("for_rival") == "t", rows[0].at("what")};
}

// The release itself lets a waiting session pass, and the session has released the lock before the
// gate is shut.
void Gates::open(int gate) {
    const std::string key = std::to_string(gate) + ", " + std::to_string(backend_);
    ask(keeper_, "test_pass " + key,
        "SELECT pg_catalog.pg_advisory_unlock(" + key + "), pg_catalog.pg_advisory_lock(" + key +
            ")");
}

}  // namespace pawl::testing
