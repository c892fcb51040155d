#!/usr/bin/env bash
# The bytes that one event costs two programs on the same PostgreSQL, each on empty tables of its own schema: WAL,
# tables, indexes. An event is a delivery with a body of 1 KB, credited, with one staged job. "accepted": the job stays
# staged. "done": it is enqueued, claimed, sent to a subscriber and done by the same program meanwhile.
#   bench/bytes.sh OLD_PAWL NEW_PAWL [tables]      tables: every table and index, too
#   PAWL_BENCH_EVENTS (20000)  PAWL_BENCH_BODY (1024)  PAWL_BENCH_CONNECTIONS (200)
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR/..
. setup/say.sh
. bench/cluster.sh

old=${1:?usage: bench/bytes.sh OLD_PAWL NEW_PAWL [tables]}
new=${2:?usage: bench/bytes.sh OLD_PAWL NEW_PAWL [tables]}
detail=${3:-}
events=${PAWL_BENCH_EVENTS:-20000}
body=${PAWL_BENCH_BODY:-1024}
connections=${PAWL_BENCH_CONNECTIONS:-200}
listen=127.0.0.1:18490
admin_listen=127.0.0.1:18491
PAWL_DEMO_SECRET=whsec_$(head -c 24 /dev/urandom | base64)
export PAWL_DEMO_SECRET

ask() { "$programs/psql" -X -q -At -F ' ' -v ON_ERROR_STOP=1 -d "$PGDATABASE" -c "$1"; }

# Heap and TOAST are tables; their indexes are indexes. Partitions count as their parent's.
readonly SIZES="
    WITH r AS (
        SELECT c.oid, CASE WHEN c.relkind IN ('i', 'I') THEN 'index' ELSE 'table' END AS kind,
               regexp_replace(coalesce(owner.relname, c.relname), '_([0-9]{8}|[0-9]{4}w[0-9]{2}|default)(_|\$)', '\2')
               || CASE WHEN n.nspname = 'pg_toast' THEN ' (toast)' ELSE '' END AS name
        FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_index i ON i.indexrelid = c.oid
        LEFT JOIN pg_class owner ON owner.reltoastrelid = coalesce(i.indrelid, c.oid) AND n.nspname = 'pg_toast'
        WHERE c.relkind IN ('r', 't', 'i') AND (n.nspname IN ('pawl', 'public') OR owner.relnamespace IN
              (SELECT oid FROM pg_namespace WHERE nspname IN ('pawl', 'public'))))
    SELECT kind, name, sum(pg_relation_size(oid)) AS bytes FROM r GROUP BY kind, name"

readonly GROWN="
    SELECT kind, name, s.bytes - coalesce(e.bytes, 0) AS bytes
    FROM ($SIZES) s LEFT JOIN bench_empty e USING (kind, name)"

# Each program reads the configuration of its own tree, where it lies in one.
configure() { # NAME PROGRAM
    local tree
    tree=$(dirname "$(realpath "$2")")/../..
    [ -d "$tree/config/providers" ] || tree=.
    cp -r "$tree/config" "$scratch/config-$1"
    cat >>"$scratch/config-$1/pawl.toml" <<SUBSCRIBER

[[subscriber]]
name = "shop"
url = "http://127.0.0.1:18492/pawl"
secrets = ["$PAWL_DEMO_SECRET"]
events = ["*"]
allow_private = true
SUBSCRIBER
}

serve() { # NAME PROGRAM ROLES
    PAWL_DATABASE_URL="postgresql:///$PGDATABASE?host=$scratch&user=$PGUSER" PAWL_CONFIG=$scratch/config-$1 \
        PAWL_LISTEN=$listen PAWL_ADMIN_LISTEN=$admin_listen PAWL_LOG=warn PAWL_LOG_FORMAT=text \
        exec "$2" serve --dev --migrate --roles "$3" >"$scratch/pawl.log" 2>&1
}

start() { # NAME PROGRAM ROLES
    serve "$@" &
    server_pid=$!
    for _ in $(seq 300); do
        if curl -fsS -o "$scratch/ready" "http://$admin_listen/readyz" 2>/dev/null; then return; fi
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.1
    done
    die 'pawl did not start' "$(cat "$scratch/pawl.log")"
}

