# The figures of bench/jobs/run.sh as tables.
$1 == "drain" {
    if (!head++) printf "%-10s %-9s %10s %14s %14s\n", "waiting", "settings", "jobs/s", "WAL bytes/job", "commits/job"
    per = $4 > 0 ? $4 : 1
    printf "%-10s %-9s %10.0f %14.0f %14.3f\n", $2, $3, $4 / $5, $6 / per, $7 / per
}
$1 == "steady" {
    if (!steady++) printf "\n%-10s %10s %14s %10s\n", "steady", "done", "dead tuples", "left"
    printf "%-10s %10d %14d %10d\n", $2, $3, $5, $6
}
$1 == "held" {
    if (!held++) printf "\n%-10s %10s %14s %22s\n", "held", "done", "dead tuples", "then waiting, jobs/s"
    printf "%-10s %10d %14d %22.0f\n", $2, $3, $5, $6 / $7
}
