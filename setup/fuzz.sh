#!/usr/bin/env bash
# Hostile bytes for PAWL_FUZZ_SECONDS (600), with sanitizers in everything: Pawl's reader of HTTP alone, and at the same
# time the gate in front of Drogon. The seed is new unless PAWL_TEST_SEED says one; what fails is kept and named.
#   setup/fuzz.sh BUILD_FOLDER
set -euo pipefail

folder=$1
seconds=${PAWL_FUZZ_SECONDS:-600}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
programs=$(cd "$folder" && pwd)
mkdir -p "$folder/fuzz"
cd "$folder/fuzz" # an input that breaks something is saved here

fuzz() { "$programs/$1" "$root/tests/fuzz/corpus/http_gate" --seconds "$seconds" >"$1.log" 2>&1; }

printf 'fuzzing for %d s ...\n' "$seconds"
fuzz http_framing_fuzz &
alone=$!
failed=0
fuzz http_gate_fuzz || failed=1
wait "$alone" || failed=1
for program in http_framing_fuzz http_gate_fuzz; do
    printf '%s: ' "$program"
    if [ "$failed" = 0 ]; then paste -sd ' ' "$program.log"; else tail -n 60 "$program.log"; fi
done
exit "$failed"