stop() {
    kill "$server_pid"
    wait "$server_pid" || true
    server_pid=
}

# report NAME STAGE WAL_FROM: prints "NAME STAGE wal table index" in bytes an event, less what empty tables have.
report() {
    local wal
    wal=$(ask "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '$3')::bigint")
    ask "SELECT '$1', '$2', $wal / $events, (sum(bytes) FILTER (WHERE kind = 'table') / $events)::int,
                (sum(bytes) FILTER (WHERE kind = 'index') / $events)::int FROM ($GROWN) s" | tee -a "$scratch/figures"
    if [ -n "$detail" ]; then
        ask "SELECT '   ' || kind, round(bytes::numeric / $events, 1), name FROM ($GROWN) s
             WHERE bytes > 0 ORDER BY kind DESC, bytes DESC"
    fi
}

measure() { # NAME PROGRAM STAGE ROLES: until no job is left, where the roles do jobs
    local from accepted
    export PGDATABASE=$1_$3 PGOPTIONS='-c search_path=pawl,public,bench'
    "$programs/createdb" "$PGDATABASE"
    start "$1" "$2" "$4"
    ask "CREATE TEMP TABLE s AS $SIZES; CREATE SCHEMA bench; CREATE TABLE bench.bench_empty AS SELECT * FROM s"
    ask CHECKPOINT
    from=$(ask 'SELECT pg_current_wal_insert_lsn()')
    accepted=$(node bench/bytes.mjs "http://$listen/webhooks/demo" "$events" "$body" "$connections" "$PAWL_DEMO_SECRET")
    [ "$accepted" = "$events" ] || die "$accepted of $events were accepted"
    [ "$(ask 'SELECT count(*) FROM transfers')" = "$events" ] || die 'the journal has another number'
    curl -fsS "http://$admin_listen/metrics" | awk -v name="$1" '/^pawl_commit_batch_size_(sum|count)/ { v[$1] = $2 }
        END { printf "%s: %.0f deliveries a commit\n", name, v["pawl_commit_batch_size_sum"] / v["pawl_commit_batch_size_count"] }'
    if [ "$3" = done ]; then
        until [ "$(ask "SELECT (SELECT count(*) FROM staged_jobs) + (SELECT count(*) FROM jobs WHERE state = 'ready')")" = 0 ]; do
            sleep 0.5
        done
        sleep 3 # for the last vacuum
    fi
    report "$1" "$3" "$from"
    stop
}

start_cluster >/dev/null
configure old "$old"
configure new "$new"
node bench/bytes.mjs subscriber 18492 &
subscriber_pid=$!
trap 'kill "$subscriber_pid"; stop_all' EXIT
# No checkpoint in between: the number of full-page images depends on the time between two, and not
# on the program. Short-lived rows are cleaned up at once, as it is where a program runs for longer
# than this.
ask "ALTER SYSTEM SET autovacuum_naptime = 1"
ask "ALTER SYSTEM SET max_wal_size = '16GB'"
ask "ALTER SYSTEM SET checkpoint_timeout = '1h'"
ask "SELECT pg_reload_conf()" >/dev/null
say "bytes an event: WAL, tables, indexes ($events events, bodies of $body bytes)"
for stage in 'accepted receive,admin' 'done receive,enqueue,work,admin'; do
    # shellcheck disable=SC2086 # words
    measure old "$old" $stage
    # shellcheck disable=SC2086
    measure new "$new" $stage
done
awk '{ v[$1, $2, 1] = $3; v[$1, $2, 2] = $4; v[$1, $2, 3] = $5 }
    END { for (i = 1; i <= 2; i++) { s = i == 1 ? "accepted" : "done"
        printf "new : old, %s: WAL %.2f, tables %.2f, indexes %.2f\n", s, v["new", s, 1] / v["old", s, 1],
            v["new", s, 2] / v["old", s, 2], v["new", s, 3] / v["old", s, 3] } }' "$scratch/figures"
