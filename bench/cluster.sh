# shellcheck shell=bash A PostgreSQL for one measurement: its own cluster, durable as PostgreSQL is
# by default, on a private socket. Sets PGHOST, PGUSER, `scratch` and `settings`; all of it is
# removed when the script ends.

postgres_programs() { # the newest installed
    local found
    found=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    if [ ! -x "$found/pgbench" ]; then found=$(pg_config --bindir); fi
    [ -x "$found/initdb" ] || die 'no PostgreSQL server programs were found' 'install postgresql'
    printf '%s' "$found"
}

as_postgres() { # PostgreSQL refuses root
    if [ "$(id -u)" = 0 ]; then
        (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$@")
    else
        "$@"
    fi
}

# The settings of every measurement, on every side: room for all indexes in memory, and no checkpoint because of what was
# written within a round; where the machine has that much. Sets `settings`.
choose_settings() {
    local memory_gb
    memory_gb=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024 / 1024))
    settings='shared_buffers = 256MB, max_wal_size = 1GB'
    if [ "$memory_gb" -ge 12 ]; then settings='shared_buffers = 4GB, max_wal_size = 8GB'; fi
}

start_cluster() {
    choose_settings
    programs=$(postgres_programs)
    # Not /tmp: where that is memory, nothing is ever synced and every figure is a dream.
    scratch=$(mktemp -d "${PAWL_BENCH_DIR:-/var/tmp}/pawl-bench.XXXXXX")
    trap stop_all EXIT
    trap 'exit 130' INT TERM
    if [ "$(id -u)" = 0 ]; then chown postgres: "$scratch"; fi
    export PGHOST=$scratch PGUSER=bench PGDATABASE=pawl
    as_postgres "$programs/initdb" -D "$scratch/data" -U bench -A trust -E UTF8 --no-locale
    cat >>"$scratch/data/postgresql.conf" <<SETTINGS
listen_addresses = ''
unix_socket_directories = '$scratch'
${settings/, /$'\n'}
max_connections = 300
log_line_prefix = '%m [%p] '
SETTINGS
    as_postgres "$programs/pg_ctl" -D "$scratch/data" -l "$scratch/postgres.log" -w start
    "$programs/createdb" pawl
    export PGOPTIONS='-c search_path=pawl,public' # psql and pgbench; Pawl's own sessions set theirs
}

# slow_disk LIBRARY MICROSECONDS: from here on every sync takes at least so long
slow_disk() {
    install -m 644 "$1" "$scratch/slow_sync.so" # where PostgreSQL's user may read it
    as_postgres env LD_PRELOAD="$scratch/slow_sync.so" PAWL_BENCH_SYNC_US="$2" \
        "$programs/pg_ctl" -D "$scratch/data" -l "$scratch/postgres.log" -m fast -w restart
}

stop_all() {
    local pid
    for pid in ${server_pid:-} ${mover_pid:-}; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    as_postgres "$programs/pg_ctl" -D "$scratch/data" -m immediate -w stop >/dev/null 2>&1 || true
    rm -rf "$scratch"
}
