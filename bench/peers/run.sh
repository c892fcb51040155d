#!/usr/bin/env bash
# Measures Pawl and other receivers: the same signed deliveries by the same load generator, in alternating rounds, on
# one PostgreSQL. bench/README.md describes the peers and the loads. Fails if Pawl fails a load; where another peer fails
# one, the results say why.
#   PAWL_BENCH_PEERS ("pawl nodb pgbench express dbos restate"; "none": skips it all)
#   PAWL_BENCH_LOADS ("uniform hot zipf duplicates storm batch large connections_1 ... connections_4096 paced")
#   PAWL_BENCH_ROUNDS (3)  PAWL_BENCH_SECONDS (4)  PAWL_BENCH_CONNECTIONS ("64 256 512")  PAWL_BENCH_POOLS ("8 16 32 64")
#   PAWL_BENCH_PARTITIONS ("4 24")  PAWL_BENCH_RESULTS (bench/results)
#   PAWL_BENCH_BUILD (build/release)  PAWL_BENCH_DIR (/var/tmp: must be a disk)
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR/../..
. setup/say.sh
. bench/cluster.sh
. bench/rounds.sh
. bench/peers/peers.sh
. bench/peers/rounds.sh

peers=${PAWL_BENCH_PEERS:-pawl nodb pgbench express dbos restate}
[ "$peers" != none ] || exit 0
loads=${PAWL_BENCH_LOADS:-uniform hot zipf duplicates storm batch large connections_1 connections_8 connections_64
    connections_512 connections_4096 paced}
rounds=${PAWL_BENCH_ROUNDS:-3}
seconds=${PAWL_BENCH_SECONDS:-4}
into=${PAWL_BENCH_RESULTS:-bench/results}
build=${PAWL_BENCH_BUILD:-build/release}
trial_seconds=2
connection_counts=${PAWL_BENCH_CONNECTIONS:-64 256 512}
pool_counts=${PAWL_BENCH_POOLS:-8 16 32 64}
partition_counts=${PAWL_BENCH_PARTITIONS:-4 24}
cores=$(nproc)
results=build/bench
figures=$results/peers

for program in pawl pawl_load pawl_nodb; do
    [ -x "$build/$program" ] || die "$build/$program is not there" 'run: make bench'
done
found=(bench/peers/node_modules/node-linux-*/bin/node)
node=$(realpath "${found[0]}" 2>/dev/null) || die 'no JavaScript packages' 'run: setup/node.sh bench/peers'
found=(bench/peers/node_modules/@restatedev/restate-server-*/bin/restate-server)
restate_server=$(realpath "${found[0]}")
tracer=$(command -v strace) || warn 'there is no strace: the sync calls of each peer are not counted'
mkdir -p "$results" "$into"
: >"$figures"
note() { printf '%s\n' "$*" >>"$figures"; }

start_cluster >"$results/cluster.log" 2>&1 || die 'no cluster' "$(tail -n 5 "$results/cluster.log")"
trap 'stop_peers; stop_all' EXIT
postmaster=$(head -n 1 "$scratch/data/postmaster.pid")
restate_memory=$(sed 's/shared_buffers = \([0-9]*\)\([GM]\)B.*/\1 \2iB/' <<<"$settings")
STRIPE_WEBHOOK_SECRET=whsec_$(head -c 24 /dev/urandom | base64 | tr -d '+/=')
export STRIPE_WEBHOOK_SECRET
cp -r config "$scratch/config"
cp bench/peers/batch.toml "$scratch/config/providers/"
export PAWL_CONFIG=$scratch/config
for database in peer_express peer_dbos; do
    "$programs/createdb" "$database"
    env PGOPTIONS= "$programs/psql" -X -q -v ON_ERROR_STOP=1 -d "$database" -f bench/peers/schema.sql
done

memory_gb=$(awk '/^MemTotal:/ { printf "%.0f", $2 / 1e6 }' /proc/meminfo)
note machine "$cores cores, $memory_gb GB, $("$programs/postgres" --version | awk '{ print "PostgreSQL", $3 }')"
note settings "$settings"
note commit "$(git rev-parse --short HEAD)"
note seconds "$seconds"
note load_before "$(cut -d ' ' -f 1-3 /proc/loadavg)"

say 'pawl and its peers start; how many connections suit each ...'
start_peer pawl
quiet_psql -f bench/pgbench/receive.sql
pause pawl
for peer in $peers; do
    case $peer in
        pgbench)
            size[pgbench_uniform]=$(best_of pgbench uniform '8 16 32')
            size[pgbench_hot]=$(best_of pgbench hot '2 4 8')
            note size pgbench "${size[pgbench_uniform]}" "${size[pgbench_hot]}"
            continue
            ;;
        express)
            size[express]=$(best_size express uniform "$pool_counts")
            size[express_hot]=$(best_size express hot "$pool_counts")
            ;;
        dbos) size[dbos]=$(best_size dbos uniform "$pool_counts") ;;
        restate) size[restate]=$(best_size restate uniform "$partition_counts") ;;
    esac
    if [ -n "${size[$peer]:-}" ]; then note size "$peer" "${size[$peer]}" "${size[${peer}_hot]:-${size[$peer]}}"; fi
    if [ "$peer" != pawl ]; then start_peer "$peer"; fi # which runs
    connections[$peer]=$(best_connections "$peer")
    note connections "$peer" "${connections[$peer]}"
    if [ -n "$tracer" ]; then note_syncs "$peer"; fi
done

for pass in $(seq "$rounds"); do
    say "pass $pass of $rounds, rounds of $seconds s ..."
    note sync "$(sync_us)"
    # Its store is not emptied between rounds: each pass has a new one.
    if [[ " $peers " == *' restate '* ]]; then
        stop_peer restate
        start_peer restate
        pause restate
    fi
    for load in $loads; do
        for peer in $(peers_of "$load"); do round "$pass" "$load" "$peer"; done
    done
done
note load_after "$(cut -d ' ' -f 1-3 /proc/loadavg)"
note ended "$(date -u +%FT%TZ)"

say
"$node" bench/peers/report.mjs "$figures" "$into/$(date -u +%F).json" "$into/$(date -u +%F).svg"
say "all figures: $figures"
