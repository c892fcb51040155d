# The figures of bench/jobs/run.sh as tables. Of rounds that repeat, the median.

$1 == "drain" {
    row = $2 " " $3
    if (!(row in speed)) rows[++drained] = row
    done = $4 > 0 ? $4 : 1
    speed[row] = speed[row] " " $4 / $5
    wal[row] = wal[row] " " $6 / done
    commits[row] = commits[row] " " $7 / done
}
$1 == "steady" { steady = steady sprintf("%-10s %10d %14d %10d\n", $2, $3, $5, $6) }
$1 == "held" { held = held sprintf("%-10s %10d %14d %22.0f\n", $2, $3, $5, $6 / $7) }

END {
    printf "%-10s %-9s %10s %14s %14s\n", "waiting", "settings", "jobs/s", "WAL bytes/job", "commits/job"
    for (i = 1; i <= drained; i++) {
        row = rows[i]
        split(row, part, " ")
        printf "%-10s %-9s %10.0f %14.0f %14.3f\n", part[1], part[2], median(speed[row]), median(wal[row]),
            median(commits[row])
    }
    if (steady) printf "\n%-10s %10s %14s %10s\n%s", "steady", "done", "dead tuples", "left", steady
    if (held) printf "\n%-10s %10s %14s %22s\n%s", "held", "done", "dead tuples", "then waiting, jobs/s", held
}
