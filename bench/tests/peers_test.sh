#!/usr/bin/env bash
# The report of bench/peers: medians, failed rounds, and peers that sync nothing, from known
# figures.
set -euo pipefail
cd "$(dirname "$0")/../.."
found=(node_modules/node-linux-*/bin/node)
node=$(realpath -e "${found[0]}" 2>/dev/null || command -v node) || {
    echo 'no JavaScript runtime: run setup/node.sh'
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

cat >"$scratch/figures" <<'FIGURES'
machine 2 cores
settings shared_buffers = 4GB
syncs pawl 99 101
syncs nodb 99 0
round 1 uniform pawl 20000 3 9 90
round 2 uniform pawl 10000 1 7 110
round 3 uniform pawl 18000 2 30 95
round 1 uniform pgbench 4500 0 0 0
failed 1 storm dbos deliveries were refused
round 2 storm restate 100 1 2 900
failed 1 storm restate its books have 5
FIGURES
said=$("$node" bench/peers/report.mjs "$scratch/figures" "$scratch/result.json" "$scratch/picture.svg")

expect() { # LABEL PATTERN TEXT
    if ! grep -Eq -- "$2" <<<"$3"; then
        printf 'FAILED %s: no "%s" in\n%s\n' "$1" "$2" "$3"
        failed=1
    fi
}

result=$(tr -d ' \n' <"$scratch/result.json")
expect 'the median is the middle of each column' '"pawl":\{"per_second":18000,"p50_ms":2,"p99_ms":9,"cpu_us":95,' "$result"
expect 'each round is kept' '"rounds":\[20000,10000,18000\]' "$result"
expect 'pgbench has neither latency nor CPU time' '"pgbench":\{"per_second":4500,"rounds"' "$result"
expect 'a load that a peer failed says why' '"dbos":\{"rounds":\[\],"failed":"deliverieswererefused"\}' "$result"
expect 'the table has the medians' '^uniform +18000 +- +4500 +-' "$said"
expect 'and the ratios' '^uniform +1\.00 +- +4\.00 +-' "$said"
expect 'a peer that failed all rounds' '^storm +- +- +- +- +failed +100\*' "$said"
expect 'what syncs less often than it answers is not durable' '^nodb +0 for 99 deliveries: not durable' "$said"
expect 'what syncs is' '^pawl +101 for 99 deliveries$' "$said"
expect 'the picture marks it' 'Pawl</text>' "$(cat "$scratch/picture.svg")"
[ "$failed" = 0 ] && echo 'the report of bench/peers says what the figures say'
exit "$failed"
