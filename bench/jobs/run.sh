#!/usr/bin/env bash
# No-op jobs: Pawl, graphile-worker and pg-boss, on one and the same PostgreSQL, in one run. bench/README.md has the
# details. Fails on errors, not on slow figures.
#   PAWL_BENCH_ROUNDS (3)       of waiting jobs, alternating; medians are printed
#   PAWL_BENCH_JOBS (40000)     jobs in the batched rounds; the rounds by default settings have a tenth
#   PAWL_BENCH_MINUTES (1)      of steady load; 10 for the long form
#   PAWL_BENCH_HELD_MINUTES (1) of full load with an idle transaction open; 5 for the long form
#   PAWL_BENCH_RATE (300)       jobs a second of the steady load
#   PAWL_BENCH_BUILD (build/release)  PAWL_BENCH_DIR (/var/tmp: must be a disk)
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR/../..
. setup/say.sh
. bench/cluster.sh
. bench/jobs/rounds.sh

rounds=${PAWL_BENCH_ROUNDS:-3}
jobs=${PAWL_BENCH_JOBS:-40000}
minutes=${PAWL_BENCH_MINUTES:-1}
held_minutes=${PAWL_BENCH_HELD_MINUTES:-1}
rate=${PAWL_BENCH_RATE:-300}
build=${PAWL_BENCH_BUILD:-build/release}
results=build/bench
figures=$results/jobs.figures

[ -x "$build/pawl_jobs_load" ] || die "$build/pawl_jobs_load is not there" 'run: make bench-jobs'
node=$(ls node_modules/node-linux-*/bin/node 2>/dev/null) || die 'no JavaScript packages' 'run: setup/node.sh'
mkdir -p "$results"
: >"$figures"

start_cluster >"$results/cluster.log" 2>&1 || die 'no cluster' "$(tail -n 5 "$results/cluster.log")"
export PAWL_DATABASE_URL="postgresql://$PGUSER@/pawl?host=$scratch"
"$build/pawl" migrate up >"$scratch/migrate.log" 2>&1 || die 'migrations failed' "$(cat "$scratch/migrate.log")"
rival graphile setup
rival pgboss setup

for round in $(seq "$rounds"); do
    for mode in default batched; do
        count=$jobs
        [ "$mode" = batched ] || count=$((jobs / 20))
        say "round $round of $rounds, $mode settings: $count jobs that wait ..."
        for side in pawl graphile pgboss; do drain_round "$side" "$mode" "$count"; done
    done
done
for side in pawl graphile pgboss; do
    say "$side: $rate jobs a second for $minutes min ..."
    steady_round "$side" $((minutes * 60))
done
for side in pawl graphile pgboss; do
    say "$side: $rate jobs a second for $held_minutes min with an idle transaction open ..."
    held_round "$side" $((held_minutes * 60))
done
say
awk -f bench/median.awk -f bench/jobs/report.awk "$figures" | tee "$results/jobs.txt"
say "all figures: $figures"
