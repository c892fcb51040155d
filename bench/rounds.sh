# shellcheck shell=bash
# shellcheck disable=SC2154 # its variables are set by run.sh and cluster.sh
# One round of each kind. A round starts from empty tables and a checkpoint, and proves afterwards that every event it
# counts is a row in the journal.

quiet_psql() { "$programs/psql" -X -q -v ON_ERROR_STOP=1 "$@"; }

empty_tables() { quiet_psql -f bench/pgbench/empty.sql; }

must_be_posted() { # SIDE COUNT
    local posted
    posted=$(quiet_psql -At -c 'SELECT count(*) FROM transfers')
    [ "$posted" = "$2" ] || die "$1 counted $2 events, the journal has $posted"
}

# pawl_round ACCOUNTS CONNECTIONS SECONDS [RATE]: prints "per_second p50_ms p99_ms acknowledged"
pawl_round() {
    local count rest
    empty_tables
    read -r count rest < <("$build/pawl_load" "url=http://$listen/webhooks/demo" "accounts=$1" "connections=$2" \
        "seconds=$3" "seed=$RANDOM$RANDOM" "rate=${4:-0}") || die 'the load generator failed'
    must_be_posted pawl "$count"
    printf '%s\n' "$rest"
}

# pgbench_round SCRIPT CLIENTS SECONDS: prints its events a second
pgbench_round() {
    local said count
    empty_tables
    # Made on empty tables, a session's plan reads whole tables for a while; without that pgbench is a tenth faster.
    said=$(PGOPTIONS="$PGOPTIONS -c enable_seqscan=off" "$programs/pgbench" -n -M prepared -f "bench/pgbench/$1.sql" -c "$2" \
        -j "$(nproc)" -T "$3" pawl 2>&1) ||
        die 'pgbench failed' "$(tail -n 5 <<<"$said")"
    count=$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' <<<"$said")
    must_be_posted pgbench "$count"
    sed -n 's/^tps = \([0-9.]*\).*/\1/p' <<<"$said"
}

# The time that the disk takes, in microseconds, to sync 8 kB: each transaction on the hot account
# waits for it.
sync_us() {
    dd if=/dev/zero of="$scratch/sync" bs=8k count=400 status=none
    dd if=/dev/zero of="$scratch/sync" bs=8k count=400 conv=notrunc oflag=dsync 2>&1 |
        awk -F ', ' '/copied/ { sub(/ s.*/, "", $3); printf "%.0f", $3 * 1e6 / 400 }'
}

# best_of SIDE KIND COUNTS: the best of these numbers, by short trials. SIDE: pgbench, where it is
# the number of clients, or pawl, where it is the number of connections that deliveries come over.
best_of() {
    local count rate best=0 chosen=0
    for count in $3; do
        case $1 in
            pgbench) rate=$(pgbench_round "$2" "$count" 4) ;;
            pawl) rate=$(pawl_round 10000 "$count" 4) ;;
        esac
        rate=${rate%% *}
        note trial "$1" "$2" "$count" "$rate"
        if awk -v a="$rate" -v b="$best" 'BEGIN { exit !(a > b) }'; then
            best=$rate
            chosen=$count
        fi
    done
    printf '%s' "$chosen"
}

serve() { # ROLES LISTEN ADMIN_LISTEN LOG [MORE...]
    PAWL_DATABASE_URL="postgresql:///pawl?host=$scratch&user=$PGUSER" PAWL_CONFIG=config PAWL_LISTEN=$2 \
        PAWL_ADMIN_LISTEN=$3 PAWL_LOG=warn PAWL_LOG_FORMAT=text \
        exec "$build/pawl" serve --dev --roles "$1" "${@:5}" >"$4" 2>&1
}

start_server() {
    serve receive,admin "$listen" "$admin_listen" "$scratch/pawl.log" --migrate &
    server_pid=$!
    for _ in $(seq 100); do
        if curl -fsS -o "$scratch/ready" "http://$admin_listen/readyz" 2>/dev/null; then return; fi
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.1
    done
    die 'pawl did not start' "$(cat "$scratch/pawl.log")"
}

# A second process next to the server, which enqueues the staged jobs and runs them.
start_mover() {
    serve work,enqueue "$mover_listen" "$mover_admin_listen" "$scratch/mover.log" &
    mover_pid=$!
}

stop_mover() {
    kill "$mover_pid"
    wait "$mover_pid" || die 'the second process did not end well' "$(cat "$scratch/mover.log")"
    mover_pid=
}

resident_kb() { sed -n "s/^$1:[[:space:]]*\([0-9]*\) kB/\1/p" "/proc/$server_pid/status"; }
