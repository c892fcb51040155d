# shellcheck shell=bash CPU time of pawl and of PostgreSQL: by control groups where they may be
# made, else by /proc. Sets `cpu_by`.

# Version 2 of cgroups, which counts for every group; alone, or with version 1.
groups_root() {
    local root
    for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
        if [ -e "$root/cgroup.procs" ] && [ -w "$root/cgroup.procs" ]; then
            printf '%s' "$root"
            return
        fi
    done
}

make_groups() {
    cpu_by='/proc: the processes, and children that have ended'
    group=$(groups_root)/pawl-pairs-$$
    if [ "$group" != "/pawl-pairs-$$" ] && mkdir "$group"-{pawl,postgres} 2>/dev/null &&
        [ -e "$group-pawl/cpu.stat" ]; then
        cpu_by='control groups'
    else
        group=
    fi
}

remove_groups() {
    [ -n "${group:-}" ] || return 0
    rmdir "$group"-{pawl,postgres} 2>/dev/null || true
}

join_group() { # NAME PIDS...: these processes, and what they start
    local name=$1 pid
    shift
    [ -n "$group" ] || return 0
    for pid in "$@"; do echo "$pid" >"$group-$name/cgroup.procs"; done
}

# Ticks of a process, of its children that have ended, and of those that live.
ticks_of_tree() { # PID
    local pid total=0
    for pid in "$1" $(pgrep -P "$1" || true); do
        if [ "$pid" = "$1" ]; then
            total=$((total + $(sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 + $14 + $15 }')))
        else
            total=$((total + $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | awk '{ n = $12 + $13 } END { print n + 0 }')))
        fi
    done
    printf '%s' "$total"
}

cpu_us() { # NAME PID: microseconds so far
    if [ -n "$group" ]; then
        sed -n 's/^usage_usec //p' "$group-$1/cpu.stat"
    else
        printf '%s' $(($(ticks_of_tree "$2") * 1000000 / $(getconf CLK_TCK)))
    fi
}
