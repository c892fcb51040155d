# Reads the rounds of bench/pairs, one a line: pair, side (old or new), events a second, CPU microseconds of pawl and of
# PostgreSQL, WAL, table and index bytes before and after, events. Prints a line for each figure: both medians, and the
# median of the pairs' ratios (new / old) with an interval that holds the true median with at least 95 %.

# The interval lies between order statistics: how often the true median is outside of them depends on nothing but the
# number of pairs. Returns the rank of its lower end, counted from 1; 0: there are too few pairs. Sets `covered`.
function rank(n,    k, below, chance) {
    chance = 0.5 ^ n                        # of no value below the true median
    for (k = 0; 2 * (below + chance) <= 0.05; k++) {
        below += chance
        chance = chance * (n - k) / (k + 1)  # of one more below it
    }
    covered = 100 * (1 - 2 * below)
    return k
}

function sort_numbers(a, n,    i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
}

function take(figure, value) {
    all[figure, $2] = all[figure, $2] " " value
    of[figure, $2, $1] = value
}

function show(figure, title, format,    p, n, k, ratio, interval) {
    for (p in pairs)
        if (of[figure, "old", p] > 0) ratio[++n] = of[figure, "new", p] / of[figure, "old", p]
    if (n == 0) return
    sort_numbers(ratio, n)
    k = rank(n)
    interval = k ? sprintf("%.3f to %.3f", ratio[k], ratio[n + 1 - k]) : "too few pairs"
    printf "%-30s %12s %12s %8.3f   %s\n", title, sprintf(format, median(all[figure, "old"])),
        sprintf(format, median(all[figure, "new"])),
        n % 2 ? ratio[(n + 1) / 2] : (ratio[n / 2] + ratio[n / 2 + 1]) / 2, interval
}

NF == 12 {
    pairs[$1]
    take("speed", $3)
    take("pawl", $4 / $12)
    take("postgres", $5 / $12)
    take("wal", ($9 - $6) / $12)
    take("tables", ($10 - $7) / $12)
    take("indexes", ($11 - $8) / $12)
}

END {
    for (p in pairs) count++
    k = rank(count)
    printf "%-30s %12s %12s %8s   %s\n", "medians of " count " pairs", "old", "new", "new/old",
        k ? sprintf("interval (%.1f %%)", covered) : ""
    show("speed", "events a second", "%.0f")
    show("pawl", "CPU us an event, pawl", "%.1f")
    show("postgres", "CPU us an event, PostgreSQL", "%.1f")
    show("wal", "WAL bytes an event", "%.0f")
    show("tables", "table bytes an event", "%.0f")
    show("indexes", "index bytes an event", "%.0f")
}
