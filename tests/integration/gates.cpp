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
CREATE POLICY everybody ON balances USING (true) WITH CHECK (true);
CREATE POLICY one_by_one ON balances AS RESTRICTIVE FOR SELECT
    USING (gates.pass(1, 'the next balance'));
)sql";

constexpr db::Query shut{"test_shut",
                         "SELECT pg_catalog.pg_advisory_lock(gate, $1::int) "
                         "FROM generate_series(7000, 7003) AS gate"};
// Whoever waits there is let through by the release itself, and has let go before it is shut.
constexpr db::Query pass{"test_pass",
                         "SELECT pg_catalog.pg_advisory_unlock($1::int, $2::int), "
                         "pg_catalog.pg_advisory_lock($1::int, $2::int)"};
// The table of locks, not the view of waits: it changes with the very release of a lock. Who waits
// for anybody else than the rival, such as a vacuum, will go on without the test's help.
constexpr db::Query waits{
    "test_waits",
    "SELECT CASE WHEN locktype = 'advisory' AND objsubid = 2 THEN classid::bigint ELSE 0 END, "
    "$2::int = ANY (pg_blocking_pids($1::int)), "
    "(SELECT application_name FROM pg_stat_get_activity($1::int)) "
    "FROM pg_locks WHERE pid = $1::int AND NOT granted"};

}  // namespace

void Gates::build(const TestDatabase& database) {
    database.run(built);
}

Gates::Gates(db::Session& keeper, std::int64_t backend) : keeper_(keeper), backend_(backend) {
    db::Statement::run_script(keeper_, "CREATE SEQUENCE gates.turns_" + std::to_string(backend));
    db::Statement::run(keeper_, shut, db::Params().number(backend_));
}

Gates::Wait Gates::look(std::int64_t rival) {
    const auto params = db::Params().number(backend_).number(rival);
    const db::Rows rows = db::Statement::run(keeper_, waits, params);
    if (rows.empty()) return {};
    const int gate = static_cast<int>(rows[0].number(0));
    return {gate, gate == 0 && rows[0].flag(1), std::string(rows[0].maybe_text(2).value_or(""))};
}

void Gates::open(int gate) {
    db::Statement::run(keeper_, pass, db::Params().number(gate).number(backend_));
}

}  // namespace pawl::testing
