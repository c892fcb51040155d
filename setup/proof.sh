#!/usr/bin/env bash
# The whole crash report: the tests of `make test` that kill things, at their full length, and a table.
#   setup/proof.sh BUILD_FOLDER
set -euo pipefail

folder=$1
reports=$folder/proof
mkdir -p "$reports"
failed=0

# name, what is counted, program, filter; the environment says how long.
prove() {
    local name=$1 what=$2 program=$3 filter=$4 began=$SECONDS verdict=holds
    printf '%-22s %s ...\n' "$name" "$what"
    "$folder/$program" --gtest_filter="$filter" >"$reports/$name.log" 2>&1 || verdict=BROKEN
    [ "$verdict" = holds ] || { failed=1; tail -n 30 "$reports/$name.log"; }
    grep -hE '^ +(PAWL_E2E_|PAWL_TEST_|[0-9]+ kills|[0-9]+ stops|[0-9]+ schedules|[0-9]+ runs)' "$reports/$name.log" || true
    printf '%-22s %s, %d s\n\n' '' "$verdict" $((SECONDS - began))
}

export PAWL_E2E_PAYMENTS=${PAWL_E2E_PAYMENTS:-5000} PAWL_E2E_KILLS=${PAWL_E2E_KILLS:-20}
prove payments "$PAWL_E2E_PAYMENTS payments, a fifth goes wrong, kill -9 once a second" \
    pawl_server_e2e 'PayCrash*'
prove deliveries '10,000 deliveries, 30 % duplicates, shuffled, kill -9 five times' \
    pawl_server_e2e 'CrashTraffic*'
prove every-point 'kill -9 at each named point of the transaction' pawl_server_e2e '*CrashPoints*:CrashCase*:CrashLease*'
prove start "kill -9 of pawl and its postgres, $PAWL_E2E_KILLS times" pawl_server_e2e 'CrashStart*'
export PAWL_E2E_STOPS=${PAWL_E2E_STOPS:-1000}
prove stops "$PAWL_E2E_STOPS stops and starts under load, every delivery counted" \
    pawl_server_e2e 'ServerStops.*'
prove orders 'every order in which the news of a payment can come' pawl_integration 'ChargeOrders*'
# `make test` runs a part of the longest ones.
export PAWL_INTERLEAVE=${PAWL_INTERLEAVE:-whole}
prove interleavings 'two sessions, every interleaving of their statements that differs' \
    pawl_integration '*Interleaved*:*Meets*:Footprints*:Schedules*'
export PAWL_TEST_ALL_ORDERS=1
prove event-orders 'six events in every order and every cut, each subset of them twice' pawl_integration 'OrderOracle*'
prove money-orders 'the movements of payments: five with every duplication, seven, 10,000 drawn, acts among them' \
    pawl_integration 'MoneyOracle*:MoneyActs*'
export PAWL_HISTORIES=${PAWL_HISTORIES:-100000}
prove histories "$PAWL_HISTORIES histories of payments drawn by a seed, exact at the end" pawl_matrix '*Histories*'
export PAWL_PLANS=whole
prove plans 'every statement at a million rows and a backlog of 100,000, planned on empty tables' \
    pawl_integration 'ScalePlans*'
echo "logs: $reports"
exit "$failed"
