# shellcheck shell=bash
# shellcheck disable=SC2154 # its variables are set by run.sh and cluster.sh
# One round of each kind. A round starts from empty tables and a checkpoint, and proves afterwards that every event it
# counts is a row in the journal.

quiet_psql() { "$programs/psql" -X -q -v ON_ERROR_STOP=1 "$@"; }

empty_tables() { quiet_psql -f bench/pgbench/empty.sql; }

must_be_posted() { # WHO COUNT
    local posted
    posted=$(quiet_psql -At -c 'SELECT count(*) FROM transfers')
    [ "$posted" = "$2" ] || die "$1 counted $2 events, the journal has $posted"
}

# pawl_round ACCOUNTS CONNECTIONS SECONDS [RATE]: prints "per_second p50_ms p99_ms"
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
    said=$(PGOPTIONS='-c enable_seqscan=off' "$programs/pgbench" -n -M prepared -f "bench/pgbench/$1.sql" -c "$2" \
        -j "$(nproc)" -T "$3" pawl 2>&1) ||
        die 'pgbench failed' "$(tail -n 5 <<<"$said")"
    count=$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' <<<"$said")
    must_be_posted pgbench "$count"
    sed -n 's/^tps = \([0-9.]*\).*/\1/p' <<<"$said"
}

# best_clients SCRIPT: the number of clients with which pgbench does best here, by short trials
best_clients() {
    local clients tps best=0 chosen=0
    for clients in $client_counts; do
        tps=$(pgbench_round "$1" "$clients" 4)
        note trial pgbench "$1" "$clients" "$tps"
        if awk -v a="$tps" -v b="$best" 'BEGIN { exit !(a > b) }'; then
            best=$tps
            chosen=$clients
        fi
    done
    printf '%s' "$chosen"
}

start_server() {
    PAWL_DATABASE_URL="postgresql:///pawl?host=$scratch&user=$PGUSER" PAWL_CONFIG=config PAWL_LISTEN=$listen \
        PAWL_ADMIN_LISTEN=$admin_listen PAWL_LOG=warn PAWL_LOG_FORMAT=text \
        "$build/pawl" serve --dev --migrate >"$scratch/pawl.log" 2>&1 &
    server_pid=$!
    for _ in $(seq 100); do
        if curl -fsS -o "$scratch/ready" "http://$admin_listen/readyz" 2>/dev/null; then return; fi
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.1
    done
    die 'pawl did not start' "$(cat "$scratch/pawl.log")"
}

resident_kb() { sed -n "s/^$1:[[:space:]]*\([0-9]*\) kB/\1/p" "/proc/$server_pid/status"; }
