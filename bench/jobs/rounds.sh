# shellcheck shell=bash shellcheck disable=SC2154,SC1010 # its variables are set by run.sh and
# cluster.sh; a function is called done One round of each kind for one of the three. The database's
# counters are read before and after.

readonly drain_seconds=20 # then it is notified of its progress

ask() { "$programs/psql" -X -q -At -v ON_ERROR_STOP=1 -c "$1"; }

# rival graphile|pgboss WORDS...
rival() {
    "$node" bench/jobs/rivals.mjs "$@" 2>"$scratch/rival.log" || die "$1 failed" "$(tail -n 5 "$scratch/rival.log")"
}

load() { # SIDE WORDS...
    local side=$1
    shift
    if [ "$side" = pawl ]; then
        "$build/pawl_jobs_load" "$@" || die 'pawl_jobs_load failed'
    else
        rival "$side" "$@"
    fi
}

empty() { # SIDE: as before the first round
    case $1 in
        pawl) ask 'TRUNCATE staged_jobs, jobs, jobs_done' ;;
        graphile) ask 'TRUNCATE graphile_worker._private_jobs' ;;
        pgboss) ask 'TRUNCATE pgboss.job_common' ;;
    esac
    ask 'VACUUM (ANALYZE)'
    ask 'CHECKPOINT'
}

left_of() { # SIDE: jobs that are not done
    case $1 in
        pawl) ask "SELECT (SELECT count(*) FROM staged_jobs) + (SELECT count(*) FROM jobs)" ;;
        graphile) ask 'SELECT count(*) FROM graphile_worker._private_jobs' ;;
        pgboss) ask "SELECT count(*) FROM pgboss.job WHERE state <> 'completed'" ;;
    esac
}

dead_tuples() { # SIDE
    ask 'SELECT pg_stat_force_next_flush()' >/dev/null 2>&1 || true
    ask "SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables WHERE CASE '$1'
           WHEN 'pawl' THEN schemaname = 'pawl' AND relname IN ('staged_jobs', 'jobs')
           WHEN 'graphile' THEN schemaname = 'graphile_worker'
           ELSE schemaname = 'pgboss' END"
}

counters() { ask 'SELECT pg_current_wal_lsn() - pg_lsn '"'0/0'"', (SELECT xact_commit FROM pg_stat_database WHERE datname = '"'pawl')" | tr '|' ' '; }

# All of them wait; then one process runs them. Pawl has to enqueue them first, and does it
# meanwhile.
drain_round() { # SIDE MODE COUNT
    local side=$1 mode=$2 count=$3 done took wal commits wal_after commits_after
    empty "$side"
    load "$side" add "$count" 1000
    ask 'CHECKPOINT'
    sleep 1 # the statistics of ended sessions
    read -r wal commits < <(counters)
    read -r done took < <(load "$side" work "$mode" "$count" "$drain_seconds")
    sleep 1
    read -r wal_after commits_after < <(counters)
    if [ "$done" -ge "$count" ] && [ "$(left_of "$side")" != 0 ]; then die "$side reports the end before all jobs are done"; fi
    echo "drain $side $mode $done $took $((wal_after - wal)) $((commits_after - commits))" >>"$figures"
}

feed_and_work() { # SIDE SECONDS: prints "done took"
    load "$1" feed "$rate" "$2" &
    local feeder=$!
    load "$1" work batched $((rate * $2)) $(($2 + 15))
    wait "$feeder"
}

steady_round() { # SIDE SECONDS
    local side=$1 done took
    empty "$side"
    read -r done took < <(feed_and_work "$side" "$2")
    sleep 2
    echo "steady $side $done $took $(dead_tuples "$side") $(left_of "$side")" >>"$figures"
}

# An old snapshot keeps every dead row where it is; readers have to get past them. Then a full backlog on top.
held_round() { # SIDE SECONDS
    local side=$1 done took holder drained drain_took
    empty "$side"
    "$programs/psql" -X -q -c 'BEGIN ISOLATION LEVEL REPEATABLE READ' -c 'SELECT 1' \
        -c "SELECT pg_sleep($(($2 + 200)))" >/dev/null 2>&1 &
    holder=$!
    sleep 1
    read -r done took < <(feed_and_work "$side" "$2")
    load "$side" add "$jobs" 1000
    read -r drained drain_took < <(load "$side" work batched "$jobs" 120)
    ask "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'" >/dev/null
    wait "$holder" || true
    sleep 2
    echo "held $side $done $took $(dead_tuples "$side") $drained $drain_took" >>"$figures"
}
