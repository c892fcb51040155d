# shellcheck shell=bash
# shellcheck disable=SC2154 # its variables are set by run.sh and cluster.sh
# Starts, pauses and empties each peer. All are started once and stand still (SIGSTOP) while another is measured, so that
# rounds can alternate without a cold start before each of them. A peer's processes are a session of their own.

declare -A pids=() url=() connections=() size=() started_with=()
url[pawl]=http://127.0.0.1:18520/webhooks
url[nodb]=http://127.0.0.1:18521/webhooks
url[express]=http://127.0.0.1:18522/webhooks
url[dbos]=http://127.0.0.1:18523/webhooks
restate_ingress=127.0.0.1:18524
restate_admin=127.0.0.1:18525
url[restate]=http://127.0.0.1:18528/webhooks

ask() { PGOPTIONS='-c client_min_messages=warning' "$programs/psql" -X -q -At -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }

launch() { # PEER COMMAND...
    local peer=$1
    shift
    setsid "$@" >>"$scratch/$peer.log" 2>&1 &
    pids[$peer]+=" $!"
}

signal_peer() { # PEER SIGNAL
    local pid
    for pid in ${pids[$1]:-}; do kill -"$2" -- "-$pid" 2>/dev/null || true; done
}

stop_peer() { # PEER
    local pid
    signal_peer "$1" CONT
    signal_peer "$1" KILL # nothing of it is needed any more
    for pid in ${pids[$1]:-}; do wait "$pid" 2>/dev/null || true; done
    pids[$1]=
}

stop_peers() {
    local peer
    for peer in "${!pids[@]}"; do stop_peer "$peer"; done
}

await() { # PEER URL
    for _ in $(seq 300); do
        if curl -fsS -o "$scratch/ready" "$2" 2>/dev/null; then return; fi
        sleep 0.1
    done
    die "$1 did not start" "$(tail -n 5 "$scratch/$1.log")"
}

pause() { signal_peer "$1" STOP; }

resume() {
    signal_peer "$1" CONT
    sleep 0.3 # for the timers that have come due meanwhile
}

start_pawl() {
    launch pawl env PAWL_DATABASE_URL="postgresql:///pawl?host=$scratch&user=$PGUSER" PAWL_LISTEN=127.0.0.1:18520 \
        PAWL_ADMIN_LISTEN=127.0.0.1:18530 PAWL_LOG=warn PAWL_LOG_FORMAT=text \
        "$build/pawl" serve --dev --migrate --roles receive,admin
    await pawl http://127.0.0.1:18530/readyz
}

start_nodb() {
    launch nodb env PAWL_LISTEN=127.0.0.1:18521 "$build/pawl_nodb"
    await nodb http://127.0.0.1:18521/healthz
}

start_express() { # CONNECTIONS
    launch express env PGDATABASE=peer_express NODE_ENV=production "$node" bench/peers/express.mjs 18522 "$cores" "$1"
    await express http://127.0.0.1:18522/healthz
}

start_dbos() { # CONNECTIONS
    launch dbos env PGDATABASE=peer_dbos NODE_ENV=production "$node" bench/peers/dbos.mjs 18523 "$cores" "$1"
    await dbos http://127.0.0.1:18523/healthz
}

# A single node as its documentation starts one. Its log syncs what it acknowledges by default
# (rocksdb-disable-wal-fsync = false is the default). It gets as much memory as PostgreSQL.
start_restate() { # PARTITIONS
    rm -rf "$scratch/restate"
    mkdir -p "$scratch/restate"
    cat >"$scratch/restate.toml" <<SETTINGS
base-dir = "$scratch/restate"
node-name = "bench"
bind-ip = "127.0.0.1"
bind-port = 18526
listen-mode = "tcp"
disable-telemetry = true
log-filter = "error"
default-num-partitions = $1
rocksdb-total-memory-size = "${restate_memory}"
[admin]
bind-address = "$restate_admin"
disable-web-ui = true
[ingress]
bind-address = "$restate_ingress"
SETTINGS
    launch restate env NODE_ENV=production "$node" bench/peers/restate.mjs objects 18527 "$cores"
    launch restate "$restate_server" --no-logo -c "$scratch/restate.toml"
    await restate "http://$restate_admin/health"
    await restate "http://$restate_ingress/restate/health"
    # Refused until the deployment listens and the cluster of one node has come up.
    curl -fsS --retry 60 --retry-delay 1 --retry-all-errors -o "$scratch/ready" -H 'content-type: application/json' \
        -d '{"uri":"http://127.0.0.1:18527"}' "http://$restate_admin/deployments" 2>>"$scratch/restate.log" ||
        die 'restate-server did not take the deployment' "$(tail -n 5 "$scratch/restate.log")"
    launch restate env NODE_ENV=production "$node" bench/peers/restate.mjs front 18528 "$cores" "http://$restate_ingress"
    await restate http://127.0.0.1:18528/healthz
}

