#!/usr/bin/env bash
# The statistics of bench/pairs: ranks and coverage as tables of the binomial distribution give
# them, and figures from rounds with known medians.
set -euo pipefail
cd "$(dirname "$0")/../.."
failed=0

# rounds N: pairs 1 to N; old always 100 events a second, new 101, 102, ... in an order of no meaning.
rounds() {
    local pair
    for pair in $(seq "$1"); do
        echo "$pair old 100 1000 2000 0 0 0 3000 500 700 10"
        echo "$pair new $((101 + pair * 7 % $1)) 500 2000 0 0 0 6000 500 700 10"
    done
}

expect() { # LABEL FOUND WANTED
    if [ "$2" != "$3" ]; then
        printf 'FAILED %s: found "%s", wanted "%s"\n' "$1" "$2" "$3"
        failed=1
    fi
}

line() { # N TITLE: what stands behind the title, blanks squeezed
    rounds "$1" | awk -f bench/median.awk -f bench/pairs.awk | sed -n "s/^$2  *//p" | tr -s ' '
}

# n, ranks of the ends, coverage in percent.
while read -r n low high covered; do
    expect "$n pairs" "$(line "$n" "medians of $n pairs")" "old new new/old interval ($covered %)"
    middle=$(awk -v n="$n" 'BEGIN { printf "%.3f", 1 + (n + 1) / 2 / 100 }')
    expect "speed of $n pairs" "$(line "$n" 'events a second' | cut -d ' ' -f 3-)" \
        "$(awk -v m="$middle" -v l="$low" -v h="$high" 'BEGIN { printf "%s %.3f to %.3f", m, 1 + l / 100, 1 + h / 100 }')"
done <<'TABLE'
6 1 6 96.9
9 2 8 96.1
10 2 9 97.9
15 4 12 96.5
20 6 15 95.9
25 8 18 95.7
TABLE

expect 'five pairs' "$(line 5 'events a second' | cut -d ' ' -f 4-)" 'too few pairs'
expect 'CPU of pawl' "$(line 15 'CPU us an event, pawl')" '100.0 50.0 0.500 0.500 to 0.500'
expect 'WAL' "$(line 15 'WAL bytes an event')" '300 600 2.000 2.000 to 2.000'
expect 'indexes' "$(line 15 'index bytes an event')" '70 70 1.000 1.000 to 1.000'
[ "$failed" = 0 ] && echo 'the statistics of bench/pairs are as the tables say'
exit "$failed"
