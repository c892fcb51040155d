# Reads lines of figures, prints the table for people, and writes the JSON file for the next run.
# Variables: json, previous (lines "name value" of the last run), seconds, connections, machine

function figure(name, value, format) {
    names[++figures] = name
    printf_value[name] = sprintf(format, value)
    printf "    \"%s\": %s%s\n", name, printf_value[name], "," > lines
}

function before(name) { return name in was ? "  (last time " was[name] ")" : "" }

function show(title, pawl, pgbench, ratio) {
    printf "%-28s %10s %10s %8s%s\n", title, printf_value[pawl], printf_value[pgbench], printf_value[ratio],
        before(ratio)
}

BEGIN {
    lines = json ".lines"
    while ((getline line < previous) > 0)
        if (match(line, /^ *"[a-z0-9_]+": [0-9.]+,?$/)) {
            split(line, part, "\"")
            value = line
            gsub(/.*: |,/, "", value)
            was[part[2]] = value
        }
}

$1 == "pawl" { rate[$1, $2] = rate[$1, $2] " " $3; p50[$2] = p50[$2] " " $4; p99[$2] = p99[$2] " " $5 }
$1 == "pgbench" { rate[$1, $2] = rate[$1, $2] " " $3 }
$1 == "trial" { trials[$2, $3] = trials[$2, $3] sprintf("  %s: %.0f", $4, $5) }
$1 == "clients" { clients[$2] = $3 }
$1 == "paced" { paced_rate = $2; paced_p50 = $4; paced_p99 = $5 }
$1 == "moved" { moved[$2] = $3 }
$1 == "sync" { sync_us = sync_us " " $2 }
$1 == "memory" { resident = $2; peak = $3 }

END {
    printf "{\n" > lines
    kinds = split("uniform hot slow", kind_of)
    for (i = 1; i <= kinds; i++) {
        kind = kind_of[i]
        ours = median(rate["pawl", kind]); theirs = median(rate["pgbench", kind])
        figure("pawl_" kind "_per_s", ours, "%.0f")
        figure("pgbench_" kind "_per_s", theirs, "%.0f")
        figure("ratio_" kind, theirs > 0 ? ours / theirs : 0, "%.2f")
        figure("pawl_" kind "_p50_ms", median(p50[kind]), "%.2f")
        figure("pawl_" kind "_p99_ms", median(p99[kind]), "%.2f")
        figure("pgbench_" kind "_clients", clients[kind], "%d")
    }
    alone = median(rate["pgbench", "hot_alone"])
    figure("pgbench_hot_alone_per_s", alone, "%.0f")
    figure("ratio_hot_alone", alone > 0 ? median(rate["pawl", "hot"]) / alone : 0, "%.2f")
    figure("pgbench_hot_alone_clients", clients["hot_alone"], "%d")
    figure("moved_uniform_per_s", moved["uniform"], "%.0f")
    figure("moved_hot_per_s", moved["hot"], "%.0f")
    figure("disk_sync_us", median(sync_us), "%.0f")
    figure("paced_per_s", paced_rate, "%d")
    figure("paced_p50_ms", paced_p50, "%.2f")
    figure("paced_p99_ms", paced_p99, "%.2f")
    figure("rss_512_connections_mb", resident / 1024, "%.1f")
    figure("rss_peak_mb", peak / 1024, "%.1f")
    printf "    \"connections\": %d,\n    \"round_seconds\": %d,\n    \"machine\": \"%s\"\n}\n", connections,
        seconds, machine > lines
    close(lines)
    system("mv '" lines "' '" json "'")

    print "events a second, medians:"
    printf "%-28s %10s %10s %8s\n", "", "pawl", "pgbench", "ratio"
    show("10,000 accounts", "pawl_uniform_per_s", "pgbench_uniform_per_s", "ratio_uniform")
    show("one hot account", "pawl_hot_per_s", "pgbench_hot_per_s", "ratio_hot")
    show("the same, its best clients*", "pawl_hot_per_s", "pgbench_hot_alone_per_s", "ratio_hot_alone")
    show("one hot account, slow disk", "pawl_slow_per_s", "pgbench_slow_per_s", "ratio_slow")
    printf "pgbench has %d clients, its best for 10,000 accounts; * with %d, its best for a hot one\n",
        clients["uniform"], clients["hot_alone"]
    printf "\npawl's latency in ms:    p50 %s, p99 %s with %d connections as fast as they go; hot %s, %s\n",
        printf_value["pawl_uniform_p50_ms"], printf_value["pawl_uniform_p99_ms"], connections,
        printf_value["pawl_hot_p50_ms"], printf_value["pawl_hot_p99_ms"]
    printf "                         p50 %s, p99 %s at %s a second\n", printf_value["paced_p50_ms"],
        printf_value["paced_p99_ms"], printf_value["paced_per_s"]
    printf "with jobs moved, too:    %s of 10,000 accounts, %s hot\n", printf_value["moved_uniform_per_s"],
        printf_value["moved_hot_per_s"]
    printf "the disk:                %s microseconds a synchronous write; the slower, the larger the ratios\n",
        printf_value["disk_sync_us"]
    printf "pgbench by clients:      10,000 accounts:%s\n                         hot:%s\n",
        trials["pgbench", "uniform"], trials["pgbench", "hot"]
    printf "pawl by connections:     10,000 accounts:%s\n", trials["pawl", "uniform"]
    printf "pawl's memory:           %s MB resident at 512 connections, %s MB at most%s\n",
        printf_value["rss_512_connections_mb"], printf_value["rss_peak_mb"], before("rss_512_connections_mb")
}
