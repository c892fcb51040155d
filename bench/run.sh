#!/usr/bin/env bash
# Measures the release build and pgbench on one and the same PostgreSQL, in alternating rounds. bench/README.md has the
# details. Fails on errors, not on slow figures.
#   PAWL_BENCH_ROUNDS (3)  PAWL_BENCH_SECONDS (8)  PAWL_BENCH_CONNECTIONS ("256 512 768 1024")  PAWL_BENCH_CLIENTS ("2 4 8 16 32 64")
#   PAWL_BENCH_BUILD (build/release)  PAWL_BENCH_DIR (/var/tmp: must be a disk)
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR/..
. setup/say.sh
. bench/cluster.sh
. bench/rounds.sh

rounds=${PAWL_BENCH_ROUNDS:-3}
seconds=${PAWL_BENCH_SECONDS:-8}
connection_counts=${PAWL_BENCH_CONNECTIONS:-256 512 768 1024}
client_counts=${PAWL_BENCH_CLIENTS:-2 4 8 16 32 64}
build=${PAWL_BENCH_BUILD:-build/release}
listen=127.0.0.1:18480
admin_listen=127.0.0.1:18481
mover_listen=127.0.0.1:18482
mover_admin_listen=127.0.0.1:18483
slow_sync_us=1000
results=build/bench

[ -x "$build/pawl_load" ] || die "$build/pawl_load is not there" "run: make bench"
mkdir -p "$results"
figures=$results/figures
: >"$figures"
note() { printf '%s\n' "$*" >>"$figures"; }

start_cluster >"$results/cluster.log" 2>&1 || die 'no cluster' "$(tail -n 5 "$results/cluster.log")"
start_server
quiet_psql -f bench/pgbench/receive.sql

say 'which number of clients is best for pgbench, which number of connections for pawl ...'
# A receiver has one pool, whichever account turns out to be hot: the one that is best for many
# accounts. The result of pgbench on the hot account with the number that is best there is measured,
# too.
clients=$(best_of pgbench uniform "$client_counts")
clients_hot=$(best_of pgbench hot "$client_counts")
connections=$(best_of pawl uniform "$connection_counts")
note clients uniform "$clients"
note clients hot "$clients"
note clients hot_alone "$clients_hot"

# Alternating, so that a neighbour's busy minute on this machine hits both.
for round in $(seq "$rounds"); do
    say "round $round of $rounds, five times $seconds s ..."
    note sync "$(sync_us)"
    note pawl uniform "$(pawl_round 10000 "$connections" "$seconds")"
    note pgbench uniform "$(pgbench_round uniform "$clients" "$seconds")"
    note pawl hot "$(pawl_round 1 "$connections" "$seconds")"
    note pgbench hot "$(pgbench_round hot "$clients" "$seconds")"
    note pgbench hot_alone "$(pgbench_round hot "$clients_hot" "$seconds")"
done

say 'the same while a second process enqueues and runs the jobs ...'
start_mover
note moved uniform "$(pawl_round 10000 "$connections" "$seconds")"
note moved hot "$(pawl_round 1 "$connections" "$seconds")"
stop_mover

say 'latency at half of that, memory at 512 connections ...'
half=$(awk '$1 == "pawl" && $2 == "uniform" { sum += $3; n++ } END { printf "%d", sum / n / 2 }' "$figures")
note paced "$half" "$(pawl_round 10000 64 "$seconds" "$half")"
pawl_round 10000 512 "$seconds" >/dev/null &
crowd=$!
sleep $((seconds - 1))
resident=$(resident_kb VmRSS)
wait "$crowd"
note memory "$resident" "$(resident_kb VmHWM)"

say "one hot account on a disk that takes $slow_sync_us microseconds for a sync, as many networked ones do ..."
slow_disk "$build/pawl_slow_sync.so" "$slow_sync_us" >>"$results/cluster.log" 2>&1 || die 'PostgreSQL did not start again'
note clients slow "$clients"
for round in $(seq "$rounds"); do
    note pawl slow "$(pawl_round 1 "$connections" "$seconds")"
    note pgbench slow "$(pgbench_round hot "$clients" "$seconds")"
done

say
[ ! -e "$results/last.json" ] || cp "$results/last.json" "$results/previous.json"
machine="$(nproc) cores, $("$programs/postgres" --version), fsync $(quiet_psql -At -c 'SHOW fsync')"
awk -v json="$results/last.json" -v previous="$results/previous.json" -v seconds="$seconds" \
    -v connections="$connections" -v machine="$machine" -f bench/median.awk -f bench/report.awk "$figures"
say "all figures: $results/last.json, $figures"