start_peer() { # PEER [SIZE]: the size that was found best for it, where none is given
    started_with[$1]=${2:-${size[$1]:-}}
    # shellcheck disable=SC2086 # none, or a number
    "start_$1" ${started_with[$1]}
    measure "$1" uniform 1 connections=64 >/dev/null || true # until its code is compiled and its sessions are open
}

empty_peer() { # PEER
    case $1 in
        pawl | pgbench) empty_tables ;;
        express) ask peer_express 'TRUNCATE events, balances, journal; CHECKPOINT' ;;
        dbos)
            ask peer_dbos 'TRUNCATE events, balances, journal, dbos.workflow_status, dbos.operation_outputs CASCADE;
                           CHECKPOINT'
            ;;
        restate) restate_before=$(posted_by restate) ;;
    esac
}

posted_by() { # PEER: how many events its own books hold
    case $1 in
        pawl) ask pawl 'SELECT count(*) FROM pawl.transfers' ;;
        express | dbos) ask "peer_$1" 'SELECT count(*) FROM journal' ;;
        restate)
            curl -fsS -H 'content-type: application/json' -H 'accept: application/json' "http://$restate_admin/query" \
                -d "{\"query\":\"SELECT count(*) AS n FROM state WHERE service_name = 'Account' AND key LIKE 'entry/%'\"}" |
                sed 's/.*"n":\([0-9]*\).*/\1/'
            ;;
    esac
}

# CPU time so far, in ticks, of a peer's processes and of PostgreSQL's.
cpu_ticks() { # PEER
    # Processes come and go while they are read.
    { cat /proc/[0-9]*/stat 2>/dev/null || true; } | sed 's/^\([0-9]*\) .*) /\1 /' |
        awk -v sessions=" ${pids[$1]:-} " -v postmaster="$postmaster" \
            'index(sessions, " " $5 " ") || $3 == postmaster || $1 == postmaster { sum += $13 + $14 } END { print sum + 0 }'
}

# Sync calls of the processes that store what a peer acknowledges, while it takes deliveries one after the other, each
# before the next is sent. As many calls as deliveries, at least: each answer waited for one. Notes "syncs PEER DELIVERIES
# CALLS".
note_syncs() { # PEER
    local tracing list count rest before
    list=$(case $1 in
        restate) pgrep -f "^$restate_server.* $scratch/" ;;
        nodb) printf '%s' "${pids[nodb]}" ;;
        *) printf '%s ' "$postmaster" && pgrep -d ' ' -P "$postmaster" ;;
    esac)
    resume "$1"
    # shellcheck disable=SC2086,SC2046 # words
    "$tracer" -f -q -e trace=fsync,fdatasync,sync_file_range,syncfs -o "$scratch/syncs" $(printf -- '-p %s ' $list) \
        >"$scratch/strace.log" 2>&1 &
    tracing=$!
    sleep 1
    before=$(sync_calls)
    if read -r count rest < <(load_of "$1" uniform 2 connections=1 rate=50); then
        note syncs "$1" "$count" $(($(sync_calls) - before))
    else
        warn "$1: its sync calls could not be counted: $(tail -n 1 "$scratch/load.log")"
    fi
    kill "$tracing" 2>/dev/null || true
    wait "$tracing" 2>/dev/null || true
    pause "$1"
}

sync_calls() { grep -cE ' (fsync|fdatasync|sync_file_range|syncfs)\(' "$scratch/syncs" || true; }
