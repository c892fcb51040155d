#!/usr/bin/env bash
# The crash tests over and over with new seeds, for SOAK_MINUTES (60). Stops at the first failure.
#   setup/soak.sh BUILD_FOLDER
set -euo pipefail

folder=$1
reports=$folder/soak
mkdir -p "$reports"
minutes=${SOAK_MINUTES:-60}
round=0
export PAWL_E2E_PAYMENTS=${PAWL_E2E_PAYMENTS:-1000}
while [ $SECONDS -lt $((minutes * 60)) ]; do
    round=$((round + 1))
    export PAWL_E2E_SEED=$((RANDOM * 32768 + RANDOM))
    printf 'round %d, seed %d, %d of %d min\n' "$round" "$PAWL_E2E_SEED" $((SECONDS / 60)) "$minutes"
    "$folder/pawl_server_e2e" --gtest_brief=1 --gtest_filter='PayCrash*:CrashTraffic*' \
        >"$reports/round-$round.log" 2>&1 || {
        tail -n 40 "$reports/round-$round.log"
        echo "round $round failed; PAWL_E2E_SEED=$PAWL_E2E_SEED repeats it"
        exit 1
    }
done
echo "$round rounds, nothing lost and nothing doubled"
